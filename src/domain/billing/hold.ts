/**
 * Money of one message: held when it is stored, then charged or released. The message's own row says where its money
 * stands and its guarded moves keep each step from happening twice; this file moves the account's figures and writes
 * the ledger. Always: available + held + charged = credited.
 */
import { and, eq, sql } from "drizzle-orm";
import type { Micros } from "#src/primitives/money.ts";
import { Problem } from "#src/primitives/problem.ts";
import { type Reading, statement, type Tx } from "#src/storage/transaction.ts";
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
  if (blockIfCovered(tx).get({ workspaceId, amount: price }) === undefined) {
    requireCovered(tx, workspaceId, price);
    throw new Error(`workspace ${workspaceId} has no account to hold ${price} from`);
  }
  record(tx, workspaceId, messageId, "hold", price);
}

/** Throws `insufficient_balance` with the cost and what is left. */
export function requireCovered(tx: Reading, workspaceId: number, needed: Micros): void {
  const account = findAccount(tx, workspaceId);
  if (account === undefined || available(account) >= needed) return;
  throw new Problem("insufficient_balance", "The balance does not cover the cost of this message.", {
    needed,
    available: available(account),
  });
}

const unblock = statement((db) =>
  db
    .update(billingAccounts)
    .set({ held: sql`${held} - ${amount}` })
    .where(eq(accountOf, sql.placeholder("workspaceId")))
    .prepare(),
);

/** Gives back what was held for a message that costs nothing after all. */
export function release(tx: Tx, workspaceId: number, messageId: number, price: Micros): void {
  unblock(tx).run({ workspaceId, amount: price });
  record(tx, workspaceId, messageId, "release", price);
}

const spendHeld = statement((db) =>
  db
    .update(billingAccounts)
    .set({ held: sql`${held} - ${amount}`, charged: sql`${charged} + ${amount}` })
    .where(eq(accountOf, sql.placeholder("workspaceId")))
    .prepare(),
);

/** Turns the hold of a delivered message into a charge. */
export function chargeHeld(tx: Tx, workspaceId: number, messageId: number, price: Micros): void {
  spendHeld(tx).run({ workspaceId, amount: price });
  record(tx, workspaceId, messageId, "charge", price);
}

const spend = statement((db) =>
  db
    .update(billingAccounts)
    .set({ charged: sql`${charged} + ${amount}` })
    .where(eq(accountOf, sql.placeholder("workspaceId")))
    .prepare(),
);

/** Charges a message that was delivered after its hold had been released; what is available may become negative. */
export function chargeReleased(tx: Tx, workspaceId: number, messageId: number, price: Micros): void {
  spend(tx).run({ workspaceId, amount: price });
  record(tx, workspaceId, messageId, "charge", price);
}

const insertEntry = statement((db) =>
  db
    .insert(ledgerEntries)
    .values({
      workspaceId: sql.placeholder("workspaceId"),
      kind: sql.placeholder("kind"),
      amount: sql.placeholder("amount"),
      messageId: sql.placeholder("messageId"),
      createdAt: sql.placeholder("createdAt"),
    })
    .prepare(),
);

function record(tx: Tx, workspaceId: number, messageId: number, kind: LedgerKind, price: Micros): void {
  insertEntry(tx).run({ workspaceId, messageId, kind, amount: price, createdAt: tx.now });
}
