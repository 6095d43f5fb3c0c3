/**
 * Today's counters in each workspace's timezone, beside those of the same weekday a week ago at the same time of day, and
 * why messages failed today. Counting runs on the reader's thread and its cost grows with the day
 * (a million single messages take three quarters of a second), so the result is cached and shared. The cache lives
 * twenty times as long as the count took, and at least 3 seconds: counting never uses more than a twentieth of that
 * thread.
 */

import { type Static, Type } from "@sinclair/typebox";
import type { Clock } from "#src/core/clock.ts";
import { formatInstant, startOfDay } from "#src/core/instant.ts";
import { Instant, Nullable } from "#src/core/schema.ts";
import { QueryOverBudget } from "#src/db/query-budget.ts";
import type { Reader, WorkspaceReaders } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findBroadcast } from "#src/domain/broadcasts/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import {
  broadcastFailuresSql,
  broadcastsByThenSql,
  broadcastsTodaySql,
  firstSince,
  receivedByThenSql,
  receivedTodaySql,
  singlesByThenSql,
  singlesTodaySql,
} from "./queries/today-counters.ts";

const CACHE_MS_MIN = 3_000;
const CACHE_FACTOR = 20;
const WORKSPACES_MAX = 1_000;
/** How many reasons are named: of single messages, of broadcasts, and of one broadcast. */
const REASONS_MAX = 5;
const BROADCASTS_MAX = 5;
const REASONS_OF_BROADCAST_MAX = 3;

const counters = {
  sent: Type.Integer(),
  delivered: Type.Integer(),
  read: Type.Integer(),
  failed: Type.Integer(),
  unknown: Type.Integer(),
};

export const TodayView = Type.Object({
  since: Instant(),
  single: Type.Object(counters),
  broadcast: Type.Object({ begun: Type.Integer(), ...counters }),
  received: Type.Object({ messages: Type.Integer(), people: Type.Integer() }),
  /** What the same weekday a week ago had come to at this time of day; null: it is not known, or there was nothing. */
  week_ago: Nullable(
    Type.Object({
      until: Instant(),
      sent: Type.Integer(),
      delivered: Type.Integer(),
      read: Type.Integer(),
      failed: Type.Integer(),
      received: Type.Integer(),
    }),
  ),
  /** Why single messages failed today, the most frequent first. */
  failures: Type.Array(Type.Object({ code: Type.String(), reason: Nullable(Type.String()), count: Type.Integer() })),
  /** Broadcasts started today whose messages failed for certain, the most failures first. */
  broadcast_failures: Type.Array(
    Type.Object({
      id: Type.Integer(),
      name: Type.String(),
      count: Type.Integer(),
      /** The most frequent first, not all of them. */
      reasons: Type.Array(Type.Object({ reason: Nullable(Type.String()), count: Type.Integer() })),
    }),
  ),
});

type Counters = Static<typeof TodayView>;

interface CachedCounters {
  counters: Promise<Counters>;
  expiresAt: number;
}

export class DashboardCounters {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #readers: WorkspaceReaders;
  readonly #cache = new Map<number, CachedCounters>();

  constructor(store: Store, clock: Clock, readers: WorkspaceReaders) {
    this.#store = store;
    this.#clock = clock;
    this.#readers = readers;
  }

  read(workspace: Workspace): Promise<Counters> {
    const startedAt = this.#clock.monotonic();
    const known = this.#cache.get(workspace.id);
    if (known !== undefined && startedAt < known.expiresAt) return known.counters;
    if (this.#cache.size >= WORKSPACES_MAX) this.#cache.clear();
    const counters = this.#count(workspace);
    // The duration is not known yet, so all callers share this count.
    const entry = { counters, expiresAt: Number.POSITIVE_INFINITY };
    this.#cache.set(workspace.id, entry);
    counters.then(
      () => {
        const now = this.#clock.monotonic();
        entry.expiresAt = now + Math.max(CACHE_MS_MIN, CACHE_FACTOR * (now - startedAt));
      },
      () => this.#cache.delete(workspace.id),
    );
    return counters;
  }

  async #count(workspace: Workspace): Promise<Counters> {
    const { id, timezone } = workspace;
    const { since, firstMessage, firstInbound, weekAgo } = this.#store.read((tx) => {
      const start = startOfDay(tx.now, timezone);
      return {
        since: start,
        firstMessage: firstSince(tx, "messages", start),
        firstInbound: firstSince(tx, "inbounds", start),
        weekAgo: findWeekAgo(tx, timezone),
      };
    });
    const reader = this.#readers.of(id);
    const singles = await reader.query(singlesTodaySql, [id, firstMessage]);
    const [sums] = await reader.query(broadcastsTodaySql, [id, since, id, since]);
    const [received] = await reader.query(receivedTodaySql, [id, firstInbound, id, since]);
    const hasFailures = countOf(sums, "failed") > countOf(sums, "unknown");
    const failed = hasFailures ? await reader.query(broadcastFailuresSql, [id, since]) : [];
    const countByStatus = (...names: string[]) =>
      singles.reduce((sum, row) => sum + (names.includes(String(row.status)) ? countOf(row, "total") : 0), 0);
    return {
      since: formatInstant(since, timezone),
      single: {
        sent: countByStatus("sent", "delivered", "read"),
        delivered: countByStatus("delivered", "read"),
        read: countByStatus("read"),
        failed: countByStatus("failed"),
        unknown: countByStatus("unknown"),
      },
      broadcast: {
        begun: countOf(sums, "broadcasts"),
        sent: countOf(sums, "sent"),
        delivered: countOf(sums, "delivered"),
        read: countOf(sums, "read"),
        failed: countOf(sums, "failed") - countOf(sums, "unknown"),
        unknown: countOf(sums, "unknown"),
      },
      received: { messages: countOf(received, "messages"), people: countOf(received, "people") },
      week_ago: await countWeekAgo(reader, workspace, weekAgo),
      failures: topReasons(
        singles.filter(({ status }) => status === "failed"),
        REASONS_MAX,
      ).map((row) => ({
        code: String(row.code),
        reason: textOf(row.reason),
        count: countOf(row, "total"),
      })),
      broadcast_failures: this.#store.read((tx) => viewBroadcastFailures(tx, id, failed)),
    };
  }
}

type Row = Record<string, unknown>;

interface WeekAgo {
  since: number;
  until: number;
  messages: readonly [first: number, end: number];
  inbounds: readonly [first: number, end: number];
}

/** The same weekday a week ago up to the same time of day, by the workspace's clock. */
function findWeekAgo(tx: ReadTx, timezone: string): WeekAgo {
  const now = Temporal.Instant.fromEpochMilliseconds(tx.now).toZonedDateTimeISO(timezone);
  const until = now.subtract({ days: 7 }).epochMilliseconds;
  const since = startOfDay(until, timezone);
  return {
    since,
    until,
    messages: [firstSince(tx, "messages", since), firstSince(tx, "messages", until)],
    inbounds: [firstSince(tx, "inbounds", since), firstSince(tx, "inbounds", until)],
  };
}

/** Null where there is nothing to compare with: too much to count, or nothing at all. */
async function countWeekAgo(reader: Reader, { id, timezone }: Workspace, period: WeekAgo) {
  const { since, until, messages, inbounds } = period;
  try {
    const [singles] = await reader.query(singlesByThenSql, [until, id, ...messages]);
    const [recipients] = await reader.query(broadcastsByThenSql, [until, id, since]);
    const [received] = await reader.query(receivedByThenSql, [id, ...inbounds]);
    const sum = (name: string) => countOf(singles, name) + countOf(recipients, name);
    const counts = {
      ...{ sent: sum("sent"), delivered: sum("delivered"), read: sum("read"), failed: sum("failed") },
      received: countOf(received, "messages"),
    };
    const isEmpty = Object.values(counts).every((count) => count === 0);
    return isEmpty ? null : { until: formatInstant(until, timezone), ...counts };
  } catch (error) {
    if (error instanceof QueryOverBudget) return null;
    throw error;
  }
}

function viewBroadcastFailures(tx: ReadTx, workspaceId: number, rows: readonly Row[]) {
  const byBroadcast = [...Map.groupBy(rows, (row) => countOf(row, "broadcast_id"))].map(([id, reasons]) => ({
    id,
    reasons,
    count: reasons.reduce((sum, row) => sum + countOf(row, "total"), 0),
  }));
  return byBroadcast
    .toSorted((one, other) => other.count - one.count)
    .slice(0, BROADCASTS_MAX)
    .map(({ id, reasons, count }) => ({
      ...{ id, count, name: findBroadcast(tx, workspaceId, id)?.name ?? "" },
      reasons: topReasons(reasons, REASONS_OF_BROADCAST_MAX).map((row) => ({
        reason: textOf(row.reason),
        count: countOf(row, "total"),
      })),
    }));
}

function topReasons(rows: readonly Row[], limit: number): Row[] {
  return rows.toSorted((one, other) => countOf(other, "total") - countOf(one, "total")).slice(0, limit);
}

function countOf(row: Row | undefined, name: string): number {
  return Number(row?.[name] ?? 0);
}

function textOf(value: unknown): string | null {
  return value === null || value === undefined ? null : String(value);
}
