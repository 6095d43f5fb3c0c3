/** Sending phone numbers. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant } from "#src/storage/columns.ts";

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
