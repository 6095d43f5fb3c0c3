/**
 * What a callback's items share: the number they belong to, the time they happened, and the person they concern. The
 * `require…` functions throw `Unreadable`, which loses only the one item: `callback.ts` catches it.
 */
import { createHash } from "node:crypto";
import { isUserId } from "#src/core/user-id.ts";
import { asObject, idOf, type JsonObject, listOf, numberOf, objectOf, profileNameOf, textOf } from "./json.ts";

/** What the change around an item says about it. */
export interface ItemContext {
  phoneNumberId: string | null;
  /** The contacts listed in the change, next to the items. */
  people: PeopleBeside;
}

/** Built once per change, because a body of thousands of items lists as many people. */
interface PeopleBeside {
  /** Index of the first contact with this phone number or user id. */
  byPhone: ReadonlyMap<string, number>;
  byUserId: ReadonlyMap<string, number>;
  contacts: readonly JsonObject[];
}

/** The callback's entry that contains an update. */
export interface Entry {
  accountId: string | null;
  /** Milliseconds; only entries with management updates have a time. */
  at: number | null;
}

export interface NetworkProfile {
  /** Digits without `+`. */
  phone: string | null;
  networkUserId: string | null;
  /** The id that the portfolios of one parent company share. */
  parentUserId: string | null;
  profileName: string | null;
  /** Without the `@` that Meta puts before it. */
  username: string | null;
}

/** The item is unreadable and cannot be ignored. */
class Unreadable extends Error {}

const PHONE_PATTERN = /^\+?(\d{3,20})$/;

/** The year 5138 in seconds: a larger value is not in seconds. */
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

/** The item's id; of one without a usable id, such as one that is too long, one that is made from its bytes. */
export function itemId(item: JsonObject): string {
  return idOf(item, "id") ?? `made.${createHash("sha256").update(JSON.stringify(item)).digest("hex").slice(0, 40)}`;
}

/** When it happened, milliseconds; of an item without a readable time, when it is applied. */
export function itemTime(item: JsonObject): number {
  return timeIn(item, "timestamp") ?? WHEN_APPLIED;
}

/** Reads seconds since the epoch, text or number, and returns milliseconds; null if it is not a time in seconds. */
export function timeIn(item: JsonObject | null, name: string): number | null {
  const seconds = numberOf(item, name);
  if (seconds === null || seconds <= 0 || seconds > LATEST_SECONDS) return null;
  return Math.trunc(seconds) * 1000;
}

/** The time of a message that has none: later than any clock, so the message counts as written when it is applied. */
const WHEN_APPLIED = LATEST_SECONDS * 1000;

export function fail(why: string): never {
  throw new Unreadable(why);
}

/**
 * The digits of a phone number, or null; also null for Meta's user ids, which may appear in its place. Some numbers in
 * Meta's examples have a trailing space.
 */
export function phoneIn(id: string | null): string | null {
  return (id === null ? null : PHONE_PATTERN.exec(id.trim())?.[1]) ?? null;
}

/** Meta's own user id; it may appear in place of a phone number. */
export function userIdIn(id: string | null): string | null {
  return id !== null && isUserId(id) ? id : null;
}

/**
 * The person an item concerns, from the ids in the item and from the matching contact next to it. `parentUserId`: the
 * parent company's id, where the item has one.
 */
export function readProfile(
  id: string | null,
  networkUserId: string | null,
  context: ItemContext,
  parentUserId: string | null = null,
): NetworkProfile {
  const phone = phoneIn(id);
  const knownNetworkUserId = networkUserId ?? userIdIn(id);
  const contact = findContact(phone, knownNetworkUserId, context.people);
  const profile = objectOf(contact, "profile");
  return {
    phone: phone ?? phoneIn(idOf(contact, "wa_id")),
    networkUserId: knownNetworkUserId ?? userIdIn(idOf(contact, "user_id")),
    parentUserId: userIdIn(parentUserId) ?? userIdIn(idOf(contact, "parent_user_id")),
    profileName: profileNameOf(profile, "name"),
    username: usernameOf(profile) ?? usernameOf(contact),
  };
}

function usernameOf(object: JsonObject | null): string | null {
  const username = profileNameOf(object, "username")?.replace(/^@/, "") ?? "";
  return username === "" ? null : username;
}

/**
 * The contact with the same phone number or user id. An item without either can only belong to a single contact next to
 * it; with several contacts, or one with other ids, a guess could merge two people.
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
