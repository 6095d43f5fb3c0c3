/** Sending phone numbers. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "#src/db/columns.ts";

export const numbers = sqliteTable("numbers", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  /** E.164. */
  phone: text().notNull(),
  /** What customers see. */
  name: text().notNull(),
  network: text().$type<"simulator" | "whatsapp">().notNull(),
  /** Messages a second. */
  throughput: integer().notNull(),
  ready: flag().notNull(),
  unreadyReason: text(),
  /** Who says so: what a person stopped, the network does not start again. Null while ready. */
  unreadyBy: text().$type<"person" | "network">(),
  /** The network's account that owns the number and its templates. */
  accountId: text().notNull(),
  /** The network's id of the number; unique on this server. */
  phoneNumberId: text().notNull(),
  /** Sealed; see `primitives/secret.ts`. */
  accessToken: text(),
  appSecret: text(),
  /** Part of the callback address for providers that do not sign. */
  callbackToken: text().notNull(),
  createdAt: instant().notNull(),
  removedAt: instant(),
});

export type SendingNumber = typeof numbers.$inferSelect;

/** What the network says of a number, in its own words; null where it said nothing. */
export const numberStates = sqliteTable("number_states", {
  numberId: integer().primaryKey(),
  status: text(),
  verifiedName: text(),
  nameStatus: text(),
  quality: text(),
  throughputLevel: text(),
  /** Different people a day, as digits, or `unlimited`. */
  messagingLimit: text(),
  /** Why it cannot send, in words. */
  problem: text(),
  /** What should be known although it can send. */
  warning: text(),
  /** What the network announced, until it takes that back. */
  notice: text(),
  /** A stop that the network told of by itself, in words, and when it ends. */
  restriction: text(),
  restrictedUntil: instant(),
  /** The network's time of the latest news of a restriction. */
  restrictionUpdatedAt: instant().notNull(),
  checkedAt: instant(),
});

export type NumberState = typeof numberStates.$inferSelect;

/** How the last look at the numbers and templates of an account went. */
export const accountSyncs = sqliteTable(
  "account_syncs",
  {
    workspaceId: integer().notNull(),
    accountId: text().notNull(),
    succeededAt: instant(),
    failedAt: instant(),
    error: text(),
  },
  (sync) => [primaryKey({ columns: [sync.workspaceId, sync.accountId] })],
);

export type AccountSync = typeof accountSyncs.$inferSelect;
