/** A contact as the API's JSON has it, and the labels of consent. */
import type { ChipTone } from "../../ui/chip.tsx";
import { strings } from "./strings.ts";

export type Consent = "opted_in" | "opted_out" | "unknown";

export interface Contact {
  phone: string;
  name: string | null;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  city: string | null;
  state: string | null;
  postal_code: string | null;
  company: string | null;
  birthday: string | null;
  anniversary: string | null;
  fields: Record<string, string | number | boolean>;
  people: { name: string; first_name: string | null; birthday: string | null; ref: string | null }[];
  tags: string[];
  groups: { id: number; name: string }[];
  consent: { status: Consent; source: string | null; at: string | null };
  last_message_from_them_at: string | null;
  created_at: string;
  updated_at: string;
}

/** The text fields. */
type ContactText =
  | "name"
  | "first_name"
  | "last_name"
  | "email"
  | "city"
  | "state"
  | "postal_code"
  | "company"
  | "birthday"
  | "anniversary";

/** A contact in the form. */
export type ContactValues = Record<ContactText | "tags" | "groups", string> & {
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

export interface ConsentChange {
  id: number;
  at: string;
  was: Consent;
  became: Consent;
  source: string;
  evidence: Record<string, unknown>;
}

export function consentChip(consent: Consent): { label: string; tone: ChipTone } {
  if (consent === "opted_in") return { label: strings.optedIn, tone: "green" };
  if (consent === "opted_out") return { label: strings.optedOut, tone: "red" };
  return { label: strings.unknown, tone: "grey" };
}

export function nameOf({ name, phone }: Pick<Contact, "name" | "phone">): string {
  return name ?? phone;
}
