/** Broadcasts: what was requested, and their state. Results are in `broadcastCounters`, recipients in `messages`. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "#src/db/columns.ts";
import type { NamedUpload } from "../media/send-upload.ts";
import type { TemplateParts } from "../messages/template-parts.ts";
import type { TemplateComponent } from "../templates/component.ts";
import type { ParameterFormat, ParameterOrder, TemplateCategory } from "../templates/template.ts";
import type { BroadcastStatus, PauseCause } from "./broadcast.ts";
import type { BroadcastVariables } from "./values.ts";

export interface BroadcastParts extends TemplateParts {
  /** The upload at the top. Absent: none. */
  upload?: NamedUpload;
}

export const broadcasts = sqliteTable("broadcasts", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  numberId: integer().notNull(),
  name: text().notNull(),
  status: text().$type<BroadcastStatus>().notNull(),
  statusReason: text(),
  /** Null unless it is paused. */
  pauseCause: text().$type<PauseCause>(),
  /** When a pause that time alone mends ends. */
  resumeAt: instant(),
  /** When it was paused for the network in the last day. The third time waits for a person. */
  networkPauses: text({ mode: "json" }).$type<number[]>().notNull().default([]),
  templateName: text().notNull(),
  templateLanguage: text().notNull(),
  /** The template as it was confirmed. */
  templateCategory: text().$type<TemplateCategory>().notNull(),
  templateFormat: text().$type<ParameterFormat>().notNull(),
  templateComponents: text({ mode: "json" }).$type<TemplateComponent[]>().notNull(),
  templateOrder: text({ mode: "json" }).$type<ParameterOrder>(),
  /**
   * The network refused the template at this time, whatever the stored template says: only a later update of it counts.
   */
  variables: text({ mode: "json" }).$type<BroadcastVariables>().notNull(),
  /** Cleared when the broadcast finishes. */
  mediaLink: text(),
  mediaFilename: text(),
  /** What the template gets beside values and a linked file; with links, so it is cleared with them. Null: nothing. */
  parts: text({ mode: "json" }).$type<BroadcastParts>(),
  fromPhone: text().notNull(),
  /** Null for a broadcast to a list of numbers. */
  groupId: integer(),
  /** Start and end of the day whose birthdays are addressed; null for every other broadcast. */
  dayStartsAt: instant(),
  dayEndsAt: instant(),
  /** How many numbers `to` contained. */
  requested: integer().notNull(),
  /**
   * To a group, with an API key that has a daily budget: the key, the day that the people count for (`YYYY-MM-DD`), and
   * how many are still reserved.
   */
  budgetKeyId: integer(),
  budgetDay: text(),
  budgetReserved: integer().notNull().default(0),
  sendAt: instant(),
  /** Since when the broadcast could have continued; lateness is measured from here. */
  dueSince: instant().notNull(),
  /** The end of what the broadcast waits for: quiet hours, or room under the network's limit. */
  waitsUntil: instant(),
  waitsFor: text().$type<"quiet_hours" | "network_limit">(),
  isBuilt: flag().notNull(),
  /** The last contact of the group (or recipient of the list) that was built. */
  builtAfterId: integer().notNull(),
  /** Resumed after a restore with a gap: unsent recipients may have been sent to, so they fail. */
  isFailingUnsent: flag().notNull(),
  isUnsentSkipped: flag().notNull(),
  /** It repeats this broadcast, the first of its family, for those who failed. Null: it repeats none. */
  againOf: integer(),
  /** Those of the family whose outcome is unknown are sent to again too. */
  isAgainUnknown: flag().notNull().default(false),
  createdAt: instant().notNull(),
  startedAt: instant(),
  completedAt: instant(),
  /** When its recipients were deleted. */
  purgedAt: instant(),
});

export type Broadcast = typeof broadcasts.$inferSelect;

/** The body of `POST /broadcasts`, possibly incomplete. */
export type DraftContent = Readonly<Record<string, unknown>>;

export const drafts = sqliteTable("broadcast_drafts", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  userId: integer().notNull(),
  content: text({ mode: "json" }).$type<DraftContent>().notNull(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
  /** The broadcast that the draft became; null if it was not sent. */
  broadcastId: integer(),
  /** The broadcast that it changes when it is sent; null: it becomes a new one. */
  changesId: integer(),
  /** As in the broadcast that it becomes. */
  againOf: integer(),
  isAgainUnknown: flag().notNull().default(false),
});

export type Draft = typeof drafts.$inferSelect;
