/** What a broadcast has come to. A row of its own, for it is written with every message while the broadcast itself rests. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { flag, instant, micros } from "#src/storage/columns.ts";
import type { Failure } from "./streak.ts";

export const broadcastFigures = sqliteTable("broadcast_figures", {
  broadcastId: integer().primaryKey(),
  workspaceId: integer().notNull(),
  /** Recipients that are pending or queued. */
  toGo: integer().notNull(),
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
  answerRow: integer().notNull(),
  statusCode: text(),
  statusRow: integer().notNull(),
  /** How many messages in a row failed on the network's side, and what it said last, by answer and by status. */
  answerStreak: integer().notNull(),
  answerWords: text(),
  statusStreak: integer().notNull(),
  statusWords: text(),
  /** A refusal of the template, the number or the account that came by status, until the broadcast obeys it. */
  reportedRefusal: text({ mode: "json" }).$type<Failure>(),
  /** When it last went on after a pause: a status of a message that left before says nothing about now. */
  resumedAt: instant(),
});

export type BroadcastFigures = typeof broadcastFigures.$inferSelect;
