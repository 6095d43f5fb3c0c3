/** Tables of workspaces (customer accounts), their API keys, and the log of requests with these. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, flag, instant, micros } from "#src/db/columns.ts";
import type { ButtonMark } from "./button-marks.ts";
import type { Scope } from "./scopes.ts";
import { type SettingKindOf, type SettingName, settingNames, settings } from "./workspace.ts";

const columnOf = {
  text: () => text().notNull(),
  paragraph: () => text().notNull(),
  choice: () => text().notNull(),
  count: () => integer(),
  words: () => text({ mode: "json" }).$type<string[]>().notNull(),
};
const settingColumns = Object.fromEntries(settingNames.map((name) => [name, columnOf[settings[name].kind]()])) as {
  [Name in SettingName]: ReturnType<(typeof columnOf)[SettingKindOf<Name>]>;
};

export const workspaces = sqliteTable("workspaces", {
  id: integer().primaryKey({ autoIncrement: true }),
  ...settingColumns,
  apiEnabled: flag().notNull(),
  /** Null while the workspace may send. */
  suspendedAt: instant(),
  suspendedReason: text(),
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
  /** What the key may do. */
  scopes: text({ mode: "json" }).$type<Scope[]>().notNull(),
  /** The key was made by 0.1, and opens that version's endpoints alone. */
  isOfFirstVersion: flag().notNull().default(false),
  /** Null: never. */
  expiresAt: instant(),
  /** Most people whom the key may message on one day of the workspace; null: no limit. */
  dailyPeople: integer(),
  /** The group whose contacts alone the key may message; null: anybody. Not a foreign key: a removed group has no contact. */
  groupId: integer(),
  /** The most that the key's messages may cost on one day of the workspace; null: no limit. */
  dailyMoney: micros(),
  /** Its messages do not count as answers. */
  isAutomation: flag().notNull().default(false),
  /** An AI writes its messages. */
  isAi: flag().notNull().default(false),
  createdAt: instant().notNull(),
  /** Updated at most once a minute. */
  lastUsedAt: instant(),
  revokedAt: instant(),
});

export type ApiKey = typeof apiKeys.$inferSelect;

/** The log of requests with API keys. Ids ascend with the time of writing. */
export const keyRequests = sqliteTable("key_requests", {
  id: integer().primaryKey(),
  workspaceId: integer().notNull(),
  keyId: integer().notNull(),
  /** When the request began. */
  at: instant().notNull(),
  method: text().notNull(),
  /** Without the query; what may name a person is a placeholder. */
  path: text().notNull(),
  status: integer().notNull(),
  /** Until the response began. */
  durationMs: integer().notNull(),
});

export type KeyRequest = typeof keyRequests.$inferSelect;

export const keyRequestDays = sqliteTable(
  "key_request_days",
  {
    workspaceId: integer().notNull(),
    /** The first instant of the day (UTC). */
    day: instant().notNull(),
    listed: integer().notNull(),
    /** Those for which the log had no room. */
    unlisted: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.day] })],
);

/** The runs of the server that wrote the log. */
export const keyRequestRuns = sqliteTable("key_request_runs", {
  beganAt: instant().primaryKey(),
  /** When it last wrote. */
  writtenAt: instant().notNull(),
  /** Null: it runs, or it ended without a clean stop. */
  endedAt: instant(),
});
