/** Custom fields of a workspace's contacts, and their values. */
import { customType, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/storage/columns.ts";
import type { FieldKind } from "./field.ts";

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
