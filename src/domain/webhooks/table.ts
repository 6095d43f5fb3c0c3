/** Tables of webhook addresses, events, deliveries and attempts. */
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/db/columns.ts";
import type { DeliveryStatus } from "./delivery.ts";
import type { EventType } from "./event-types.ts";

/** The first address of each workspace, which the specification knows. */
export const webhooks = sqliteTable("webhooks", {
  workspaceId: integer().primaryKey(),
  /** Null: events are recorded but not delivered. */
  url: text(),
  /** The types that the address asked for; null: `defaultTypes`. */
  types: text({ mode: "json" }).$type<EventType[]>(),
  /** Sealed. Kept when the address is cleared. */
  secret: text().notNull(),
  consecutiveTimeouts: integer().notNull(),
  updatedAt: instant().notNull(),
  /** A second address that gets every event as well; `waxwing dev --forward` sets it. */
  forwardUrl: text(),
  /** Sealed. The secret before this one; it signs too until `previousUntil`. */
  previousSecret: text(),
  previousUntil: instant(),
  /** Null: active. */
  disabledAt: instant(),
  /** The key that added it; null: a person. */
  keyId: integer(),
  /** How long what one person writes is gathered into one event; null: each is sent alone. */
  groupBurstsMs: integer(),
});

/** The addresses beside the first one. */
export const furtherWebhooks = sqliteTable("further_webhooks", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  url: text().notNull(),
  types: text({ mode: "json" }).$type<EventType[]>(),
  secret: text().notNull(),
  previousSecret: text(),
  previousUntil: instant(),
  consecutiveTimeouts: integer().notNull(),
  disabledAt: instant(),
  keyId: integer(),
  createdAt: instant().notNull(),
  updatedAt: instant().notNull(),
  groupBurstsMs: integer(),
});

/** The id of the first address of every workspace; further ones have higher ids. */
export const FIRST_WEBHOOK = 1;

export type FurtherWebhook = typeof furtherWebhooks.$inferSelect;
export type FirstWebhook = typeof webhooks.$inferSelect & { id: typeof FIRST_WEBHOOK };
export type Webhook = FirstWebhook | FurtherWebhook;

export const deliveries = sqliteTable("deliveries", {
  id: integer().primaryKey({ autoIncrement: true }),
  eventSeq: integer().notNull(),
  workspaceId: integer().notNull(),
  status: text().$type<DeliveryStatus>().notNull(),
  attemptCount: integer().notNull(),
  /** Retry delays count from here; a replay clears it. */
  firstAttemptAt: instant(),
  nextAttemptAt: instant(),
  createdAt: instant().notNull(),
  finishedAt: instant(),
  /** To the second address of the workspace. */
  isForwarded: integer({ mode: "boolean" }).notNull(),
  /** The further address that it is for; null: the first. */
  webhookId: integer(),
});

export type Delivery = typeof deliveries.$inferSelect;

/** For each person, number and address: the delivery that what the person writes next joins. */
export const bursts = sqliteTable("bursts", {
  id: integer().primaryKey(),
  workspaceId: integer().notNull(),
  contactId: integer().notNull(),
  numberId: integer().notNull(),
  /** Of the address. */
  queueKey: integer().notNull(),
  deliveryId: integer().notNull(),
  until: instant().notNull(),
});

/** The events that a delivery carries together, its own the first. */
export const burstEvents = sqliteTable(
  "burst_events",
  { deliveryId: integer().notNull(), eventSeq: integer().notNull() },
  (table) => [primaryKey({ columns: [table.deliveryId, table.eventSeq] })],
);

export const deliveryAttempts = sqliteTable(
  "delivery_attempts",
  {
    deliveryId: integer().notNull(),
    /** Counts the attempts of the delivery, also across replays. */
    id: integer().notNull(),
    url: text().notNull(),
    attemptedAt: instant().notNull(),
    durationMs: integer().notNull(),
    /** Status code of the receiver's response; null if there was none. */
    statusCode: integer(),
    /** Why there was no response, in words. */
    error: text(),
    /** The beginning of the response body. */
    response: text(),
  },
  (table) => [primaryKey({ columns: [table.deliveryId, table.id] })],
);

export type DeliveryAttempt = typeof deliveryAttempts.$inferSelect;

export const events = sqliteTable("events", {
  seq: integer().primaryKey({ autoIncrement: true }),
  /** `evt_…`: the same in every attempt; sorts by age. */
  id: text().notNull(),
  workspaceId: integer().notNull(),
  type: text().$type<EventType>().notNull(),
  /** The complete body, fixed when the event is recorded: every attempt sends these bytes. */
  body: text().notNull(),
  createdAt: instant().notNull(),
});

export type EventRow = typeof events.$inferSelect;
