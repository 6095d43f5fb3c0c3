/**
 * Media that people sent, uploads of programs, and the files that hold their bytes: the files themselves are on disk, named
 * by their hash.
 */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
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
  /** How many media and uploads have this file; at 0 it is removed. */
  refs: integer().notNull(),
  /** How many of them are uploads. */
  uploadRefs: integer().notNull().default(0),
  createdAt: instant().notNull(),
});

export type MediaFile = typeof mediaFiles.$inferSelect;

/** The bytes of a workspace's files; triggers on `media_files` keep the rows. */
export const mediaUsage = sqliteTable("media_usage", {
  workspaceId: integer().primaryKey(),
  bytes: integer().notNull(),
  /** Those of files that an upload has. */
  uploadBytes: integer().notNull().default(0),
});

/** Files that a program uploads to send them. */
export const uploads = sqliteTable("uploads", {
  /** From a billion on, so that no received medium has it. */
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  fileId: integer().notNull(),
  /** Read from the bytes. */
  mimeType: text().notNull(),
  filename: text(),
  /** `pending` until the file has its name on disk: a start removes those that stayed so. */
  state: text().$type<"pending" | "stored">().notNull(),
  /** A broadcast to more than one person has sent it. */
  isShared: flag().notNull().default(false),
  createdAt: instant().notNull(),
  /** When it was last uploaded or sent. */
  usedAt: instant().notNull(),
});

export type Upload = typeof uploads.$inferSelect;

/** The network's id of an upload: it belongs to one number, and expires. */
export const networkUploads = sqliteTable(
  "network_uploads",
  {
    uploadId: integer().notNull(),
    numberId: integer().notNull(),
    networkMediaId: text().notNull(),
    expiresAt: instant().notNull(),
  },
  ({ uploadId, numberId }) => [primaryKey({ columns: [uploadId, numberId] })],
);

export type NetworkUpload = typeof networkUploads.$inferSelect;

/** To whom an upload was sent in single messages. */
export const uploadPeople = sqliteTable(
  "upload_people",
  { uploadId: integer().notNull(), contactId: integer().notNull() },
  ({ uploadId, contactId }) => [primaryKey({ columns: [uploadId, contactId] })],
);

/** The bytes that a key has uploaded on a day of its workspace. */
export const uploadDays = sqliteTable(
  "upload_days",
  { keyId: integer().notNull(), beganAt: instant().notNull(), bytes: integer().notNull() },
  ({ keyId, beganAt }) => [primaryKey({ columns: [keyId, beganAt] })],
);

/** The bytes that a user of the console has uploaded on a day of the workspace. */
export const userUploadDays = sqliteTable(
  "user_upload_days",
  {
    userId: integer().notNull(),
    workspaceId: integer().notNull(),
    beganAt: instant().notNull(),
    bytes: integer().notNull(),
  },
  ({ userId, workspaceId, beganAt }) => [primaryKey({ columns: [userId, workspaceId, beganAt] })],
);
