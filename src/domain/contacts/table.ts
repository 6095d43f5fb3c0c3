/** Tables of contacts (one per phone number of a workspace), consent, people on a number, tags and custom fields. */
import { customType, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, instant } from "#src/db/columns.ts";
import type { Consent, ConsentSource } from "./consent.ts";
import type { ConversationState } from "./conversation-states.ts";
import type { FieldKind } from "./custom-field.ts";
import { type ProfileColumn, profileColumns } from "./profile-fields.ts";
import type { ThreadOwner } from "./thread-owners.ts";

/** Kind of the job that tells of a changed contact, and topic that is notified when a contact may have changed. */
export const CONTACT_CHANGED = "tell_contact";

const nullableText = () => text();
const profile = Object.fromEntries(profileColumns.map((column) => [column, nullableText()])) as Record<
  ProfileColumn,
  ReturnType<typeof nullableText>
>;

export const contacts = sqliteTable(
  "contacts",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    workspaceId: integer().notNull(),
    /** E.164 as first stored; null for a person whom the network identifies only by its own user id. */
    phone: text(),
    networkUserId: text(),
    /** The portfolio in which the user id is valid; null: not known. */
    networkPortfolio: text(),
    username: text(),
    /** Linked contacts share this id; null: not linked. */
    identityId: integer(),
    ...profile,
    consent: text().$type<Consent>().notNull(),
    consentSource: text().$type<ConsentSource>(),
    /** When consent was recorded. */
    consentAt: instant(),
    /** The network's times of the latest STOP and START, whether or not they changed anything. The later one wins. */
    stopSaidAt: instant(),
    startSaidAt: instant(),
    /** Since when the person may want to stop; null: there is no doubt. */
    mayWantToStopSince: instant(),
    /** The network's time of the latest message that raised the doubt, also after the doubt ended. */
    mayWantToStopSaidAt: instant(),
    /** The network's time of the person's last message; it opens the 24-hour window. */
    lastMessageAt: instant(),
    /** The network's time of the latest call or handover to this server: it opens the window too. */
    windowOpenedAt: instant(),
    /** When the latest message was dispatched that the network refused because the window is closed. */
    windowClosedAt: instant(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
    /** When the last `contact.updated` was written. */
    toldAt: instant(),
  },
  (table) => [index("contacts_identity").on(table.identityId)],
);

export type Contact = typeof contacts.$inferSelect;

/**
 * Other names that the network has for a contact: variants of its number (digits), and further user ids: of another
 * portfolio, of a parent company, or a former one.
 */
export const contactNetworkIds = sqliteTable(
  "contact_network_ids",
  {
    workspaceId: integer().notNull(),
    networkId: text().notNull(),
    contactId: integer().notNull(),
    /** Of a user id: the portfolio in which messages can be sent to it. Null: it only leads to the contact. */
    portfolio: text(),
    /** The further number of the person that this name leads to; null: a user id, or a name of the first number. */
    ofPhone: text(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.networkId] })],
);

/** The numbers that people have moved away from. */
export const formerPhones = sqliteTable(
  "former_phones",
  {
    workspaceId: integer().notNull(),
    phone: text().notNull(),
    contactId: integer().notNull(),
    /** The number that the notice of the move named. */
    movedTo: text().notNull(),
    movedAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.phone] })],
);

/** Contacts that users joined. A job moves the rows of the one that goes. */
export const contactJoins = sqliteTable("contact_joins", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  /** The contact that stays. */
  contactId: integer().notNull(),
  goneId: integer().notNull(),
  createdAt: instant().notNull(),
  /** Null: not all rows have followed. */
  endedAt: instant(),
});

export type ContactJoin = typeof contactJoins.$inferSelect;

/** Pairs that look like one person and are not, as a user said; one row in each direction. */
export const differentPeople = sqliteTable(
  "different_people",
  {
    contactId: integer().notNull(),
    otherId: integer().notNull(),
    workspaceId: integer().notNull(),
    saidAt: instant().notNull(),
  },
  (table) => [primaryKey({ columns: [table.contactId, table.otherId] })],
);

/** Consent changes with their evidence. Append-only. */
export const consentLog = sqliteTable("consent_log", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  contactId: integer().notNull(),
  was: text().$type<Consent>().notNull(),
  became: text().$type<Consent>().notNull(),
  source: text().$type<ConsentSource>().notNull(),
  evidence: text({ mode: "json" }).$type<Record<string, unknown>>().notNull(),
  at: instant().notNull(),
});

/** Another person who uses a contact's number. */
export const contactPeople = sqliteTable("contact_people", {
  id: integer().primaryKey({ autoIncrement: true }),
  contactId: integer().notNull(),
  /** Position in the list that the caller sent. */
  position: integer().notNull(),
  name: text().notNull(),
  firstName: text(),
  birthday: text(),
  /** The caller's id of the person, by which a repeated sync matches the row. */
  ref: text(),
});

export type PersonOnNumber = typeof contactPeople.$inferSelect;

export const tags = sqliteTable("tags", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  name: text().notNull(),
  /** The name for comparison: case-folded. */
  folded: text().notNull(),
});

export type Tag = typeof tags.$inferSelect;

export const contactTags = sqliteTable(
  "contact_tags",
  { contactId: integer().notNull(), tagId: integer().notNull() },
  (table) => [primaryKey({ columns: [table.contactId, table.tagId] })],
);

/** Number of contacts that the API lists; maintained by triggers. */
export const contactCounters = sqliteTable("contact_counters", {
  workspaceId: integer().primaryKey(),
  contacts: integer().notNull(),
  optedOut: integer().notNull(),
});

/**
 * One person on one of our numbers, who wrote or was written to from the phone, with the number of unread inbounds and
 * the owner of the thread; triggers on `inbounds` and `echoes` make and keep the rows.
 */
export const conversations = sqliteTable("conversations", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  contactId: integer().notNull(),
  numberId: integer().notNull(),
  /** The last inbound that was new; 0 if there is none. */
  lastInboundId: integer().notNull(),
  /** When the person last wrote, by the network's time; for a person who never wrote, the first echo. */
  wroteAt: instant().notNull(),
  /** How many inbounds arrived since a user last read the conversation. */
  unread: integer().notNull(),
  /** As last reported; `threads.ts` says what it means. Null: nothing was reported. */
  owner: text().$type<ThreadOwner>(),
  ownerRole: text(),
  /** The network's time of the report, and its rank among those of the same time. */
  ownerAt: instant(),
  ownerRank: integer(),
  state: text().$type<ConversationState>().notNull().default("open"),
  /** Null while it is snoozed: until the person writes. */
  snoozedUntil: instant(),
  /** The user of the console who answers it. */
  assigneeId: integer(),
  /** The user who last changed state or assignee; null: a program, or time. */
  changedById: integer(),
});

export type Conversation = typeof conversations.$inferSelect;

/** What is kept of an erased person who had opted out. */
export const erasedOptOuts = sqliteTable(
  "erased_opt_outs",
  { workspaceId: integer().notNull(), phoneHash: bytes().notNull(), optedOutAt: instant().notNull() },
  (table) => [primaryKey({ columns: [table.workspaceId, table.phoneHash] })],
);

/** How many of each the erasure of a person has erased. */
export interface ErasedCounts {
  /** To the person, without those of broadcasts and scheduled ones. */
  sent: number;
  of_broadcasts: number;
  scheduled: number;
  received: number;
  /** Sent by others with the number: the phone's own app, or another program. */
  by_other_senders: number;
  notes: number;
  files: number;
  drafts: number;
  /** Events for webhooks, with what receivers answered. */
  events: number;
  /** What the network sent, word by word. */
  callbacks: number;
  /** Kept answers to programs. */
  answers: number;
  audit_entries: number;
}

/** What still holds something of a person who was erased. */
export interface ErasureHolders {
  /** `until`: when the last of them is deleted; null: when a person deletes it. */
  backups: { kind: "scheduled" | "off_site" | "kept"; until: number | null }[];
  /** A program copies the database continuously: its copies age out by its own settings. */
  is_replicated: boolean;
  /** Ids of uploads that were sent to others too. */
  shared_uploads: number[];
  /** Our numbers on which WhatsApp still blocks the person: only what is known of it here is erased. */
  still_blocked_on: string[];
  /** Ids of uploaded contact files that are not imported yet, and may contain the person. */
  waiting_imports: number[];
  /** No old page is left in the write-ahead log. */
  log_emptied: boolean;
}

/** A text that names the person: a phone number or network id, without `+`, as networks write them. */
export interface PersonName {
  text: string;
  /** Of a number that the person has left: what was stored later is about its next owner. Null: it is still theirs. */
  until: number | null;
}

/** Of whom rows are searched for. */
interface ErasedPerson {
  contactIds: number[];
  names: PersonName[];
  sharedUploads: number[];
  blockedOn: string[];
}

/** The erasures of people, which jobs carry out. */
export const erasures = sqliteTable("erasures", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  /** The first of the person's contacts. */
  contactId: integer().notNull(),
  /** Null: the command line. */
  userId: integer(),
  address: text().notNull(),
  /** Null once all is searched. */
  person: text({ mode: "json" }).$type<ErasedPerson>(),
  /** 1 or 2. */
  round: integer().notNull(),
  counts: text({ mode: "json" }).$type<ErasedCounts>().notNull(),
  /** Null before the end. */
  holders: text({ mode: "json" }).$type<ErasureHolders>(),
  createdAt: instant().notNull(),
  endedAt: instant(),
});

export type Erasure = typeof erasures.$inferSelect;

const real = customType<{ data: number; driverData: number }>({ dataType: () => "real" });

export const customFields = sqliteTable("custom_fields", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  /** The name in the API. */
  key: text().notNull(),
  /** The name in the console. */
  label: text().notNull(),
  kind: text().$type<FieldKind>().notNull(),
  /** The values of a choice; null for the other kinds. */
  choices: text({ mode: "json" }).$type<string[]>(),
  createdAt: instant().notNull(),
});

export type CustomField = typeof customFields.$inferSelect;

export const contactFields = sqliteTable(
  "contact_fields",
  {
    contactId: integer().notNull(),
    fieldId: integer().notNull(),
    /** A text, a date or a choice. */
    textValue: text(),
    /** A number, or a boolean as 0 or 1. */
    numberValue: real(),
  },
  (table) => [primaryKey({ columns: [table.contactId, table.fieldId] })],
);
