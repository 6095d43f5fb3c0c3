/** People: one contact for one phone number of a workspace. */
import { customType, index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, instant } from "#src/db/columns.ts";
import type { Consent, ConsentSource } from "./consent.ts";
import type { FieldKind } from "./custom-field.ts";

export const contacts = sqliteTable(
  "contacts",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    workspaceId: integer().notNull(),
    /** E.164 as first stored; null for somebody whom the network names only by its own user id. */
    phone: text(),
    networkUserId: text(),
    /** Contacts that turned out to be one person share this id; null: alone. */
    identityId: integer(),
    name: text(),
    firstName: text(),
    lastName: text(),
    email: text(),
    city: text(),
    state: text(),
    postalCode: text(),
    company: text(),
    /** `YYYY-MM-DD` or `--MM-DD`. */
    birthday: text(),
    anniversary: text(),
    consent: text().$type<Consent>().notNull(),
    consentSource: text().$type<ConsentSource>(),
    /** When we recorded it. */
    consentAt: instant(),
    /** The network's times of the latest STOP and START, whether or not they changed anything: the later one holds. */
    stopSaidAt: instant(),
    startSaidAt: instant(),
    /** The network's time of the last thing that the person wrote; opens the 24-hour window. */
    lastMessageAt: instant(),
    createdAt: instant().notNull(),
    updatedAt: instant().notNull(),
  },
  (table) => [index("contacts_identity").on(table.identityId)],
);

export type Contact = typeof contacts.$inferSelect;

/** How the network spells a contact (digits), where that differs from the stored phone. */
export const contactNetworkIds = sqliteTable(
  "contact_network_ids",
  { workspaceId: integer().notNull(), networkId: text().notNull(), contactId: integer().notNull() },
  (table) => [primaryKey({ columns: [table.workspaceId, table.networkId] })],
);

/** Every change of consent with what proves it; rows are only ever added. */
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

/** Somebody else who uses a contact's number. */
export const contactPeople = sqliteTable("contact_people", {
  id: integer().primaryKey({ autoIncrement: true }),
  contactId: integer().notNull(),
  /** Place in the list, as it was sent. */
  position: integer().notNull(),
  name: text().notNull(),
  firstName: text(),
  birthday: text(),
  /** The caller's own id, by which a repeated sync finds the person again. */
  ref: text(),
});

export type PersonOnNumber = typeof contactPeople.$inferSelect;

export const tags = sqliteTable("tags", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  name: text().notNull(),
  /** The name as it is compared: without case. */
  folded: text().notNull(),
});

export type Tag = typeof tags.$inferSelect;

export const contactTags = sqliteTable(
  "contact_tags",
  { contactId: integer().notNull(), tagId: integer().notNull() },
  (table) => [primaryKey({ columns: [table.contactId, table.tagId] })],
);

/** How many contacts the API lists; kept by triggers. */
export const contactCounters = sqliteTable("contact_counters", {
  workspaceId: integer().primaryKey(),
  contacts: integer().notNull(),
  optedOut: integer().notNull(),
});

/** What is remembered of an erased person who had opted out. */
export const erasedOptOuts = sqliteTable(
  "erased_opt_outs",
  { workspaceId: integer().notNull(), phoneHash: bytes().notNull(), optedOutAt: instant().notNull() },
  (table) => [primaryKey({ columns: [table.workspaceId, table.phoneHash] })],
);

const real = customType<{ data: number; driverData: number }>({ dataType: () => "real" });

export const customFields = sqliteTable("custom_fields", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  /** What the API calls it. */
  key: text().notNull(),
  /** What people call it. */
  label: text().notNull(),
  kind: text().$type<FieldKind>().notNull(),
  /** What a choice may be; null for the other kinds. */
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
