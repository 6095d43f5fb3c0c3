/** Finds the contact of a person by any identifier that the network gives. */
import { fromNetwork } from "#src/core/phone.ts";
import type { Tx } from "#src/db/transaction.ts";
import { createContact } from "../contacts/create.ts";
import { findByAnyVariant, findByUserId } from "../contacts/find.ts";
import { learnIdentity } from "../contacts/learn-identity.ts";
import type { Contact } from "../contacts/table.ts";
import type { Workspace } from "../workspaces/table.ts";

interface SenderIdentity {
  /** Digits without `+`; null if the network gives only its own id of the person. */
  from: string | null;
  networkUserId: string | null;
  parentUserId?: string | null | undefined;
  username?: string | null | undefined;
  profileName: string | null;
}

export function findSender(
  tx: Tx,
  workspace: Workspace,
  { from, networkUserId, parentUserId = null }: Pick<SenderIdentity, "from" | "networkUserId" | "parentUserId">,
): Contact | undefined {
  const phone = from === null ? null : fromNetwork(from);
  const byPhone = phone === null ? undefined : findByAnyVariant(tx, workspace.id, phone);
  if (byPhone !== undefined) return byPhone;
  for (const id of [networkUserId, parentUserId]) {
    const byId = id === null ? undefined : findByUserId(tx, workspace.id, id);
    if (byId !== undefined) return byId;
  }
  return undefined;
}

/**
 * Finds the contact by any variant of the phone number, else by the network's own ids. A new person becomes a contact
 * without consent. `portfolio`: of the number that the person wrote to.
 */
export function findOrCreateSender(tx: Tx, workspace: Workspace, sender: SenderIdentity, portfolio: string): Contact {
  const { from, networkUserId, parentUserId, username, profileName } = sender;
  const known =
    findSender(tx, workspace, sender) ??
    createContact(tx, workspace.id, {
      phone: from === null ? null : fromNetwork(from),
      networkUserId,
      networkPortfolio: portfolio,
      username,
      profile: { name: profileName },
    });
  return learnIdentity(tx, workspace, known, { phone: from, networkUserId, parentUserId, username, portfolio });
}
