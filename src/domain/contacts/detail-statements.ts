/**
 * The hot statements of what belongs to a contact: tags, custom fields and people on the number. They run for every
 * contact that is shown in an event or comes from an import. See `db/hot-statement.ts`.
 */
import { getTableColumns } from "drizzle-orm";
import { hotRows } from "#src/db/hot-rows.ts";
import { hotQuery, integer } from "#src/db/hot-statement.ts";
import { hotDelete, hotFind, hotInsert } from "#src/db/hot-table.ts";
import { consentLog, contactFields, contactPeople, contacts, contactTags, customFields, tags } from "./table.ts";

const tag = getTableColumns(tags);
const taggingOf = getTableColumns(contactTags);
const field = getTableColumns(customFields);
const { contactId, textValue, numberValue } = getTableColumns(contactFields);

/** Which of these a contact has: 1 or 0. */
export const detailsHeld = hotQuery(
  `SELECT EXISTS (SELECT 1 FROM contact_fields WHERE contact_id = +:contactId) AS fields,
    EXISTS (SELECT 1 FROM contact_people WHERE contact_id = +:contactId) AS people,
    EXISTS (SELECT 1 FROM contact_tags WHERE contact_id = +:contactId) AS tags,
    EXISTS (SELECT 1 FROM group_members WHERE contact_id = +:contactId) AS groups`,
  { contactId },
  { fields: integer, people: integer, tags: integer, groups: integer },
);

export const peopleOfContact = hotFind(contactPeople, ["contactId"], { rest: "ORDER BY position" });

export const tagsOfContact = hotQuery(
  `SELECT tags.id AS id, tags.name AS name FROM contact_tags JOIN tags ON tags.id = contact_tags.tag_id
  WHERE contact_tags.contact_id = +:contactId ORDER BY tags.folded`,
  taggingOf,
  { id: tag.id, name: tag.name },
);

export const tagByName = hotFind(tags, ["workspaceId", "folded"]);

export const insertTagging = hotInsert(contactTags, ["contactId", "tagId"], "ON CONFLICT DO NOTHING");

export const deleteTagging = hotDelete(contactTags, ["contactId", "tagId"]);

export const fieldsOfWorkspace = hotFind(customFields, ["workspaceId"], { rest: "ORDER BY key" });

export const fieldByKey = hotFind(customFields, ["workspaceId", "key"]);

export const valuesOfContact = hotQuery(
  `SELECT custom_fields.key AS key, custom_fields.kind AS kind, text_value AS textValue, number_value AS numberValue
  FROM contact_fields JOIN custom_fields ON custom_fields.id = contact_fields.field_id
  WHERE contact_fields.contact_id = +:contactId ORDER BY custom_fields.key`,
  { contactId },
  { key: field.key, kind: field.kind, textValue, numberValue },
);

export const storedValue = hotFind(contactFields, ["contactId", "fieldId"], { take: ["textValue", "numberValue"] });

export const insertValue = hotInsert(contactFields, ["contactId", "fieldId", "textValue", "numberValue"]);

export const upsertValue = hotInsert(
  contactFields,
  ["contactId", "fieldId", "textValue", "numberValue"],
  `ON CONFLICT (contact_id, field_id) DO UPDATE SET
    text_value = excluded.text_value, number_value = excluded.number_value`,
);

export const deleteValue = hotDelete(contactFields, ["contactId", "fieldId"]);

const {
  networkUserId,
  networkPortfolio,
  username,
  toldAt,
  identityId,
  stopSaidAt,
  startSaidAt,
  mayWantToStopSince,
  mayWantToStopSaidAt,
  lastMessageAt,
  windowOpenedAt,
  windowClosedAt,
  ...newContact
} = getTableColumns(contacts);

/** Contacts that are known to be new, each with the id that the caller gives it. */
export const insertContacts = hotRows(contacts, newContact);

/** Tags of contacts that have none. */
export const insertTaggings = hotRows(contactTags, taggingOf);

const { id: _, ...consentChange } = getTableColumns(consentLog);

/** Entries of the log of consent changes, in their order. */
export const insertConsentChanges = hotRows(consentLog, consentChange);
