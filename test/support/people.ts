/** A workspace filled with given contacts, in memory, for tests of what a filter finds among them. */

import { type Client, openClient } from "#src/db/driver.ts";
import { migrate } from "#src/db/migrate.ts";
import type { CustomField } from "#src/domain/contacts/table.ts";
import type { OracleContact } from "./filter-oracle.ts";

export const FIELDS: CustomField[] = [
  { id: 1, key: "plan", kind: "text", choices: null },
  { id: 2, key: "points", kind: "number", choices: null },
  { id: 3, key: "renews", kind: "date", choices: null },
  { id: 4, key: "member", kind: "boolean", choices: null },
  { id: 5, key: "tier", kind: "choice", choices: ["gold", "Gold", "silver"] },
].map((field) => ({
  ...field,
  kind: field.kind as CustomField["kind"],
  workspaceId: 1,
  label: field.key,
  createdAt: 0,
}));

export const TAGS = ["vip", "New", "ärger"];
export const LISTS = [
  { id: 1, name: "Regulars" },
  { id: 2, name: "Été" },
];

const TEXTS = ["name", "first_name", "last_name", "email", "city", "state", "postal_code", "company"];

/** The same contacts are in a second workspace as well, where no query may look. `ids` are those of the first. */
export function openPeople(people: readonly OracleContact[]): { client: Client; ids: number[] } {
  const client = openClient(":memory:", {});
  migrate(client);
  for (const workspaceId of [1, 2]) {
    insert(client, "workspaces", {
      id: workspaceId,
      name: "Shop",
      country: "IN",
      timezone: "UTC",
      api_enabled: 1,
      stop_words: "[]",
      start_words: "[]",
      created_at: 0,
      updated_at: 0,
    });
    const first = (workspaceId - 1) * 10;
    for (const { id, key, kind, choices } of FIELDS) {
      const definition = { key, label: key, kind, choices: JSON.stringify(choices), created_at: 0 };
      insert(client, "custom_fields", { id: first + id, workspace_id: workspaceId, ...definition });
    }
    TAGS.forEach((name, index) => {
      insert(client, "tags", { id: first + index + 1, workspace_id: workspaceId, name, folded: name.toLowerCase() });
    });
    for (const { id, name } of LISTS) {
      const list = { name, folded: name.toLowerCase(), member_count: 0, created_at: 0 };
      insert(client, "groups", { id: first + id, workspace_id: workspaceId, ...list });
    }
  }
  const ids = people.map((contact) => {
    insertContact(client, 2, contact);
    return insertContact(client, 1, contact);
  });
  return { client, ids };
}

function insertContact(client: Client, workspaceId: number, contact: OracleContact): number {
  const { phone, texts, birthday, anniversary, consent, created_at, updated_at, last_message_at } = contact;
  const first = (workspaceId - 1) * 10;
  const contactId = insert(client, "contacts", {
    workspace_id: workspaceId,
    phone,
    ...Object.fromEntries(TEXTS.map((name) => [name, texts[name] ?? null])),
    birthday,
    anniversary,
    consent,
    created_at,
    updated_at,
    last_message_at,
  });
  for (const tag of contact.tags)
    insert(client, "contact_tags", { contact_id: contactId, tag_id: first + TAGS.indexOf(tag) + 1 });
  for (const { id } of contact.groups) insert(client, "group_members", { group_id: first + id, contact_id: contactId });
  for (const [key, value] of Object.entries(contact.fields)) {
    const text = typeof value === "string" ? value : null;
    const fieldId = first + 1 + FIELDS.findIndex((field) => field.key === key);
    const values = { text_value: text, number_value: text === null ? Number(value) : null };
    insert(client, "contact_fields", { contact_id: contactId, field_id: fieldId, ...values });
  }
  contact.people.forEach((date, position) => {
    insert(client, "contact_people", { contact_id: contactId, position, name: "Somebody", birthday: date });
  });
  return contactId;
}

function insert(client: Client, table: string, row: Record<string, string | number | null>): number {
  const columns = Object.keys(row);
  const statement = client.prepare(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
  );
  return Number(statement.run(...Object.values(row)).lastInsertRowid);
}
