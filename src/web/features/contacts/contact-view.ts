/** A contact as the API's JSON has it, and the labels of consent. */
import { displayName, type ProfileName } from "#src/domain/contacts/profile-fields.ts";
import type { Entry } from "../../data/api.ts";
import type { ChipTone } from "../../ui/chip.tsx";
import { strings } from "./strings.ts";

export type Contact = Entry<"GET /w/{workspace}/contacts">;
export type Consent = Contact["consent"]["status"];

/** A contact in the form. */
export type ContactValues = Record<ProfileName | "tags" | "groups", string> & {
  fields: Record<string, string>;
  people: PersonValues[];
};

/** Another person on a contact's number, in the form. */
export interface PersonValues {
  name: string;
  first_name: string;
  birthday: string;
  /** The customer's own id of the person, which identifies them across updates. */
  ref: string | null;
}

export type ConsentChange = Entry<"GET /w/{workspace}/contacts/{phone}/consent">;

export function consentChip(consent: Consent): { label: string; tone: ChipTone } {
  if (consent === "opted_in") return { label: strings.optedIn, tone: "green" };
  if (consent === "opted_out") return { label: strings.optedOut, tone: "red" };
  return { label: strings.unknown, tone: "grey" };
}

/** What the contact is called; null: it is shown by its number. */
export function ownNameOf(contact: Pick<Contact, "name" | "first_name" | "last_name">): string | null {
  return displayName(contact.name, contact.first_name, contact.last_name);
}

export function nameOf(contact: Contact): string {
  return ownNameOf(contact) ?? handleOf(contact);
}

/** Leads to the contact: its phone number, else the network's user id. */
export function phoneOf({ phone, user_id: userId }: Pick<Contact, "phone" | "user_id">): string {
  return phone ?? userId ?? "";
}

/** What people read: the phone number, else the username, else the network's user id. */
export function handleOf({
  phone,
  username,
  user_id: userId,
}: Pick<Contact, "phone" | "username" | "user_id">): string {
  return phone ?? (username === null ? (userId ?? "") : `@${username}`);
}
