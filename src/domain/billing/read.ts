/** The ledger of a charged workspace, the newest entry first. */
import { and, desc, eq, lt } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { ledgerEntries } from "./table.ts";

type LedgerEntry = typeof ledgerEntries.$inferSelect;

/** `before`: the last entry of the previous page; null for the first page. */
export function listLedger(tx: ReadTx, workspaceId: number, before: number | null, limit: number): LedgerEntry[] {
  return tx.db
    .select()
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.workspaceId, workspaceId), before === null ? undefined : lt(ledgerEntries.id, before)))
    .orderBy(desc(ledgerEntries.id))
    .limit(limit)
    .all();
}
