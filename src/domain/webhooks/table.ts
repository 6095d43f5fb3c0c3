/** Where events go, and every try to bring them there. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/db/columns.ts";
import type { DeliveryStatus } from "./delivery.ts";

export const webhooks = sqliteTable("webhooks", {
  workspaceId: integer().primaryKey(),
  /** Null: events are recorded, nothing is attempted. */
  url: text(),
  /** Sealed. It outlives a cleared address. */
  secret: text().notNull(),
  consecutiveTimeouts: integer().notNull(),
  updatedAt: instant().notNull(),
});

export type Webhook = typeof webhooks.$inferSelect;

export const deliveries = sqliteTable("deliveries", {
  id: integer().primaryKey({ autoIncrement: true }),
  eventSeq: integer().notNull(),
  workspaceId: integer().notNull(),
  status: text().$type<DeliveryStatus>().notNull(),
  attemptCount: integer().notNull(),
  /** The retry times count from here; a replay starts them anew. */
  firstAttemptAt: instant(),
  nextAttemptAt: instant(),
  createdAt: instant().notNull(),
  finishedAt: instant(),
});

export type Delivery = typeof deliveries.$inferSelect;

export const deliveryAttempts = sqliteTable("delivery_attempts", {
  id: integer().primaryKey({ autoIncrement: true }),
  deliveryId: integer().notNull(),
  url: text().notNull(),
  attemptedAt: instant().notNull(),
  durationMs: integer().notNull(),
  /** The receiver's answer; null where there was none. */
  statusCode: integer(),
  /** Why there was none, in words. */
  error: text(),
  /** The beginning of the answer's body. */
  response: text(),
});

export type DeliveryAttempt = typeof deliveryAttempts.$inferSelect;

export const events = sqliteTable("events", {
  seq: integer().primaryKey({ autoIncrement: true }),
  /** `evt_…`: the same in every attempt, sortable by age. */
  id: text().notNull(),
  workspaceId: integer().notNull(),
  type: text().$type<EventType>().notNull(),
  /** The whole body, fixed when the event is recorded: every attempt sends these bytes. */
  body: text().notNull(),
  createdAt: instant().notNull(),
});

export const eventTypes = [
  "message.sent",
  "message.delivered",
  "message.read",
  "message.failed",
  "message.received",
  "contact.opted_out",
  "contact.opted_in",
  "broadcast.finished",
  "template.approved",
  "template.rejected",
  "webhook.test",
] as const;

export type EventType = (typeof eventTypes)[number];
export type EventRow = typeof events.$inferSelect;
