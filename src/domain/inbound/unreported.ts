/** Whether the network reports nothing about messages that it accepted: callbacks do not arrive, whatever the cause. */
import { sql } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { lastReceivedAt } from "./callbacks.ts";

/** How many of the latest messages are looked at. */
const SCANNED_ROWS_MAX = 300;
const REPORTED_WITHIN_MS = 10 * 60_000;
const LOOKED_BACK_MS = 24 * 60 * 60_000;

/** Messages that the network accepted within the last day, since its last callback, and has not reported on for ten minutes. */
export function countUnreported(tx: ReadTx, numberId: number): number {
  const after = Math.max(tx.now - LOOKED_BACK_MS, lastReceivedAt(tx, "whatsapp") ?? 0);
  const row = tx.db.get<{ total: number }>(sql`SELECT count(*) AS total FROM
    (SELECT number_id, status, dispatched_at FROM messages ORDER BY id DESC LIMIT ${SCANNED_ROWS_MAX})
    WHERE number_id = ${numberId} AND status = 'sent' AND dispatched_at > ${after}
      AND dispatched_at < ${tx.now - REPORTED_WITHIN_MS}`);
  return row?.total ?? 0;
}
