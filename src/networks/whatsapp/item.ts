/**
 * What the items of a callback have in common: the number they belong to, the time they happened, and the person they
 * are about. A `requireX` throws `Unreadable`, which costs this one item; the walk in `callback.ts` catches it.
 */
import { asObject, idOf, type JsonObject, listOf, numberOf, objectOf, profileNameOf, textOf } from "./json.ts";

/** What the neighbours of an item in its change say about it. */
export interface ItemContext {
  phoneNumberId: string | null;
  /** The people named in the change, beside the items. */
  people: PeopleBeside;
}

/** Read once for a change: a body of thousands of items names as many people. */
interface PeopleBeside {
  /** By the first place at which a phone number or user id stands. */
  byPhone: ReadonlyMap<string, number>;
  byUserId: ReadonlyMap<string, number>;
  contacts: readonly JsonObject[];
}

/** The entry of a callback that an update stands in. */
export interface Entry {
  accountId: string | null;
  /** Milliseconds; only entries with management updates have a time. */
  at: number | null;
}

export interface NetworkProfile {
  /** Digits without `+`. */
  phone: string | null;
  networkUserId: string | null;
  profileName: string | null;
}

/** An item that can neither be understood nor passed over. */
export class Unreadable extends Error {}

/** Meta's own ids of people: country and letters, and the form of a parent company. Found where phone numbers belong. */
const USER_ID_PATTERN = /^[A-Z]{2}\.(ENT\.)?[0-9A-Za-z]{1,128}$/;
const PHONE_PATTERN = /^\+?(\d{3,20})$/;

/** The year 5138 in seconds: what is later was not counted in seconds. */
const LATEST_SECONDS = 100_000_000_000;

export function readItemContext(value: JsonObject): ItemContext {
  return {
    phoneNumberId: idOf(objectOf(value, "metadata"), "phone_number_id"),
    people: peopleIn(listOf(value, "contacts")),
  };
}

function peopleIn(named: readonly unknown[]): PeopleBeside {
  const contacts = named.map(asObject).filter((contact) => contact !== null);
  const byPhone = new Map<string, number>();
  const byUserId = new Map<string, number>();
  contacts.forEach((contact, place) => {
    const phone = phoneIn(idOf(contact, "wa_id"));
    const networkUserId = idOf(contact, "user_id");
    if (phone !== null && !byPhone.has(phone)) byPhone.set(phone, place);
    if (networkUserId !== null && !byUserId.has(networkUserId)) byUserId.set(networkUserId, place);
  });
  return { byPhone, byUserId, contacts };
}

export function requirePhoneNumberId(context: ItemContext): string {
  return context.phoneNumberId ?? fail("the change names no phone_number_id");
}

export function requireText(item: JsonObject, name: string): string {
  return textOf(item, name) ?? fail(`${name} is missing`);
}

/** An id: one that is too long is refused, for a cut one would be another's. */
export function requireId(item: JsonObject, name: string): string {
  return idOf(item, name) ?? fail(textOf(item, name) === null ? `${name} is missing` : `${name} is too long`);
}

/** Seconds since the epoch, as a text or as a number, in milliseconds. */
export function requireTime(item: JsonObject): number {
  return timeIn(item, "timestamp") ?? fail("timestamp is no time in seconds");
}

/** The same, from any member; null where it is no time in seconds. */
export function timeIn(item: JsonObject | null, name: string): number | null {
  const seconds = numberOf(item, name);
  if (seconds === null || seconds <= 0 || seconds > LATEST_SECONDS) return null;
  return Math.trunc(seconds) * 1000;
}

export function fail(why: string): never {
  throw new Unreadable(why);
}

/**
 * Digits, or null: also for Meta's own ids, which turn up where a phone number is expected. Meta's examples have a space
 * behind some numbers.
 */
export function phoneIn(id: string | null): string | null {
  return (id === null ? null : PHONE_PATTERN.exec(id.trim())?.[1]) ?? null;
}

export function userIdIn(id: string | null): string | null {
  return id !== null && USER_ID_PATTERN.test(id) ? id : null;
}

/** Who an item is about, by the ids it carries and by the contact beside it that belongs to them. */
export function readProfile(id: string | null, networkUserId: string | null, context: ItemContext): NetworkProfile {
  const phone = phoneIn(id);
  const knownNetworkUserId = networkUserId ?? userIdIn(id);
  const contact = findContact(phone, knownNetworkUserId, context.people);
  return {
    phone: phone ?? phoneIn(idOf(contact, "wa_id")),
    networkUserId: knownNetworkUserId ?? userIdIn(idOf(contact, "user_id")),
    profileName: profileNameOf(objectOf(contact, "profile"), "name"),
  };
}

/**
 * The contact with the same phone number or id. A single contact beside an item without either can only be its own;
 * with several, or with another's ids, a guess would join two people.
 */
function findContact(phone: string | null, networkUserId: string | null, people: PeopleBeside): JsonObject | null {
  const { byPhone, byUserId, contacts } = people;
  if (phone === null && networkUserId === null) return contacts.length === 1 ? (contacts[0] ?? null) : null;
  const places = [
    phone === null ? undefined : byPhone.get(phone),
    networkUserId === null ? undefined : byUserId.get(networkUserId),
  ];
  const [first] = places.filter((place) => place !== undefined).sort((one, other) => one - other);
  return first === undefined ? null : (contacts[first] ?? null);
}
