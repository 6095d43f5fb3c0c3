/** The metrics of the files that people sent: how much they take, what may be stored, what waits and what is lost. */
import type { Clock } from "#src/core/clock.ts";
import type { Metrics, Sample } from "#src/core/metrics.ts";
import { failureReasons, NETWORK_KEEPS_MS } from "#src/domain/media/media.ts";

interface MediaSources {
  query: (sql: string, parameters?: number[]) => Promise<Record<string, unknown>[]>;
  clock: Pick<Clock, "now">;
  quotaBytes: number;
}

/** One row for each workspace. */
const USAGE_SQL = "SELECT coalesce(sum(bytes), 0) AS total FROM media_usage";
/** The condition of the index `media_waiting`. */
const WAITING_SQL = "SELECT count(*) AS total FROM media WHERE waiting_since IS NOT NULL";
/** The condition of the index `media_failed`. */
const FAILED_SQL =
  "SELECT reason, count(*) AS total FROM media WHERE state = 'failed' AND created_at >= ? GROUP BY reason";

export function registerMediaGauges(metrics: Metrics, { query, clock, quotaBytes }: MediaSources): void {
  const total = async (sql: string): Promise<Sample[]> => [[{}, Number((await query(sql))[0]?.total ?? 0)]];
  metrics.gauge("waxwing_media_bytes", "Size of the stored files that people sent.", () => total(USAGE_SQL));
  metrics.gauge("waxwing_media_quota_bytes", "How much they may take.", () => [[{}, quotaBytes]]);
  metrics.gauge("waxwing_media_waiting", "Files that wait for room in the quota.", () => total(WAITING_SQL));
  metrics.gauge(
    "waxwing_media_failed",
    "Files of the last seven days that could not be fetched and never will be, by reason.",
    async () => {
      const rows = await query(FAILED_SQL, [clock.now() - NETWORK_KEEPS_MS]);
      const counts = new Map(rows.map((row) => [String(row.reason), Number(row.total)]));
      return failureReasons.map((reason): Sample => [{ reason }, counts.get(reason) ?? 0]);
    },
  );
}
