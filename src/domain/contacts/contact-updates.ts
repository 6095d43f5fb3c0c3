/**
 * `contact.updated`: a trigger enqueues a job for each changed contact of a workspace whose address asked for the event;
 * the job writes it with the contact as it is then. Changes that follow within a minute share the next event.
 */
import { sql } from "drizzle-orm";
import { updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { publish } from "../webhooks/publish.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { findById, isAddressable } from "./find.ts";
import { contacts } from "./table.ts";
import { viewContact } from "./view.ts";

/** Writes the event of a changed contact. An erased one has none: `contact.erased` told of it. */
export function tellContact(tx: Tx, workspaceId: number, contactId: number): void {
  const contact = findById(tx, workspaceId, contactId);
  if (contact === undefined || !isAddressable(contact)) return;
  updateRows(tx, contacts, { id: contactId }, { toldAt: tx.now });
  const workspace = getWorkspace(tx, workspaceId);
  publish(tx, workspace, "contact.updated", { contact: viewContact(tx, contact, workspace) });
}

/** Runs an import's work and suppresses `contact.updated`; the suppression ends with the transaction. */
export function withoutContactUpdates<T>(tx: Tx, workspaceId: number, work: () => T): T {
  tx.db.run(sql`INSERT INTO contact_update_mutes (workspace_id) VALUES (${workspaceId})`);
  const result = work();
  tx.db.run(sql`DELETE FROM contact_update_mutes WHERE workspace_id = ${workspaceId}`);
  return result;
}
