/** What people wrote, each exactly once. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/storage/columns.ts";

export const inbounds = sqliteTable("inbounds", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  numberId: integer().notNull(),
  contactId: integer().notNull(),
  /** The network's id: the same one twice is one inbound. */
  networkMessageId: text().notNull(),
  /** The network's word for its kind. */
  type: text().notNull(),
  text: text(),
  /** The network's time. */
  receivedAt: instant().notNull(),
  createdAt: instant().notNull(),
});

export type Inbound = typeof inbounds.$inferSelect;

/** Everybody who wrote, with what nobody has looked at yet; the rows are kept by a trigger on `inbounds`. */
export const conversations = sqliteTable("conversations", {
  contactId: integer().primaryKey(),
  workspaceId: integer().notNull(),
  lastInboundId: integer().notNull(),
  /** When they last wrote, by the network's time. */
  wroteAt: instant().notNull(),
  /** How many inbounds came since somebody looked. */
  unread: integer().notNull(),
});

export type Conversation = typeof conversations.$inferSelect;
