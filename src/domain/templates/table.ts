/** Message templates: each is a name and a language in a network's account. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/db/columns.ts";
import type { SubmittedRequest, TemplateComponent } from "./component.ts";
import type { ParameterFormat, ParameterOrder, TemplateCategory, TemplateStatus } from "./template.ts";

export interface CategoryChange {
  from: TemplateCategory;
  to: TemplateCategory;
  /** False: it is announced. */
  isMade: boolean;
}

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
  /** Null: named placeholders have the order of the text, which has not changed since it was approved. */
  parameterOrder: text({ mode: "json" }).$type<ParameterOrder>(),
  wasApproved: integer({ mode: "boolean" }).notNull(),
  /** A sample file, sent when the caller gives none. */
  sampleLink: text(),
  /** The network's own status, its reason, and when it decided. */
  networkStatus: text(),
  statusReason: text(),
  statusAt: instant().notNull().default(0),
  quality: text(),
  /** The last change of the category that the network announced or made, and when it takes or took effect. */
  categoryChange: text({ mode: "json" }).$type<CategoryChange>(),
  categoryChangeAt: instant(),
  /** The network's id; null: not known yet. */
  networkId: text(),
  /** The network made it of messages with a category, and takes neither corrections nor deletions of it. */
  generated: integer({ mode: "boolean" }).notNull().default(false),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
});

export type Template = typeof templates.$inferSelect;

/** What was given to the network about a template; see `submission.ts`. */
export const templateSubmissions = sqliteTable("template_submissions", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  accountId: text().notNull(),
  name: text().notNull(),
  /** Null: all languages, of a deletion. */
  language: text(),
  action: text().$type<"create" | "correct" | "delete">().notNull(),
  /** As it leaves; null of a deletion. */
  request: text({ mode: "json" }).$type<SubmittedRequest>(),
  /** Of a correction: the template before it. */
  before: text({ mode: "json" }).$type<{ status: TemplateStatus; components: TemplateComponent[] }>(),
  /** `open`: the network may have it. */
  state: text().$type<"open" | "accepted" | "refused" | "absent">().notNull(),
  createdAt: instant().notNull(),
});

export type Submission = typeof templateSubmissions.$inferSelect;

/** Templates that are being written in the console; see `drafts.ts`. */
export const templateDrafts = sqliteTable("template_drafts", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  userId: integer().notNull(),
  /** The body of `POST /templates`, as far as it is filled in. */
  content: text({ mode: "json" }).$type<Readonly<Record<string, unknown>>>().notNull(),
  /** Id of the template that the draft corrects; null: it becomes a new one. */
  corrects: integer(),
  /** Id of the template that the draft became; null while it was not sent. */
  templateId: integer(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
});

export type TemplateDraft = typeof templateDrafts.$inferSelect;

/** Sample files uploaded to the network: an upload's id belongs to one number, and expires. */
export const sampleUploads = sqliteTable(
  "sample_uploads",
  {
    numberId: integer().notNull(),
    link: text().notNull(),
    /** Null: the network has no valid upload. `error` says why the latest attempt failed, if it did. */
    mediaId: text(),
    expiresAt: instant().notNull(),
    error: text(),
    attemptedAt: instant().notNull(),
  },
  (upload) => [primaryKey({ columns: [upload.numberId, upload.link] })],
);

export type SampleUpload = typeof sampleUploads.$inferSelect;
