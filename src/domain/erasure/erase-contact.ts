/**
 * Empties the contact of a person who is erased, in the transaction that begins the erasure, so that no user and no program finds the
 * person any more. What is attached follows in slices (`erase-attached.ts`), then the texts (`erase-texts.ts`) and the names elsewhere
 * (`erase-names.ts`). Counters and amounts stay, because they identify no one. A keyed hash of an opted-out number stays too, so that the
 * opt-out outlives the erasure. `server/erase-person.ts` calls them in order.
 */
import { eq } from "drizzle-orm";
import { updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { recordErasedOptOut } from "../contacts/erased-opt-outs.ts";
import { forgetFormerHolder } from "../contacts/former-phones.ts";
import { listFurtherNumbers } from "../contacts/joined.ts";
import { type Contact, contacts } from "../contacts/table.ts";
import { publishErased } from "../webhooks/erased-event.ts";
import { emptyRows } from "./person-columns.ts";

/** Empties a contact, and tells the workspace. */
export function eraseContact(tx: Tx, contact: Contact): void {
  if (contact.consent === "opted_out") {
    for (const name of [contact.phone, contact.networkUserId, ...listFurtherNumbers(tx, contact.id)]) {
      if (name !== null) recordErasedOptOut(tx, contact.workspaceId, name, contact.consentAt ?? tx.now);
    }
  }
  publishErased(tx, contact);
  forgetFormerHolder(tx, contact);
  const { id } = contact;
  emptyRows(tx, "contacts", eq(contacts.id, id));
  updateRows(tx, contacts, { id }, { updatedAt: tx.now });
}
