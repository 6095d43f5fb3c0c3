/** Broadcasts: what was asked for, and where it stands. What it has come to is in `figures`, who it goes to in `messages`. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "#src/db/columns.ts";
import type { ParameterFormat, TemplateCategory, TemplateComponent } from "../templates/template.ts";
import type { BroadcastStatus, PauseCause } from "./broadcast.ts";
import type { BroadcastVariables } from "./values.ts";

export const broadcasts = sqliteTable("broadcasts", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  numberId: integer().notNull(),
  name: text().notNull(),
  status: text().$type<BroadcastStatus>().notNull(),
  statusReason: text(),
  /** Null unless it is paused. */
  pauseCause: text().$type<PauseCause>(),
  templateName: text().notNull(),
  templateLanguage: text().notNull(),
  /** The template as it was confirmed. */
  templateCategory: text().$type<TemplateCategory>().notNull(),
  templateFormat: text().$type<ParameterFormat>().notNull(),
  templateComponents: text({ mode: "json" }).$type<TemplateComponent[]>().notNull(),
  /** The network called it paused or unapproved then, whatever our copy said: only what is learned later counts. */
  templateRefusedAt: instant(),
  variables: text({ mode: "json" }).$type<BroadcastVariables>().notNull(),
  /** Erased when it is finished. */
  mediaLink: text(),
  mediaFilename: text(),
  fromPhone: text().notNull(),
  /** Null: addressed by a list of numbers. */
  groupId: integer(),
  /** The day that birthdays are taken from, both ends; null for every other broadcast. */
  dayStartsAt: instant(),
  dayEndsAt: instant(),
  /** How many numbers `to` held. */
  requested: integer().notNull(),
  sendAt: instant(),
  /** Since when it could have gone on: what lateness is measured by. */
  dueSince: instant().notNull(),
  /** It waits for the end of the strange hours. */
  waitsUntil: instant(),
  isBuilt: flag().notNull(),
  /** The last contact of the group (or recipient of the list) that was built. */
  builtAfterId: integer().notNull(),
  /** Resumed after a restore that left a gap: whoever is not sent yet may have been, and becomes failed. */
  isFailingUnsent: flag().notNull(),
  isUnsentSkipped: flag().notNull(),
  createdAt: instant().notNull(),
  startedAt: instant(),
  completedAt: instant(),
  /** When its recipients were thrown away. */
  purgedAt: instant(),
});

export type Broadcast = typeof broadcasts.$inferSelect;

/** The body of `POST /broadcasts`, as far as it is known. */
export type DraftContent = Readonly<Record<string, unknown>>;

export const drafts = sqliteTable("broadcast_drafts", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  userId: integer().notNull(),
  content: text({ mode: "json" }).$type<DraftContent>().notNull(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
  /** What it became; null: it was not sent. */
  broadcastId: integer(),
});

export type Draft = typeof drafts.$inferSelect;
