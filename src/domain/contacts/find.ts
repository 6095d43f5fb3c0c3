/**
 * Finds the contact for a number that a caller wrote or that the network sent. Every number that we or the network have
 * used for a person leads to the contact: the stored number, the network's number variants, and the country's other
 * number variant.
 */
import { and, desc, eq, isNotNull, ne } from "drizzle-orm";
import { type E164, fromNetwork, otherVariant, phoneDigits, readPhone } from "#src/core/phone.ts";
import { Problem, quote } from "#src/core/problem.ts";
import { NETWORK_ID_LENGTH_MAX } from "#src/core/text-limits.ts";
import { isUserId } from "#src/core/user-id.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import {
  contactByNetworkId,
  contactByNetworkUser,
  contactByPhone,
  contactInWorkspace,
  knownIdentifiers,
} from "./statements.ts";
import { type Contact, contacts } from "./table.ts";

export function findById(tx: ReadTx, workspaceId: number, id: number): Contact | undefined {
  return contactInWorkspace(tx).get({ workspaceId, id });
}

export function getContact(tx: ReadTx, workspaceId: number, id: number): Contact {
  const contact = contactInWorkspace(tx).get({ workspaceId, id });
  if (contact === undefined) throw new Error(`contact ${id} is gone from workspace ${workspaceId}`);
  return contact;
}

/** By the user id that is in use, else by any other: of another portfolio, of a parent company, or a former one. */
export function findByUserId(tx: ReadTx, workspaceId: number, networkUserId: string): Contact | undefined {
  return (
    contactByNetworkUser(tx).get({ workspaceId, networkUserId }) ??
    contactByNetworkId(tx).get({ workspaceId, networkId: networkUserId })
  );
}

/** Matches the stored number only; no variants. */
export function findByPhone(tx: ReadTx, workspaceId: number, phone: E164): Contact | undefined {
  return contactByPhone(tx).get({ workspaceId, phone });
}

/** Tries the stored number, then the network's ids, then the country's other number variant. */
export function findByAnyVariant(tx: ReadTx, workspaceId: number, phone: E164): Contact | undefined {
  return findExact(tx, workspaceId, phone) ?? findByOtherVariant(tx, workspaceId, phone);
}

function findByOtherVariant(tx: ReadTx, workspaceId: number, phone: E164): Contact | undefined {
  const other = otherVariant(phone);
  return other === null ? undefined : findExact(tx, workspaceId, other);
}

function findExact(tx: ReadTx, workspaceId: number, phone: E164): Contact | undefined {
  return (
    contactByPhone(tx).get({ workspaceId, phone }) ??
    contactByNetworkId(tx).get({ workspaceId, networkId: phone.slice(1) })
  );
}

export interface ContactLookup {
  /**
   * The E.164 number to send to; for a known contact, its stored number or that of a linked contact. Null: the person is
   * known by a user id alone.
   */
  phone: E164 | null;
  /** Never null where `phone` is. */
  networkUserId: string | null;
  contact: Contact | null;
}

/** False for an erased contact, and for one that lost its only name to a linked contact. */
export function isAddressable({ phone, networkUserId }: Pick<Contact, "phone" | "networkUserId">): boolean {
  return phone !== null || networkUserId !== null;
}

/** How to send to a contact: its phone number, else a linked contact's. */
export function addressOf(tx: ReadTx, contact: Contact): ContactLookup {
  const { networkUserId } = contact;
  if (contact.phone !== null) return { phone: contact.phone as E164, networkUserId, contact };
  return { phone: phoneOfLinked(tx, contact), networkUserId, contact };
}

function phoneOfLinked(tx: ReadTx, { identityId }: Pick<Contact, "identityId">): E164 | null {
  if (identityId === null) return null;
  const linked = tx.db
    .select({ phone: contacts.phone })
    .from(contacts)
    .where(and(eq(contacts.identityId, identityId), isNotNull(contacts.phone)))
    .orderBy(desc(contacts.updatedAt), desc(contacts.id))
    .limit(1)
    .get();
  return (linked?.phone as E164 | undefined) ?? null;
}

/** The other contacts of the same person. */
export function listLinkedContacts(tx: ReadTx, contact: Pick<Contact, "id" | "identityId">): Contact[] {
  if (contact.identityId === null) return [];
  return tx.db
    .select()
    .from(contacts)
    .where(and(eq(contacts.identityId, contact.identityId), ne(contacts.id, contact.id)))
    .all();
}

/** What a message or a list shows of the person: the phone number, else the user id. */
export function nameOfAddress({ phone, networkUserId }: Pick<Contact, "phone" | "networkUserId">): string {
  return phone ?? networkUserId ?? "";
}

/** What an input identifies, before any contact is looked up. */
export interface ContactIdentifiers {
  /** Null if the input cannot be read as a valid number. */
  phone: E164 | null;
  /**
   * Every number, network id (with `+`) or user id that `lookUpContact` tries. If none of them is known, no contact is
   * found.
   */
  identifiers: string[];
}

export function readIdentifiers(input: string, country: string): ContactIdentifiers {
  const written = phoneDigits(input);
  const literal = written === null ? null : fromNetwork(written.digits);
  const phone = readPhone(input, country);
  const other = phone === null ? null : otherVariant(phone);
  if (phone !== null && phone === literal && other === null) return { phone, identifiers: [phone] };
  return { phone, identifiers: [...new Set([literal, phone, other])].filter((name) => name !== null) };
}

/** Returns the identifiers that belong to a contact, as its phone number or as a network id. */
export function findKnownIdentifiers(tx: ReadTx, workspaceId: number, identifiers: readonly string[]): string[] {
  return knownIdentifiers(tx)
    .all({ workspaceId, identifiers: JSON.stringify(identifiers) })
    .map(({ name }) => name);
}

/** Throws `invalid_number` if the input is neither a phone number nor a user id. */
export function requirePerson(tx: ReadTx, workspace: Pick<Workspace, "id" | "country">, input: string): ContactLookup {
  const person = lookUpContact(tx, workspace.id, input, workspace.country);
  if (person !== null) return person;
  throw new Problem(
    "invalid_number",
    `${quote(input)} is not a phone number. Numbers without a country code are read in ${workspace.country}.`,
  );
}

/**
 * Reads a number or a user id that a caller wrote; a number is read in the workspace's country. Returns null if it is
 * neither.
 */
export function lookUpContact(tx: ReadTx, workspaceId: number, input: string, country: string): ContactLookup | null {
  const id = input.trim();
  if (isUserId(id)) {
    const contact = findByUserId(tx, workspaceId, id);
    if (contact === undefined) return { phone: null, networkUserId: id, contact: null };
    const address = addressOf(tx, contact);
    return address.networkUserId === null ? { ...address, networkUserId: id } : address;
  }
  return lookUpNumber(tx, workspaceId, input, country) ?? lookUpUnusualId(tx, workspaceId, id);
}

/** The network may have named a person by an id of another form. */
function lookUpUnusualId(tx: ReadTx, workspaceId: number, id: string): ContactLookup | null {
  if (id === "" || id.length > NETWORK_ID_LENGTH_MAX) return null;
  const contact = contactByNetworkUser(tx).get({ workspaceId, networkUserId: id });
  return contact === undefined ? null : addressOf(tx, contact);
}

function lookUpNumber(tx: ReadTx, workspaceId: number, input: string, country: string): ContactLookup | null {
  const literal = findLiteral(tx, workspaceId, input, country);
  if (literal !== null) return literal;
  const phone = readPhone(input, country);
  if (phone === null) return null;
  // If the input has all digits of the E.164 number, `findLiteral` has already looked it up.
  const isLookedUp = `+${phoneDigits(input)?.digits}` === phone;
  const contact =
    (isLookedUp ? findByOtherVariant(tx, workspaceId, phone) : findByAnyVariant(tx, workspaceId, phone)) ?? null;
  return contact?.phone == null ? { phone, networkUserId: null, contact } : addressOf(tx, contact);
}

/**
 * Finds the contact whose stored number or network id is literally the input, valid or not, so that callers can reply
 * to any number we returned. Bare digits can also be a national number; if another contact has that number, it wins.
 */
function findLiteral(tx: ReadTx, workspaceId: number, input: string, country: string): ContactLookup | null {
  const written = phoneDigits(input);
  if (written === null) return null;
  const phone = fromNetwork(written.digits);
  const contact = phone === null ? undefined : findExact(tx, workspaceId, phone);
  if (contact?.phone == null) return null;
  if (!written.international) {
    const national = readPhone(input, country);
    const other = national === null ? undefined : findByAnyVariant(tx, workspaceId, national);
    if (other !== undefined && other.id !== contact.id) return addressOf(tx, other);
  }
  return addressOf(tx, contact);
}
