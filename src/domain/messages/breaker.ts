/**
 * The breaker: where the network refuses the message itself for many people in a row, or fails for any reason of its own
 * again and again, it would do so for everybody. Answers and statuses are counted apart, for an answer says less: the
 * network takes what it later fails. What a status says of the template, the number or the account is kept here until
 * the broadcast obeys it.
 */
import { and, eq, gt, or, sql } from "drizzle-orm";
import { statement, type Tx } from "#src/db/transaction.ts";
import { askForReview, getFigures } from "./adjust-counters.ts";
import * as streak from "./streak.ts";
import { type BroadcastFigures, broadcastFigures } from "./table.ts";

export type Heard =
  | { kind: "accepted" }
  | { kind: "arrived" }
  /** `dispatchedAt`: when the message left; null where another copy of this database sent it. */
  | { kind: "failed"; failure: streak.Failure; dispatchedAt: number | null };

const resetAnswers = statement((db) =>
  db
    .update(broadcastFigures)
    .set({ answerCode: null, answerRow: 0, answerStreak: 0, answerWords: null })
    .where(
      and(
        eq(broadcastFigures.broadcastId, sql.placeholder("broadcastId")),
        or(gt(broadcastFigures.answerRow, 0), gt(broadcastFigures.answerStreak, 0)),
      ),
    )
    .prepare(),
);

const resetStatuses = statement((db) =>
  db
    .update(broadcastFigures)
    .set({ statusCode: null, statusRow: 0, statusStreak: 0, statusWords: null })
    .where(
      and(
        eq(broadcastFigures.broadcastId, sql.placeholder("broadcastId")),
        or(gt(broadcastFigures.statusRow, 0), gt(broadcastFigures.statusStreak, 0)),
      ),
    )
    .prepare(),
);

/** What the network answered for one recipient. */
export function hearAnswer(tx: Tx, broadcastId: number, result: streak.Result): void {
  if (result.kind === "well") {
    resetAnswers(tx).run({ broadcastId });
    return;
  }
  const figures = getFigures(tx, broadcastId);
  const { code, row, network, words } = streak.streaksAfter(answersOf(figures), result);
  write(tx, figures, { answerCode: code, answerRow: row, answerStreak: network, answerWords: words });
}

/** What a status reported of one recipient. */
export function hearStatus(tx: Tx, broadcastId: number, heard: Heard): void {
  if (heard.kind === "accepted") return;
  if (heard.kind === "arrived") {
    resetStatuses(tx).run({ broadcastId });
    return;
  }
  const figures = getFigures(tx, broadcastId);
  // It left before somebody put right what was wrong, and reports the old state.
  if (figures.resumedAt !== null && (heard.dispatchedAt ?? 0) < figures.resumedAt) return;
  const { failure } = heard;
  const { code, row, network, words } = streak.streaksAfter(statusesOf(figures), { kind: "failed", failure });
  const reportedRefusal = figures.reportedRefusal ?? (speaksOfAll(failure) ? failure : null);
  write(tx, figures, {
    statusCode: code,
    statusRow: row,
    statusStreak: network,
    statusWords: words,
    reportedRefusal,
  });
}

/** Whether everything of that template, number or account would be refused alike. */
export function speaksOfAll({ scope }: Pick<streak.Failure, "scope">): boolean {
  return scope === "template" || scope === "number" || scope === "account";
}

/** The refusal by status that the broadcast has not obeyed yet, once. */
export function takeReportedRefusal(tx: Tx, broadcastId: number): streak.Failure | null {
  const { reportedRefusal } = getFigures(tx, broadcastId);
  if (reportedRefusal !== null) set(tx, broadcastId, { reportedRefusal: null });
  return reportedRefusal;
}

/** All streaks begin anew: a person has looked at it. */
export function closeBreaker(tx: Tx, broadcastId: number): void {
  resetAnswers(tx).run({ broadcastId });
  resetStatuses(tx).run({ broadcastId });
  set(tx, broadcastId, { reportedRefusal: null });
}

/** From now on only what leaves from now on can fail in a way that says something. */
export function noteResumed(tx: Tx, broadcastId: number): void {
  set(tx, broadcastId, { resumedAt: tx.now });
}

/** Why it may not go on, in words; null while it may. */
export function brokenBy(figures: BroadcastFigures): string | null {
  return streak.brokenBy(answersOf(figures)) ?? streak.brokenBy(statusesOf(figures));
}

function answersOf(figures: BroadcastFigures): streak.Streaks {
  const { answerCode, answerRow, answerStreak, answerWords } = figures;
  return { code: answerCode, row: answerRow, network: answerStreak, words: answerWords };
}

function statusesOf(figures: BroadcastFigures): streak.Streaks {
  const { statusCode, statusRow, statusStreak, statusWords } = figures;
  return { code: statusCode, row: statusRow, network: statusStreak, words: statusWords };
}

function write(tx: Tx, figures: BroadcastFigures, changes: Partial<BroadcastFigures>): void {
  const { broadcastId, workspaceId } = figures;
  set(tx, broadcastId, changes);
  const after = { ...figures, ...changes };
  if (after.reportedRefusal !== null || brokenBy(after) !== null) askForReview(tx, broadcastId, workspaceId, tx.now);
}

function set(tx: Tx, broadcastId: number, changes: Partial<BroadcastFigures>): void {
  tx.db.update(broadcastFigures).set(changes).where(eq(broadcastFigures.broadcastId, broadcastId)).run();
}
