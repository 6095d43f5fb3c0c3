/**
 * What contacts that users joined leave behind: the contact that stands for one that is gone, and the further numbers of a
 * person. A person with several numbers is answered on the one from which they last wrote.
 */
import { and, desc, eq, inArray, isNotNull, isNull, lt } from "drizzle-orm";
import { type E164, fromNetwork, otherVariant } from "#src/core/phone.ts";
import { updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { getContact, isAddressable } from "./find.ts";
import { CONTACT_CHANGED, type Contact, contactJoins, contactNetworkIds, contacts } from "./table.ts";

/** The contact itself, unless it was joined into another one: then that one, or the one that it was joined into. */
export function survivorOf(tx: ReadTx, contact: Contact): Contact {
  let survivor = contact;
  while (!isAddressable(survivor) && survivor.identityId !== null) {
    const join = tx.db
      .select({ contactId: contactJoins.contactId })
      .from(contactJoins)
      .where(eq(contactJoins.goneId, survivor.id))
      .orderBy(desc(contactJoins.id))
      .limit(1)
      .get();
    if (join === undefined) break;
    survivor = getContact(tx, contact.workspaceId, join.contactId);
  }
  return survivor;
}

/** Whether both are variants of one number. */
export function isSameNumber(one: string, other: string): boolean {
  return one === other || otherVariant(one as E164) === other;
}

/** The further numbers of the person, as they were stored. */
export function listFurtherNumbers(tx: ReadTx, contactId: number): string[] {
  const found = tx.db
    .selectDistinct({ phone: contactNetworkIds.ofPhone })
    .from(contactNetworkIds)
    .where(and(eq(contactNetworkIds.contactId, contactId), isNotNull(contactNetworkIds.ofPhone)))
    .all();
  return found.flatMap(({ phone }) => phone ?? []);
}

/** The contact's number leads to it as a further one from now on, and so do all names that the network has for it. */
export function keepAsFurther(tx: Tx, contact: Pick<Contact, "id" | "workspaceId">, phone: string): void {
  const { id: contactId, workspaceId } = contact;
  tx.db
    .update(contactNetworkIds)
    .set({ ofPhone: phone })
    .where(
      and(
        eq(contactNetworkIds.contactId, contactId),
        isNull(contactNetworkIds.ofPhone),
        // Digits; user ids begin with letters.
        lt(contactNetworkIds.networkId, "A"),
      ),
    )
    .run();
  tx.db
    .insert(contactNetworkIds)
    .values({ workspaceId, networkId: phone.slice(1), contactId, ofPhone: phone })
    .onConflictDoNothing()
    .run();
}

/**
 * The number, by the network's digits, is the one to answer: it changes places with the contact's first number, if it is a
 * further one. Returns the contact as it is then.
 */
export function preferNumber(tx: Tx, contact: Contact, digits: string): Contact {
  const { id, workspaceId, phone: first } = contact;
  const written = fromNetwork(digits);
  if (written === null || first === null || isSameNumber(first, written)) return contact;
  const names = [written, otherVariant(written)].flatMap((name) => name?.slice(1) ?? []);
  const isOwn = and(eq(contactNetworkIds.workspaceId, workspaceId), eq(contactNetworkIds.contactId, id));
  const found = tx.db
    .select({ ofPhone: contactNetworkIds.ofPhone })
    .from(contactNetworkIds)
    .where(and(isOwn, inArray(contactNetworkIds.networkId, names), isNotNull(contactNetworkIds.ofPhone)))
    .limit(1)
    .get();
  const preferred = found?.ofPhone ?? null;
  if (preferred === null) return contact;
  keepAsFurther(tx, contact, first);
  tx.db
    .delete(contactNetworkIds)
    .where(and(isOwn, eq(contactNetworkIds.networkId, preferred.slice(1))))
    .run();
  updateRows(tx, contactNetworkIds, { workspaceId, contactId: id, ofPhone: preferred }, { ofPhone: null });
  updateRows(tx, contacts, { id }, { phone: preferred, updatedAt: tx.now });
  tx.notify(CONTACT_CHANGED);
  return getContact(tx, workspaceId, id);
}
