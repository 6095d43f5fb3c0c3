/** A user's word that two contacts are not one person: the pair is not found any more. */
import type { Tx } from "#src/db/transaction.ts";
import { type Contact, differentPeople } from "../contacts/table.ts";

export function markDifferent(tx: Tx, one: Contact, other: Contact): void {
  const { workspaceId } = one;
  tx.db
    .insert(differentPeople)
    .values([
      { contactId: one.id, otherId: other.id, workspaceId, saidAt: tx.now },
      { contactId: other.id, otherId: one.id, workspaceId, saidAt: tx.now },
    ])
    .onConflictDoNothing()
    .run();
}
