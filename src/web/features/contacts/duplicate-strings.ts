/** Texts of possible duplicates: the pairs, and joining one. */
import type { Entry } from "../../data/api.ts";

type Reason = Entry<"GET /w/{workspace}/duplicates">["reasons"][number];

const reasons: Record<Reason, string> = {
  network: "WhatsApp named one by a name of the other",
  same_number: "Two variants of one number",
  same_email: "Same e-mail address",
  same_name_and_birthday: "Same name and birthday",
};

export const strings = {
  title: "Possible duplicates",
  lead: "Pairs of contacts that may be one person. Nothing is joined until you say so.",
  back: "Contacts",
  looking: "Comparing contacts",
  none: "No possible duplicates",
  noneText: "No two contacts share a number variant, an e-mail address, or a name with a birthday.",
  pair: (one: string, other: string) => `${one} and ${other}`,
  reasons,
  phone: "Number",
  email: "E-mail",
  birthday: "Birthday",
  consent: "Consent",
  wrote: "Last wrote",
  added: "Added",
  join: "Compare and join…",
  joinPair: (one: string, other: string) => `Compare and join ${one} and ${other}…`,
  different: "Not the same",
  differentPair: (one: string, other: string) => `${one} and ${other} are not the same`,
  remembered: "Remembered: they are two people.",
  dialogTitle: "Join two contacts?",
  dialogLead: "The other contact becomes a part of the one that stays. This cannot be undone.",
  comparing: "Comparing the two",
  stays: "Contact that stays",
  choose: "Values that differ",
  valueOf: (field: string) => `Keep as ${field}`,
  phoneHint: "Both numbers lead to this contact. The person is answered on the number from which they last wrote.",
  holds: "What holds after the join",
  becomes: "Consent",
  strictest: "An opt-out of either holds. The evidence of both is kept.",
  moves: "What moves",
  counts: {
    sent: "Messages to them",
    of_broadcasts: "Messages of broadcasts",
    scheduled: "Scheduled messages",
    received: "Messages from them",
    by_other_senders: "Messages of other senders",
    notes: "Notes",
    files: "Files",
    tags: "Tags",
    groups: "Groups",
  },
  nothing: "Nothing: the other contact has no messages, notes, tags or groups.",
  confirm: "Join contacts",
  joined: "The two contacts are one now.",
  names: { phone: "number" } as Readonly<Record<string, string>>,
} as const;
