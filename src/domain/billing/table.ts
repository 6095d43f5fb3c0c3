/** Billing accounts and ledgers of charged workspaces. Amounts are integer millionths of the account's currency. */
import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { instant, micros } from "#src/db/columns.ts";

export const billingAccounts = sqliteTable("billing_accounts", {
  workspaceId: integer().primaryKey(),
  currency: text().notNull(),
  /** Price of one delivered template message. */
  rate: micros().notNull(),
  /** Total of all credits. */
  credited: micros().notNull(),
  /** Held for messages without a final outcome. */
  held: micros().notNull(),
  /** Spent on delivered messages. */
  charged: micros().notNull(),
});

export type BillingAccount = typeof billingAccounts.$inferSelect;

/** Every movement, in order; the amounts of the account are their sums. */
export const ledgerEntries = sqliteTable("ledger_entries", {
  id: integer().primaryKey({ autoIncrement: true }),
  workspaceId: integer().notNull(),
  kind: text().$type<LedgerKind>().notNull(),
  amount: micros().notNull(),
  messageId: integer(),
  /** The ledger books the holds of a broadcast as sums. */
  broadcastId: integer(),
  note: text(),
  /** The caller's own id of a credit: each `ref` credits only once. */
  ref: text(),
  createdAt: instant().notNull(),
});

export type LedgerKind = "credit" | "hold" | "release" | "charge";
