/** Message templates, each a name in a language in the account of a network. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/db/columns.ts";
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
  /** The network's own word for the status, why it decided so, and when. */
  networkStatus: text(),
  statusReason: text(),
  statusAt: instant().notNull().default(0),
  quality: text(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
});

export type Template = typeof templates.$inferSelect;

/** Stored samples at the network: its ids belong to one number, and expire. */
export const sampleUploads = sqliteTable(
  "sample_uploads",
  {
    numberId: integer().notNull(),
    link: text().notNull(),
    /** Null: the last upload failed, `error` says why. */
    mediaId: text(),
    expiresAt: instant().notNull(),
    error: text(),
    attemptedAt: instant().notNull(),
  },
  (upload) => [primaryKey({ columns: [upload.numberId, upload.link] })],
);

export type SampleUpload = typeof sampleUploads.$inferSelect;
