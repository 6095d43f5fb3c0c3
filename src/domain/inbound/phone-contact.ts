/**
 * Applies a change in the address book of a number's phone. It names people: a person whom we do not know becomes a
 * contact without consent, and one without a name gets the name. A name that came from anywhere else stays. A contact
 * that is removed on the phone stays here with its name, because messages and consent belong to it.
 */
import type { Tx } from "#src/db/transaction.ts";
import { fullProfile } from "../contacts/profile.ts";
import { setUpdatedAt, updateProfile } from "../contacts/statements.ts";
import { CONTACT_CHANGED, type Contact } from "../contacts/table.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { portfolioOf } from "../numbers/user-id-scope.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { PhoneContactItem } from "./callback-item.ts";
import { findOrCreateSender, findSender } from "./find-sender.ts";
import { keepPhoneContact, phoneContactOf } from "./statements.ts";

type Names = NonNullable<PhoneContactItem["names"]>;

const NO_NAMES: Names = { name: null, firstName: null };

export function applyPhoneContact(tx: Tx, number: SendingNumber, item: PhoneContactItem): void {
  const workspace = getWorkspace(tx, number.workspaceId);
  const identity = { from: item.phone, networkUserId: item.networkUserId, profileName: null };
  const contact =
    item.names === null
      ? findSender(tx, workspace, identity)
      : findOrCreateSender(tx, workspace, identity, portfolioOf(tx, number));
  if (contact === undefined) return;
  const key = { contactId: contact.id, numberId: number.id };
  const before = phoneContactOf(tx).get(key);
  // The changes of an address book arrive in any order.
  if (before !== undefined && before.changedAt > item.at) return;
  const names = item.names ?? NO_NAMES;
  keepPhoneContact(tx).run({ ...key, ...names, changedAt: item.at });
  if (item.names !== null) setNames(tx, contact, before ?? NO_NAMES, names);
}

function setNames(tx: Tx, contact: Contact, before: Names, { name, firstName }: Names): void {
  const changed = {
    ...(mayChange(contact.name, before.name, name) ? { name } : {}),
    ...(mayChange(contact.firstName, before.firstName, firstName) ? { firstName } : {}),
  };
  if (Object.keys(changed).length === 0) return;
  updateProfile(tx).run({ id: contact.id, ...fullProfile(contact, changed) });
  setUpdatedAt(tx).run({ id: contact.id, updatedAt: tx.now });
  tx.notify(CONTACT_CHANGED);
}

/** Only a name that is missing, or that the same address book gave before. */
function mayChange(current: string | null, before: string | null, next: string | null): boolean {
  return next !== null && next !== current && (current === null || current === before);
}
