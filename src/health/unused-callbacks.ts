/** What arrived and had no effect within a day, for `status`, the console and the metrics. */
import type { UnusedCount } from "#src/domain/inbound/table.ts";

type Row = Record<string, unknown>;
type Query = (sql: string) => Promise<Row[]>;

export interface UnusedCallbacks {
  /** Items of accepted callbacks, by reason and what they were; the most frequent first. */
  items: Omit<UnusedCount, "hour">[];
  /** Callbacks refused before they were read, by hour, reason and number; the newest hour first. Times are milliseconds. */
  refused: { hour: number; reason: string; numberId: number | null; count: number }[];
}

const DAY_MS = 24 * 60 * 60_000;
const ROWS_MAX = 200;

export async function readUnused(query: Query, now: number): Promise<UnusedCallbacks> {
  const [items, refused] = [
    await query(
      `SELECT reason, about, sum(count) AS count, max(last_at) AS last_at FROM unused_items
      WHERE hour >= ${now - DAY_MS} GROUP BY reason, about ORDER BY 3 DESC, 2 LIMIT ${ROWS_MAX}`,
    ),
    await query(
      `SELECT hour, reason, number_id, count FROM refused_callbacks
      WHERE hour >= ${now - DAY_MS} ORDER BY hour DESC, reason, number_id LIMIT ${ROWS_MAX}`,
    ),
  ];
  return {
    items: items.map((row) => ({
      reason: String(row.reason) as UnusedCount["reason"],
      about: String(row.about),
      count: Number(row.count),
      lastAt: Number(row.last_at),
    })),
    refused: refused.map((row) => ({
      hour: Number(row.hour),
      reason: String(row.reason),
      numberId: Number(row.number_id) === 0 ? null : Number(row.number_id),
      count: Number(row.count),
    })),
  };
}
