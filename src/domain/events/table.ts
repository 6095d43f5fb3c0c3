/** What happened, as customers are told it. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant } from "#src/storage/columns.ts";

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
