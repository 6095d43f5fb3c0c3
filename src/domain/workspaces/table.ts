/** Tables of workspaces (customer accounts) and their API keys. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, flag, instant } from "#src/db/columns.ts";
import type { ButtonMark } from "./button-marks.ts";
import type { Scope } from "./scopes.ts";

export const workspaces = sqliteTable("workspaces", {
  id: integer().primaryKey({ autoIncrement: true }),
  name: text().notNull(),
  /** ISO 3166 code in capitals; the country of numbers without a country code. */
  country: text().notNull(),
  /** IANA name; every time in the API is expressed in it. */
  timezone: text().notNull(),
  apiEnabled: flag().notNull(),
  /** Null while the workspace may send. */
  suspendedAt: instant(),
  suspendedReason: text(),
  /** Maximum number of people to whom templates may be sent in 24 hours; null: no limit. */
  dailyCap: integer(),
  /** The workspace's own opt-out and opt-in words, in addition to the shipped ones; normalised. */
  stopWords: text({ mode: "json" }).$type<string[]>().notNull(),
  startWords: text({ mode: "json" }).$type<string[]>().notNull(),
  /** What pressing quick-reply buttons of templates means, where the workspace has said so. */
  buttonMarks: text({ mode: "json" }).$type<ButtonMark[]>().notNull().default([]),
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
  /** What the key may do; null: everything. */
  scopes: text({ mode: "json" }).$type<Scope[]>(),
  /** Null: never. */
  expiresAt: instant(),
  /** Most people whom the key may message on one day of the workspace; null: no limit. */
  dailyPeople: integer(),
  createdAt: instant().notNull(),
  /** Updated at most once a minute. */
  lastUsedAt: instant(),
  revokedAt: instant(),
});

export type ApiKey = typeof apiKeys.$inferSelect;
