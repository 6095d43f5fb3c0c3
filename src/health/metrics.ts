/**
 * The server's metrics: their names, and where each value comes from. Gauges that count rows query the reader, so no
 * table is read on the server's main thread.
 */
import { dirname } from "node:path";
import type { Clock } from "#src/core/clock.ts";
import { LATENCY_SECONDS, type Labels, Metrics, type Observation, type Sample } from "#src/core/metrics.ts";
import { version } from "#src/core/version.ts";
import type { Reader } from "#src/db/reader.ts";
import type { WriterCounters } from "#src/db/writer.ts";
import { refusalReasons } from "#src/domain/inbound/refused-callbacks.ts";
import type { RefusalReason } from "#src/domain/inbound/table.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { PostResult, WebhookPoster } from "#src/net/post.ts";
import type { NetworkName } from "#src/networks/network.ts";
import type { KnownCondition } from "./conditions.ts";
import { OUTBOX_SQL, readDisk, sizeOf } from "./facts.ts";
import { registerMediaGauges } from "./media-metrics.ts";
import { readUnused, type UnusedCallbacks } from "./unused-callbacks.ts";

/** The exact condition of the index `broadcasts_open`: without it, a query would read every broadcast ever made. */
const OPEN = "status IN ('scheduled', 'queueing', 'running', 'paused')";

/** One row per state, including states without broadcasts. */
const OPEN_BROADCASTS = ["scheduled", "queueing", "running", "paused"]
  .map(
    (status) => `SELECT '${status}' AS status, count(*) AS rows FROM broadcasts WHERE ${OPEN} AND status = '${status}'`,
  )
  .join(" UNION ALL ");

/** Cumulative as in the API: `sent` includes delivered messages, and `delivered` includes read ones. */
const RECIPIENT_STATES = ["pending", "sending", "sent", "delivered", "read", "failed", "skipped"] as const;
const BROADCASTS_LISTED_MAX = 50;
const PROGRESS_SQL = `SELECT workspace_id, broadcast_id, ${RECIPIENT_STATES.join(", ")} FROM broadcast_counters
  WHERE broadcast_id IN (SELECT id FROM broadcasts
    WHERE ${OPEN} AND status IN ('queueing', 'running', 'paused') ORDER BY id LIMIT ${BROADCASTS_LISTED_MAX})`;

const ACCOUNTS_LISTED_MAX = 200;
const BALANCE_SQL = `SELECT workspace_id, currency, credited - held - charged AS available FROM billing_accounts
  ORDER BY workspace_id LIMIT ${ACCOUNTS_LISTED_MAX}`;
const NUMBERS_LISTED_MAX = 200;
/** What Meta calls GREEN, YELLOW and RED; null: it does not say, or has not been asked. */
const NUMBER_SQL = `SELECT n.id, n.phone, n.ready,
  CASE s.quality WHEN 'GREEN' THEN 3 WHEN 'YELLOW' THEN 2 WHEN 'RED' THEN 1 END AS quality
  FROM numbers n LEFT JOIN number_states s ON s.number_id = n.id
  WHERE n.removed_at IS NULL ORDER BY n.id LIMIT ${NUMBERS_LISTED_MAX}`;

interface GaugeSources {
  database: string;
  reader: Reader;
  clock: Clock;
  writer: Readonly<WriterCounters>;
  conditions: () => readonly KnownCondition[];
  /** When the newest sound backup was finished, milliseconds. */
  lastBackupAt: () => number | null;
  /** The longest time between two scheduled backups, milliseconds; null without a schedule. */
  backupIntervalMs: () => number | null;
  media: { quotaBytes: number };
  /** The time of the state in the newest archive off-site, milliseconds. */
  lastRemoteAt: () => number | null;
  /** Databases that upgrades and restores have put aside. */
  keptCopies: () => readonly { bytes: number }[];
  /** When the server's own certificate ends, milliseconds; null without one. */
  certificateEnd: () => Promise<number | null>;
}

export class ServerMetrics {
  readonly metrics = new Metrics();
  readonly requests = this.metrics.histogram(
    "waxwing_request_seconds",
    "Duration of requests, by route and status.",
    LATENCY_SECONDS,
  );
  /** By route and status; there are only as many as there are endpoints. */
  readonly #requestSeries = new Map<string, Map<number, Observation>>();
  readonly sends = this.metrics.histogram(
    "waxwing_send_seconds",
    "Duration of sending attempts, by network and outcome.",
    LATENCY_SECONDS,
  );
  readonly deliveries = this.metrics.histogram(
    "waxwing_delivery_attempt_seconds",
    "Duration of webhook attempts, by result.",
    LATENCY_SECONDS,
  );
  readonly commits = this.metrics.histogram(
    "waxwing_commit_seconds",
    "Duration of group commits, from the first statement to the end of the sync.",
    LATENCY_SECONDS,
  );
  readonly #commitOperations = this.metrics.histogram(
    "waxwing_commit_operations",
    "Operations per commit.",
    [1, 2, 4, 8, 16, 32, 64, 128, 256],
  );
  readonly #ignored = this.metrics.counter(
    "waxwing_statuses_ignored_total",
    "Statuses of messages that are unknown to this database, such as those sent by a copy of it.",
  );
  readonly #refused = this.metrics.counter(
    "waxwing_callbacks_refused_total",
    "Callbacks that failed verification, by reason.",
    refusalReasons.map((reason) => ({ reason })),
  );
  readonly #backupFailures = this.metrics.counter("waxwing_backup_failures_total", "Failed backups since the start.");

  readonly countRequest = (route: string, status: number, durationMs: number): void => {
    let byStatus = this.#requestSeries.get(route);
    if (byStatus === undefined) {
      byStatus = new Map();
      this.#requestSeries.set(route, byStatus);
    }
    let series = byStatus.get(status);
    if (series === undefined) {
      series = this.requests.seriesOf({ route, status });
      byStatus.set(status, series);
    }
    this.requests.observeIn(series, durationMs / 1000);
  };

  readonly countSend = (network: NetworkName, outcome: Outcome, durationMs: number): void =>
    this.sends.observe(durationMs / 1000, { network, outcome: outcome.kind });

  readonly countCommit = (operations: number, durationMs: number): void => {
    this.commits.observe(durationMs / 1000);
    this.#commitOperations.observe(operations);
  };

  readonly countIgnoredStatus = (): void => this.#ignored.add();

  readonly countRefusedCallback = (reason: RefusalReason): void => this.#refused.add({ reason });

  readonly countBackupFailure = (): void => this.#backupFailures.add();

  /** Wraps the poster so that its attempts are counted. */
  withMetrics(poster: WebhookPoster): WebhookPoster {
    return {
      close: () => poster.close(),
      post: async (webhook) => {
        const result = await poster.post(webhook);
        this.deliveries.observe(result.durationMs / 1000, { result: resultLabel(result) });
        return result;
      },
    };
  }

  /** Registers the metrics that are read on demand. */
  registerGauges(server: GaugeSources): void {
    const { database, reader, clock, writer } = server;
    this.#registerConditions(server);
    const startedAt = clock.now() / 1000;
    const gauge = this.metrics.gauge.bind(this.metrics);
    gauge("waxwing_build_info", "The running version.", () => [[{ version }, 1]]);
    gauge("waxwing_start_time_seconds", "When this process started.", () => [[{}, startedAt]]);
    gauge("process_resident_memory_bytes", "Memory of the process.", () => [[{}, process.memoryUsage.rss()]]);
    gauge("waxwing_heap_bytes", "Memory of the JavaScript heap.", () => [[{}, process.memoryUsage().heapUsed]]);
    gauge("waxwing_database_bytes", "Size of the database file.", () => [[{}, sizeOf(database)]]);
    gauge("waxwing_wal_bytes", "Size of the write-ahead log; it cannot shrink while it is read.", () => [
      [{}, sizeOf(`${database}-wal`)],
    ]);
    this.metrics.observedCounter("waxwing_commit_failures_total", "Failed group commits since the start.", () => [
      [{}, writer.failures],
    ]);
    const queryGauge =
      (sql: string, column: string, labels: readonly string[] = []) =>
      async (): Promise<Sample[]> => {
        const rows = await reader.query(sql, sql.includes("?") ? [clock.now()] : []);
        return rows.map((row) => [
          Object.fromEntries(labels.map((label) => [label, String(row[label])])),
          Number(row[column] ?? 0),
        ]);
      };
    gauge("waxwing_outbox_rows", "Jobs that are waiting or running.", queryGauge(OUTBOX_SQL, "depth", ["kind"]));
    gauge(
      "waxwing_outbox_age_seconds",
      "Time since the oldest job became due.",
      queryGauge(OUTBOX_SQL, "age", ["kind"]),
    );
    gauge(
      "waxwing_callbacks_quarantined",
      "Callbacks with items that stopped the server three times and were put aside.",
      queryGauge("SELECT count(*) AS total FROM callbacks WHERE state = 'quarantined'", "total"),
    );
    gauge(
      "waxwing_callbacks_waiting",
      "Callbacks that are stored and not applied yet.",
      queryGauge("SELECT count(*) AS waiting FROM callbacks WHERE done_at IS NULL AND due_at <= ?", "waiting"),
    );
    const unused = async () => readUnused((sql) => reader.query(sql), clock.now());
    gauge(
      "waxwing_callbacks_without_effect",
      "Items of accepted callbacks in the last 24 hours that had no effect, by reason and what they were.",
      async () => (await unused()).items.map(({ reason, about, count }): Sample => [{ reason, about }, count]),
    );
    gauge(
      "waxwing_callbacks_refused",
      "Callbacks refused in the last 24 hours, by reason and the number that they claim to be about.",
      async () => sumByNumber((await unused()).refused),
    );
    gauge("waxwing_broadcasts", "Unfinished broadcasts.", queryGauge(OPEN_BROADCASTS, "rows", ["status"]));
    gauge(
      "waxwing_broadcast_recipients",
      `Recipients by state, of the oldest ${BROADCASTS_LISTED_MAX} unfinished broadcasts.`,
      async () =>
        (await reader.query(PROGRESS_SQL)).flatMap((row) =>
          RECIPIENT_STATES.map((state): Sample => {
            const labels = { workspace: String(row.workspace_id), broadcast: String(row.broadcast_id), state };
            return [labels, Number(row[state])];
          }),
        ),
    );
    const contactsSql =
      "SELECT coalesce(sum(contacts), 0) AS contacts, coalesce(sum(opted_out), 0) AS out FROM contact_counters";
    gauge("waxwing_contacts", "Contacts with a phone number.", queryGauge(contactsSql, "contacts"));
    gauge("waxwing_contacts_opted_out", "Opted-out contacts with a phone number.", queryGauge(contactsSql, "out"));
    gauge(
      "waxwing_balance",
      `Available balance of charged workspaces, in their currency; the first ${ACCOUNTS_LISTED_MAX}.`,
      async () =>
        (await reader.query(BALANCE_SQL)).map(
          (row): Sample => [
            { workspace: String(row.workspace_id), currency: String(row.currency) },
            Number(row.available) / 1e6,
          ],
        ),
    );
    gauge("waxwing_number_ready", `Whether a number can send; the first ${NUMBERS_LISTED_MAX}.`, async () =>
      (await reader.query(NUMBER_SQL)).map((row): Sample => [numberLabels(row), Number(row.ready)]),
    );
    gauge(
      "waxwing_number_quality",
      "Quality of a number as the network reports it: 3 green, 2 yellow, 1 red; absent if it is unknown.",
      async () =>
        (await reader.query(NUMBER_SQL))
          .filter(({ quality }) => quality !== null)
          .map((row): Sample => [numberLabels(row), Number(row.quality)]),
    );
    registerMediaGauges(this.metrics, { ...server.media, query: (sql, values) => reader.query(sql, values), clock });
  }

  #registerConditions(sources: GaugeSources): void {
    const { database, conditions, lastBackupAt, backupIntervalMs, lastRemoteAt } = sources;
    const { certificateEnd, keptCopies, clock } = sources;
    const gauge = this.metrics.gauge.bind(this.metrics);
    gauge("waxwing_condition", "Conditions that last, as in waxwing status.", () =>
      conditions().map(({ id, severity }): Sample => [{ id, severity }, 1]),
    );
    gauge(
      "waxwing_backup_last_success_seconds",
      "Time of the newest verified backup in the directory of backups; absent if there is none.",
      () => present(lastBackupAt(), (at) => at / 1000),
    );
    gauge("waxwing_backup_age_seconds", "Age of the newest verified backup; absent if there is none.", () =>
      present(lastBackupAt(), (at) => (clock.now() - at) / 1000),
    );
    gauge(
      "waxwing_backup_interval_seconds",
      "Longest time between two scheduled backups; absent without a schedule.",
      () => present(backupIntervalMs(), (ms) => ms / 1000),
    );
    gauge(
      "waxwing_remote_backup_age_seconds",
      "Age of the newest backup that is off-site; absent if there is none.",
      () => present(lastRemoteAt(), (at) => (clock.now() - at) / 1000),
    );
    gauge("waxwing_certificate_end_seconds", "When the server's own certificate ends; absent without one.", async () =>
      present(await certificateEnd(), (at) => at / 1000),
    );
    gauge("waxwing_kept_copies", "Databases that upgrades and restores have put aside.", () => [
      [{}, keptCopies().length],
    ]);
    gauge("waxwing_kept_copies_bytes", "Their size.", () => [
      [{}, keptCopies().reduce((sum, { bytes }) => sum + bytes, 0)],
    ]);
    gauge("waxwing_disk_free_bytes", "Free space of the disk that holds the database.", () =>
      present(readDisk(dirname(database))?.freeBytes ?? null, (bytes) => bytes),
    );
    gauge("waxwing_disk_bytes", "Size of that disk.", () =>
      present(readDisk(dirname(database))?.totalBytes ?? null, (bytes) => bytes),
    );
  }
}

function numberLabels({ id, phone }: Record<string, unknown>): Labels {
  return { number: String(id), phone: String(phone) };
}

function resultLabel(result: PostResult): string {
  if (result.kind === "failed") return result.reason;
  return `${Math.floor(result.status / 100)}xx`;
}

/** No sample if there is no value. */
function present(value: number | null, convert: (value: number) => number): Sample[] {
  return value === null ? [] : [[{}, convert(value)]];
}

/** Over all hours; number 0: none of this server's. */
function sumByNumber(refused: UnusedCallbacks["refused"]): Sample[] {
  const sums = new Map<string, Sample>();
  for (const { reason, numberId, count } of refused) {
    const number = String(numberId ?? 0);
    const before = sums.get(`${reason} ${number}`)?.[1] ?? 0;
    sums.set(`${reason} ${number}`, [{ reason, number }, before + count]);
  }
  return [...sums.values()];
}
