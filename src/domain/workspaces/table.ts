/** Customer accounts. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, flag, instant } from "#src/db/columns.ts";

export const workspaces = sqliteTable("workspaces", {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  /** ISO 3166 code in capitals; numbers without a country code are read in it. */
  country: text().notNull(),
  /** IANA name; every time that leaves the API is expressed in it. */
  timezone: text().notNull(),
  apiEnabled: flag().notNull(),
  /** Null while the workspace may send. */
  suspendedAt: instant(),
  suspendedReason: text(),
  /** Most different people who may be sent a template in 24 hours; null: no limit. */
  dailyCap: integer(),
  /** Words that opt out and in, beside the shipped ones; lower case. */
  stopWords: text({ mode: "json" }).$type<string[]>().notNull(),
  startWords: text({ mode: "json" }).$type<string[]>().notNull(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
});

export type Workspace = typeof workspaces.$inferSelect;

export const apiKeys = sqliteTable("api_keys", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  name: text().notNull(),
  /** The first characters of the key, so that a person can tell keys apart. */
  prefix: text().notNull(),
  /** SHA-256 of the whole key: it is random, so a plain hash cannot be guessed. */
  hash: bytes().notNull(),
  createdAt: instant().notNull(),
  /** Written at most once a minute. */
  lastUsedAt: instant(),
  revokedAt: instant(),
});

export type ApiKey = typeof apiKeys.$inferSelect;
