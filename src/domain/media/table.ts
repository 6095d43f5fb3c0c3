/** Media that people sent, and the files that hold their bytes: the files themselves are on disk, named by their hash. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "#src/db/columns.ts";
import type { FailureReason, MediaState } from "./media.ts";

export const media = sqliteTable("media", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  numberId: integer().notNull(),
  inboundId: integer().notNull(),
  /** Empty once erased. */
  networkMediaId: text().notNull(),
  /** As the network states it. */
  mimeType: text(),
  sha256: text(),
  filename: text(),
  state: text().$type<MediaState>().notNull(),
  reason: text().$type<FailureReason>(),
  /** Set before the file gets its name, so that whatever is on disk is known here; null if there is none. */
  fileId: integer(),
  attemptCount: integer().notNull().default(0),
  /** Since when there was no room for it. */
  waitingSince: instant(),
  /** The event that told of its result. */
  eventSeq: integer(),
  /** Of a phone's history: no event tells of it. */
  isSilent: flag().notNull().default(false),
  createdAt: instant().notNull(),
});

export type Media = typeof media.$inferSelect;

export const mediaFiles = sqliteTable("media_files", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  /** SHA-256, hexadecimal. */
  hash: text().notNull(),
  bytes: integer().notNull(),
  /** Read from the bytes. */
  contentType: text().notNull(),
  /** How many media have this file; at 0 it is removed. */
  refs: integer().notNull(),
  createdAt: instant().notNull(),
});

export type MediaFile = typeof mediaFiles.$inferSelect;

/** The bytes of a workspace's files; triggers on `media_files` keep the rows. */
export const mediaUsage = sqliteTable("media_usage", {
  workspaceId: integer().primaryKey(),
  bytes: integer().notNull(),
});
