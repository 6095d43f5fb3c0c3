/** Outbound messages, and statuses of messages that we do not know (yet). */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant, micros } from "#src/storage/columns.ts";
import type { TemplateCategory } from "../templates/template.ts";
import type { MessageMoney, MessageOrigin, MessageStatus } from "./message.ts";
import type { StatusReport } from "./report.ts";

export const messages = sqliteTable("messages", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  numberId: integer().notNull(),
  contactId: integer().notNull(),
  /** Events are for messages of the API only. */
  origin: text().$type<MessageOrigin>().notNull(),
  type: text().$type<"template" | "text">().notNull(),
  /** E.164. */
  toPhone: text().notNull(),
  fromPhone: text().notNull(),
  templateName: text(),
  templateLanguage: text(),
  templateCategory: text().$type<TemplateCategory>(),
  /** What the person sees, values filled in. */
  text: text().notNull(),
  status: text().$type<MessageStatus>().notNull(),
  /** Handed over, and nobody knows what became of it: a status with its reference may still move it on. */
  outcomeUnknown: flag().notNull(),
  /** Given to the network, which echoes it on statuses. */
  reference: text().notNull(),
  networkMessageId: text(),
  errorCode: text(),
  errorMessage: text(),
  /** Whether it costs something once it is delivered. */
  charged: flag().notNull(),
  /** The price, frozen when it was held; 0 when not charged. */
  rate: micros().notNull(),
  money: text().$type<MessageMoney>().notNull(),
  createdAt: instant().notNull(),
  /** Start of the last attempt. */
  handedOverAt: instant(),
  sentAt: instant(),
  deliveredAt: instant(),
  readAt: instant(),
  failedAt: instant(),
});

export type Message = typeof messages.$inferSelect;

export const parkedStatuses = sqliteTable("parked_statuses", {
  id: integer().primaryKey({ autoIncrement: true }),
  numberId: integer().notNull(),
  networkMessageId: text().notNull(),
  reference: text(),
  report: text({ mode: "json" }).$type<StatusReport>().notNull(),
  expiresAt: instant().notNull(),
});
