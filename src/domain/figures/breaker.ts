/**
 * The breaker: where the network refuses the message itself for many people in a row, it would refuse it for everybody.
 * Answers and statuses are counted apart, for an answer says less: the network takes what it later fails.
 */
import { and, eq, gt, sql } from "drizzle-orm";
import { statement, type Tx } from "#src/storage/transaction.ts";
import { askForReview, getFigures } from "./adjust.ts";
import { type BroadcastFigures, broadcastFigures } from "./table.ts";

/** So many people in a row with the same refusal stop a broadcast. */
export const BREAKER_ROW = 20;

/** Codes that speak of the message: its values, its file, where it goes. */
const OF_THE_MESSAGE = ["100", "131008", "131009", "131053", "132000", "132005", "132012", "132018", "130497"];

/** Codes that speak of the person: they neither count nor end a row. */
const OF_THE_PERSON = ["131021", "131026", "131047", "131049", "131050", "130472"];

export type Heard = { kind: "accepted" } | { kind: "arrived" } | { kind: "failed"; code: string };

const resetAnswers = statement((db) =>
  db
    .update(broadcastFigures)
    .set({ answerCode: null, answerRow: 0 })
    .where(and(eq(broadcastFigures.broadcastId, sql.placeholder("broadcastId")), gt(broadcastFigures.answerRow, 0)))
    .prepare(),
);

const resetStatuses = statement((db) =>
  db
    .update(broadcastFigures)
    .set({ statusCode: null, statusRow: 0 })
    .where(and(eq(broadcastFigures.broadcastId, sql.placeholder("broadcastId")), gt(broadcastFigures.statusRow, 0)))
    .prepare(),
);

/** What the network answered for one recipient. */
export function hearAnswer(tx: Tx, broadcastId: number, heard: Heard): void {
  if (heard.kind !== "failed") {
    resetAnswers(tx).run({ broadcastId });
    return;
  }
  if (OF_THE_PERSON.includes(heard.code)) return;
  const figures = getFigures(tx, broadcastId);
  const row = rowAfter(heard.code, figures.answerCode, figures.answerRow);
  write(tx, figures, { answerCode: row.code, answerRow: row.length });
}

/** What a status reported of one recipient. */
export function hearStatus(tx: Tx, broadcastId: number, heard: Heard): void {
  if (heard.kind === "accepted") return;
  if (heard.kind === "arrived") {
    resetStatuses(tx).run({ broadcastId });
    return;
  }
  if (OF_THE_PERSON.includes(heard.code)) return;
  const figures = getFigures(tx, broadcastId);
  const row = rowAfter(heard.code, figures.statusCode, figures.statusRow);
  write(tx, figures, { statusCode: row.code, statusRow: row.length });
}

/** Both rows begin anew: a person has looked at it. */
export function closeBreaker(tx: Tx, broadcastId: number): void {
  resetAnswers(tx).run({ broadcastId });
  resetStatuses(tx).run({ broadcastId });
}

/** The code that has been refused too often in a row; null while there is none. */
export function brokenBy({ answerCode, answerRow, statusCode, statusRow }: BroadcastFigures): string | null {
  if (answerRow >= BREAKER_ROW) return answerCode;
  return statusRow >= BREAKER_ROW ? statusCode : null;
}

function rowAfter(code: string, known: string | null, length: number): { code: string | null; length: number } {
  if (!OF_THE_MESSAGE.includes(code)) return { code: null, length: 0 };
  return { code, length: code === known ? length + 1 : 1 };
}

function write(tx: Tx, figures: BroadcastFigures, row: Partial<BroadcastFigures>): void {
  const { broadcastId, workspaceId } = figures;
  tx.db.update(broadcastFigures).set(row).where(eq(broadcastFigures.broadcastId, broadcastId)).run();
  if (brokenBy({ ...figures, ...row }) !== null) askForReview(tx, broadcastId, workspaceId, tx.now);
}
