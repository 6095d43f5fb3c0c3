/** Money of the workspaces that are charged. Amounts are integer millionths of the account's currency. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, micros } from "#src/db/columns.ts";

export const billingAccounts = sqliteTable("billing_accounts", {
  workspaceId: integer().primaryKey(),
  currency: text().notNull(),
  /** Price of one delivered template message. */
  rate: micros().notNull(),
  /** All that was ever paid in. */
  credited: micros().notNull(),
  /** Blocked for messages whose end is open. */
  held: micros().notNull(),
  /** Spent on delivered messages. */
  charged: micros().notNull(),
});

export type BillingAccount = typeof billingAccounts.$inferSelect;

/** Every movement, in order; the account's figures are their sums. */
export const ledgerEntries = sqliteTable("ledger_entries", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  kind: text().$type<LedgerKind>().notNull(),
  amount: micros().notNull(),
  messageId: integer(),
  /** Of a broadcast the holds are booked as sums. */
  broadcastId: integer(),
  note: text(),
  /** The caller's own id of a credit: the same one is never credited twice. */
  ref: text(),
  createdAt: instant().notNull(),
});

export type LedgerKind = "credit" | "hold" | "release" | "charge";
