/**
 * Writes what a recipient's move changes: the broadcast's figures and the account's money, in the transaction of the
 * move. Where a figure says that something is to be looked at (nobody left, everybody reported on, the breaker), it asks
 * for a review of the broadcast.
 */
import { eq, sql } from "drizzle-orm";
import { type Reading, statement, type Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { bookCharge, spend, unblock } from "../billing/hold.ts";
import { asCounted, changeOf, type FiguresChange, isClosed, type Recipient } from "./broadcast-counters.ts";
import { type BroadcastFigures, broadcastFigures } from "./table.ts";

const byBroadcast = statement((db) =>
  db
    .select()
    .from(broadcastFigures)
    .where(eq(broadcastFigures.broadcastId, sql.placeholder("broadcastId")))
    .prepare(),
);

export function getFigures(reading: Reading, broadcastId: number): BroadcastFigures {
  const figures = byBroadcast(reading).get({ broadcastId });
  if (figures === undefined) throw new Error(`broadcast ${broadcastId} has no figures`);
  return figures;
}

const plus = (column: keyof FiguresChange) => sql`${broadcastFigures[column]} + ${sql.placeholder(column)}`;

const add = statement((db) =>
  db
    .update(broadcastFigures)
    .set({
      toGo: plus("toGo"),
      sending: plus("sending"),
      sent: plus("sent"),
      delivered: plus("delivered"),
      read: plus("read"),
      failed: plus("failed"),
      skipped: plus("skipped"),
      held: plus("held"),
      charged: plus("charged"),
    })
    .where(eq(broadcastFigures.broadcastId, sql.placeholder("broadcastId")))
    .returning()
    .prepare(),
);

/** One recipient's row moved from `before` to `after`. `messageId`: for the ledger, once the broadcast is settled. */
export function countMove(
  tx: Tx,
  broadcastId: number,
  messageId: number,
  before: Recipient,
  after: Recipient,
): BroadcastFigures {
  const figures = getFigures(tx, broadcastId);
  const change = changeOf(asCounted(before, figures), asCounted(after, figures), figures.rate);
  if (figures.settledAt !== null && change.charged > 0) {
    bookCharge(tx, figures.workspaceId, { messageId, broadcastId }, change.charged);
  }
  return adjust(tx, figures, change);
}

/** Adds what several recipients changed together. */
export function adjust(
  tx: Tx,
  { broadcastId, workspaceId }: Pick<BroadcastFigures, "broadcastId" | "workspaceId">,
  change: FiguresChange,
): BroadcastFigures {
  if (change.held < 0) unblock(tx, workspaceId, -change.held);
  if (change.charged > 0) spend(tx, workspaceId, change.charged);
  const figures = add(tx).get({ broadcastId, ...change });
  if (figures === undefined) throw new Error(`broadcast ${broadcastId} has no figures`);
  if (needsReview(figures)) askForReview(tx, broadcastId, workspaceId, tx.now);
  return figures;
}

function needsReview(figures: BroadcastFigures): boolean {
  if (figures.isFinished) return figures.settledAt === null && isClosed(figures);
  return figures.toGo === 0 && figures.sending === 0;
}

export function askForReview(tx: Tx, broadcastId: number, workspaceId: number, dueAt: number): void {
  enqueue(tx, { kind: "review_broadcast", subject: broadcastId, lane: workspaceId, dueAt });
}

const rememberTime = statement((db) =>
  db
    .update(broadcastFigures)
    .set({ lastSentAt: sql`${sql.placeholder("now")}` })
    .where(eq(broadcastFigures.broadcastId, sql.placeholder("broadcastId")))
    .prepare(),
);

/** Recipients are being handed over now. */
export function rememberSend(tx: Tx, broadcastId: number): void {
  rememberTime(tx).run({ broadcastId, now: tx.now });
}
