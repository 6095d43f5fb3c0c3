/**
 * The cost of one message: held when the message is stored, then charged or released. The message's row holds the
 * state, and its guarded moves keep each step from happening twice; this file updates the account and writes the
 * ledger. A broadcast updates the account with each recipient and books sums in the ledger. Invariant: available + held
 * + charged = credited.
 */
import type { Micros } from "#src/core/money.ts";
import { Problem } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { available, findAccount } from "./account.ts";
import { decreaseHeld, increaseCharged, increaseHeld, insertLedgerEntry } from "./statements.ts";
import type { LedgerKind } from "./table.ts";

/** Holds the price of a message that is stored in this transaction. Throws `insufficient_balance`. */
export function hold(tx: Tx, workspaceId: number, messageId: number, price: Micros): void {
  if (!holdAmount(tx, workspaceId, price)) {
    requireCovered(tx, workspaceId, price);
    throw new Error(`workspace ${workspaceId} has no account to hold ${price} from`);
  }
  addEntry(tx, workspaceId, { messageId }, "hold", price);
}

/** Holds an amount if the balance covers it; the caller books it. False: it does not, and nothing changed. */
export function holdAmount(tx: Tx, workspaceId: number, price: Micros): boolean {
  return increaseHeld(tx).run({ workspaceId, amount: price }) === 1;
}

/** Throws `insufficient_balance` with the cost and the available balance. */
export function requireCovered(tx: ReadTx, workspaceId: number, needed: Micros, subject = "this message"): void {
  const account = findAccount(tx, workspaceId);
  if (account === undefined || available(account) >= needed) return;
  throw new Problem("insufficient_balance", `The balance does not cover the cost of ${subject}.`, {
    needed,
    available: available(account),
  });
}

/** Releases the hold of a message that costs nothing after all. */
export function release(tx: Tx, workspaceId: number, messageId: number, price: Micros): void {
  releaseAmount(tx, workspaceId, price);
  addEntry(tx, workspaceId, { messageId }, "release", price);
}

/** Releases an amount; the caller books it. */
export function releaseAmount(tx: Tx, workspaceId: number, price: Micros): void {
  decreaseHeld(tx).run({ workspaceId, amount: price });
}

/** Turns the hold of a delivered message into a charge. */
export function chargeHeld(tx: Tx, workspaceId: number, messageId: number, price: Micros): void {
  releaseAmount(tx, workspaceId, price);
  chargeReleased(tx, workspaceId, messageId, price);
}

/** Charges a message that was delivered after its hold had been released; the available balance may become negative. */
export function chargeReleased(tx: Tx, workspaceId: number, messageId: number, price: Micros): void {
  chargeAmount(tx, workspaceId, price);
  addEntry(tx, workspaceId, { messageId }, "charge", price);
}

/** Charges an amount that is not held (any more); the caller books it. */
export function chargeAmount(tx: Tx, workspaceId: number, price: Micros): void {
  increaseCharged(tx).run({ workspaceId, amount: price });
}

/** What a ledger entry is for. */
interface LedgerSubject {
  messageId?: number;
  broadcastId?: number;
}

export function bookCharge(tx: Tx, workspaceId: number, subject: LedgerSubject, price: Micros): void {
  addEntry(tx, workspaceId, subject, "charge", price);
}

export function bookHold(tx: Tx, workspaceId: number, subject: LedgerSubject, price: Micros): void {
  addEntry(tx, workspaceId, subject, "hold", price);
}

export function bookRelease(tx: Tx, workspaceId: number, subject: LedgerSubject, price: Micros): void {
  addEntry(tx, workspaceId, subject, "release", price);
}

function addEntry(tx: Tx, workspaceId: number, subject: LedgerSubject, kind: LedgerKind, price: Micros): void {
  const { messageId = null, broadcastId = null } = subject;
  insertLedgerEntry(tx).run({ workspaceId, messageId, broadcastId, kind, amount: price, createdAt: tx.now });
}
