/**
 * Money of one message: held when it is stored, then charged or released. The message's own row says where its money
 * stands and its guarded moves keep each step from happening twice; this file moves the account's figures and writes
 * the ledger. A broadcast moves the account with each recipient and is booked in sums. Always: available + held + charged = credited.
 */
import { and, eq, sql } from "drizzle-orm";
import type { Micros } from "#src/core/money.ts";
import { Problem } from "#src/core/problem.ts";
import { type Reading, statement, type Tx } from "#src/db/transaction.ts";
import { available, findAccount } from "./account.ts";
import { billingAccounts, type LedgerKind, ledgerEntries } from "./table.ts";

const { credited, held, charged, workspaceId: accountOf } = billingAccounts;
const amount = sql.placeholder("amount");

const blockIfCovered = statement((db) =>
  db
    .update(billingAccounts)
    .set({ held: sql`${held} + ${amount}` })
    .where(and(eq(accountOf, sql.placeholder("workspaceId")), sql`${credited} - ${held} - ${charged} >= ${amount}`))
    .returning({ workspaceId: accountOf })
    .prepare(),
);

/** Blocks the price of a message that is stored in this transaction. Throws `insufficient_balance`. */
export function hold(tx: Tx, workspaceId: number, messageId: number, price: Micros): void {
  if (!block(tx, workspaceId, price)) {
    requireCovered(tx, workspaceId, price);
    throw new Error(`workspace ${workspaceId} has no account to hold ${price} from`);
  }
  record(tx, workspaceId, { messageId }, "hold", price);
}

/** Blocks an amount where the balance covers it; the caller books it. False: it does not, and nothing changed. */
export function block(tx: Tx, workspaceId: number, price: Micros): boolean {
  return blockIfCovered(tx).get({ workspaceId, amount: price }) !== undefined;
}

/** Throws `insufficient_balance` with the cost and what is left. */
export function requireCovered(tx: Reading, workspaceId: number, needed: Micros, what = "this message"): void {
  const account = findAccount(tx, workspaceId);
  if (account === undefined || available(account) >= needed) return;
  throw new Problem("insufficient_balance", `The balance does not cover the cost of ${what}.`, {
    needed,
    available: available(account),
  });
}

const giveBack = statement((db) =>
  db
    .update(billingAccounts)
    .set({ held: sql`${held} - ${amount}` })
    .where(eq(accountOf, sql.placeholder("workspaceId")))
    .prepare(),
);

/** Gives back what was held for a message that costs nothing after all. */
export function release(tx: Tx, workspaceId: number, messageId: number, price: Micros): void {
  unblock(tx, workspaceId, price);
  record(tx, workspaceId, { messageId }, "release", price);
}

/** Gives back an amount; the caller books it. */
export function unblock(tx: Tx, workspaceId: number, price: Micros): void {
  giveBack(tx).run({ workspaceId, amount: price });
}

/** Turns the hold of a delivered message into a charge. */
export function chargeHeld(tx: Tx, workspaceId: number, messageId: number, price: Micros): void {
  unblock(tx, workspaceId, price);
  chargeReleased(tx, workspaceId, messageId, price);
}

const take = statement((db) =>
  db
    .update(billingAccounts)
    .set({ charged: sql`${charged} + ${amount}` })
    .where(eq(accountOf, sql.placeholder("workspaceId")))
    .prepare(),
);

/** Charges a message that was delivered after its hold had been released; what is available may become negative. */
export function chargeReleased(tx: Tx, workspaceId: number, messageId: number, price: Micros): void {
  spend(tx, workspaceId, price);
  record(tx, workspaceId, { messageId }, "charge", price);
}

/** Charges an amount that is not held (any more); the caller books it. */
export function spend(tx: Tx, workspaceId: number, price: Micros): void {
  take(tx).run({ workspaceId, amount: price });
}

/** What a ledger's entry speaks of. */
export interface Booked {
  messageId?: number;
  broadcastId?: number;
}

export function bookCharge(tx: Tx, workspaceId: number, what: Booked, price: Micros): void {
  record(tx, workspaceId, what, "charge", price);
}

export function bookHold(tx: Tx, workspaceId: number, what: Booked, price: Micros): void {
  record(tx, workspaceId, what, "hold", price);
}

export function bookRelease(tx: Tx, workspaceId: number, what: Booked, price: Micros): void {
  record(tx, workspaceId, what, "release", price);
}

const insertEntry = statement((db) =>
  db
    .insert(ledgerEntries)
    .values({
      workspaceId: sql.placeholder("workspaceId"),
      kind: sql.placeholder("kind"),
      amount: sql.placeholder("amount"),
      messageId: sql.placeholder("messageId"),
      broadcastId: sql.placeholder("broadcastId"),
      createdAt: sql.placeholder("createdAt"),
    })
    .prepare(),
);

function record(tx: Tx, workspaceId: number, what: Booked, kind: LedgerKind, price: Micros): void {
  const { messageId = null, broadcastId = null } = what;
  insertEntry(tx).run({ workspaceId, messageId, broadcastId, kind, amount: price, createdAt: tx.now });
}
