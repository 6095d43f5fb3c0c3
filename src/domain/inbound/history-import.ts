/**
 * How far the history of a number's phone has arrived. Its chunks arrive in any order; the messages in them are applied
 * like other items of a callback.
 */
import { eq } from "drizzle-orm";
import { upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { HistoryProgressItem } from "./callback-item.ts";
import { type HistoryImport, historyImports } from "./table.ts";

/** Undefined: the network has sent none. */
export function findHistoryImport({ db }: ReadTx, numberId: number): HistoryImport | undefined {
  return db.select().from(historyImports).where(eq(historyImports.numberId, numberId)).get();
}

export function recordHistoryProgress(tx: Tx, numberId: number, item: HistoryProgressItem): void {
  const before = findHistoryImport(tx, numberId);
  const { declined } = item;
  const stored = {
    phase: furthest(before?.phase, item.phase),
    progress: furthest(before?.progress, item.progress),
    chunks: (before?.chunks ?? 0) + (declined === null ? 1 : 0),
    declinedCode: declined?.code ?? null,
    declinedReason: declined?.reason ?? null,
    updatedAt: tx.now,
  };
  upsertRow(tx, historyImports, ["numberId"], { numberId, startedAt: tx.now, ...stored }, stored);
}

function furthest(before: number | null | undefined, now: number | null): number | null {
  return before == null || (now !== null && now > before) ? now : before;
}
