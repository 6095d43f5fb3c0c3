/** Message templates, each a name in a language in the account of a network. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/storage/columns.ts";
import type { ParameterFormat, TemplateCategory, TemplateComponent, TemplateStatus } from "./template.ts";

export const templates = sqliteTable("templates", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  accountId: text().notNull(),
  name: text().notNull(),
  language: text().notNull(),
  category: text().$type<TemplateCategory>().notNull(),
  status: text().$type<TemplateStatus>().notNull(),
  components: text({ mode: "json" }).$type<TemplateComponent[]>().notNull(),
  parameterFormat: text().$type<ParameterFormat>().notNull(),
  /** A file to send when the caller gives none. */
  sampleLink: text(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
});

export type Template = typeof templates.$inferSelect;
