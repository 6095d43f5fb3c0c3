/** API keys: only their hash is kept. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { bytes, instant } from "#src/storage/columns.ts";

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
