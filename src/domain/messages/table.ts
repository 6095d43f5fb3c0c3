/** Outbound messages, and statuses of messages that we do not know (yet). */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant, micros } from "#src/storage/columns.ts";
import type { TemplateCategory } from "../templates/template.ts";
import type { MessageMoney, MessageOrigin, MessageStatus } from "./message.ts";
import type { StatusReport } from "./report.ts";

export const messages = sqliteTable("messages", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  numberId: integer().notNull(),
  /** Null for a recipient whose number was none. */
  contactId: integer(),
  /** Events are for messages of the API only. */
  origin: text().$type<MessageOrigin>().notNull(),
  /** Null for a message sent alone. */
  broadcastId: integer(),
  type: text().$type<"template" | "text">().notNull(),
  /** E.164. */
  toPhone: text().notNull(),
  fromPhone: text().notNull(),
  templateName: text(),
  templateLanguage: text(),
  templateCategory: text().$type<TemplateCategory>(),
  /** What the person sees, values filled in; null for a recipient, whose broadcast has the template. */
  text: text(),
  /** A recipient's values, frozen when the broadcast was built; null where its template takes none. */
  variables: text({ mode: "json" }).$type<FrozenValues>(),
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
  /** A recipient that has to wait for its own turn, and since when the network asked for that. */
  notBefore: instant(),
  heldBackSince: instant(),
  /** Start of the last attempt. */
  handedOverAt: instant(),
  sentAt: instant(),
  deliveredAt: instant(),
  readAt: instant(),
  failedAt: instant(),
});

export type Message = typeof messages.$inferSelect;

/** Values in the order of the template's placeholders. */
export interface FrozenValues {
  header: string[];
  body: string[];
}

/** Who was sent a template in the last 24 hours; kept only for workspaces with a daily cap. */
export const reachedPeople = sqliteTable(
  "reached_people",
  { workspaceId: integer().notNull(), personId: integer().notNull(), lastAt: instant().notNull() },
  (table) => [primaryKey({ columns: [table.workspaceId, table.personId] })],
);

/** How many rows of `reachedPeople` a workspace has; kept by triggers. */
export const reachedCounts = sqliteTable("reached_counts", {
  workspaceId: integer().primaryKey(),
  people: integer().notNull(),
});

export const parkedStatuses = sqliteTable("parked_statuses", {
  id: integer().primaryKey({ autoIncrement: true }),
  numberId: integer().notNull(),
  networkMessageId: text().notNull(),
  reference: text(),
  report: text({ mode: "json" }).$type<StatusReport>().notNull(),
  expiresAt: instant().notNull(),
});

/** How many of `parkedStatuses` a number has that carry no reference of ours; kept by triggers. */
export const parkedCounts = sqliteTable("parked_counts", {
  numberId: integer().primaryKey(),
  statuses: integer().notNull(),
});
