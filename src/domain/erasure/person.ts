/** The person of an erasure: the contacts and every name by which rows may mention them. */
import { and, eq } from "drizzle-orm";
import { type E164, otherVariant } from "#src/core/phone.ts";
import { listRows } from "#src/db/rows.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { type Contact, contactNetworkIds, contacts, formerPhones, type PersonName } from "../contacts/table.ts";

/** Of whom rows are searched for, also when the contacts are empty already. */
export interface Person {
  workspaceId: number;
  /** Linked contacts are one person. */
  contactIds: readonly number[];
  names: readonly PersonName[];
}

export function findPerson(tx: ReadTx, contact: Contact): Person & { contacts: readonly Contact[] } {
  const { id, workspaceId, identityId } = contact;
  const linked = identityId === null ? eq(contacts.id, id) : eq(contacts.identityId, identityId);
  const all = tx.db
    .select()
    .from(contacts)
    .where(and(eq(contacts.workspaceId, workspaceId), linked))
    .all();
  return {
    workspaceId,
    contacts: all,
    contactIds: all.map((one) => one.id),
    names: all.flatMap((one) => [...presentNames(tx, one), ...formerNames(tx, one)]),
  };
}

/** Both variants of the phone number, and network ids. */
function presentNames(tx: ReadTx, contact: Contact): PersonName[] {
  const aliases = listRows(tx, contactNetworkIds, { contactId: contact.id });
  const names = [...variantsOf(contact.phone), contact.networkUserId, ...aliases.map(({ networkId }) => networkId)];
  return [...new Set(names.filter((name) => name !== null))].map((text) => ({ text, until: null }));
}

/** The numbers that the person has moved away from. */
function formerNames(tx: ReadTx, { id }: Contact): PersonName[] {
  const left = listRows(tx, formerPhones, { contactId: id });
  return left.flatMap(({ phone, movedAt }) => variantsOf(phone).map((text) => ({ text, until: movedAt })));
}

function variantsOf(phone: string | null): string[] {
  if (phone === null) return [];
  const other = otherVariant(phone as E164);
  return [phone, ...(other === null ? [] : [other])].map((one) => one.slice(1));
}
