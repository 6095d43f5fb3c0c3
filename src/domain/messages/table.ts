/** Outbound messages, and statuses of messages that we do not know (yet). */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant, micros } from "#src/db/columns.ts";
import type { TemplateCategory } from "../templates/template.ts";
import type { MessageMoney, MessageOrigin, MessageStatus } from "./message.ts";
import type { ProviderRequestOutcome } from "./outcome.ts";
import type { StatusItem } from "./status-item.ts";
import type { Failure } from "./streak.ts";

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
  sendToken: text().notNull(),
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
  throttledSince: instant(),
  /** Start of the last attempt. */
  dispatchedAt: instant(),
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
export const recentRecipients = sqliteTable(
  "recent_recipients",
  { workspaceId: integer().notNull(), identityId: integer().notNull(), lastAt: instant().notNull() },
  (table) => [primaryKey({ columns: [table.workspaceId, table.identityId] })],
);

/** How many rows of `reachedPeople` a workspace has; kept by triggers. */
export const recentRecipientCounts = sqliteTable("recent_recipient_counts", {
  workspaceId: integer().primaryKey(),
  count: integer().notNull(),
});

export const parkedStatuses = sqliteTable("parked_statuses", {
  id: integer().primaryKey({ autoIncrement: true }),
  numberId: integer().notNull(),
  networkMessageId: text().notNull(),
  sendToken: text(),
  item: text({ mode: "json" }).$type<StatusItem>().notNull(),
  expiresAt: instant().notNull(),
});

/** How many of `parkedStatuses` a number has that carry no reference of ours; kept by triggers. */
export const parkedStatusCounts = sqliteTable("parked_status_counts", {
  numberId: integer().primaryKey(),
  count: integer().notNull(),
});

export const providerRequests = sqliteTable("provider_requests", {
  id: integer().primaryKey({ autoIncrement: true }),
  /** The reference that the network was given: it outlives a message that was withdrawn. */
  sendToken: text().notNull(),
  outcome: text().$type<ProviderRequestOutcome>().notNull(),
  code: text(),
  /** In words. */
  reason: text().notNull(),
  httpStatus: integer(),
  answer: text(),
  requestedAt: instant().notNull(),
  durationMs: integer().notNull(),
});

export type ProviderRequest = typeof providerRequests.$inferSelect;

export const broadcastCounters = sqliteTable("broadcast_counters", {
  broadcastId: integer().primaryKey(),
  workspaceId: integer().notNull(),
  /** Recipients that are pending or queued. */
  pending: integer().notNull(),
  sending: integer().notNull(),
  /** A funnel: `sent` holds the delivered, `delivered` the read. */
  sent: integer().notNull(),
  delivered: integer().notNull(),
  read: integer().notNull(),
  failed: integer().notNull(),
  skipped: integer().notNull(),
  /** Whether the workspace was charged when the broadcast was made, and the price of one message. */
  isCharged: flag().notNull(),
  rate: micros().notNull(),
  /** Whether exactly the cost of everybody whose end is open is blocked; before, a part of it may be. */
  isHeld: flag().notNull(),
  held: micros().notNull(),
  /** All that was ever blocked, as the ledger has it. */
  booked: micros().notNull(),
  charged: micros().notNull(),
  isFinished: flag().notNull(),
  settledAt: instant(),
  /** When the last recipient was handed over. */
  lastSentAt: instant(),
  /** How many people in a row the network refused with the same code, by answer and by status. */
  answerCode: text(),
  answerRepeats: integer().notNull(),
  statusCode: text(),
  statusRepeats: integer().notNull(),
  /** How many messages in a row failed on the network's side, and what it said last, by answer and by status. */
  answerFailures: integer().notNull(),
  answerFailureMessage: text(),
  statusFailures: integer().notNull(),
  statusFailureMessage: text(),
  /** A refusal of the template, the number or the account that came by status, until the broadcast obeys it. */
  reportedRefusal: text({ mode: "json" }).$type<Failure>(),
  /** When it last went on after a pause: a status of a message that left before says nothing about now. */
  resumedAt: instant(),
});

export type BroadcastCounters = typeof broadcastCounters.$inferSelect;
