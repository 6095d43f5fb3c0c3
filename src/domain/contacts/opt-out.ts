/** An opt-out that reached us other than by the person writing STOP. It works for numbers that nobody knows yet, too. */
import type { Tx } from "#src/storage/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import { changeConsent } from "./change-consent.ts";
import type { ConsentEvidence } from "./consent-log.ts";
import { createContact } from "./create.ts";
import type { FoundPerson } from "./find.ts";
import type { Contact } from "./table.ts";

/** Opting out twice keeps the first date and tells nobody again. */
export function optOut(tx: Tx, workspace: Workspace, person: FoundPerson, why: ConsentEvidence): Contact {
  const contact = person.contact ?? createContact(tx, workspace.id, { phone: person.phone });
  return changeConsent(tx, workspace, contact, { kind: "opt_out" }, why);
}
