/**
 * Today's counters in each workspace's timezone. Counting runs on the reader's thread and its cost grows with the day
 * (a million single messages take three quarters of a second), so the result is cached and shared. The cache lives
 * twenty times as long as the count took, and at least 3 seconds: counting never uses more than a twentieth of that
 * thread.
 */

import { type Static, Type } from "@sinclair/typebox";
import type { Clock } from "#src/core/clock.ts";
import { formatInstant, startOfDay } from "#src/core/instant.ts";
import { Instant } from "#src/core/schema.ts";
import type { WorkspaceReaders } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { broadcastsTodaySql, firstSince, receivedTodaySql, singlesTodaySql } from "./queries/today-counters.ts";

const CACHE_MS_MIN = 3_000;
const CACHE_FACTOR = 20;
const WORKSPACES_MAX = 1_000;

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
    const { since, firstMessage, firstInbound } = this.#store.read((tx) => {
      const start = startOfDay(tx.now, timezone);
      return {
        since: start,
        firstMessage: firstSince(tx, "messages", start),
        firstInbound: firstSince(tx, "inbounds", start),
      };
    });
    const reader = this.#readers.of(id);
    const singles = await reader.query(singlesTodaySql, [id, firstMessage]);
    const [sums] = await reader.query(broadcastsTodaySql, [id, since, id, since]);
    const [received] = await reader.query(receivedTodaySql, [id, firstInbound, id, since]);
    const countByStatus = (...names: string[]) =>
      singles.reduce((sum, { status, total }) => sum + (names.includes(String(status)) ? Number(total) : 0), 0);
    const number = (row: Record<string, unknown> | undefined, name: string) => Number(row?.[name] ?? 0);
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
        begun: number(sums, "broadcasts"),
        sent: number(sums, "sent"),
        delivered: number(sums, "delivered"),
        read: number(sums, "read"),
        failed: number(sums, "failed") - number(sums, "unknown"),
        unknown: number(sums, "unknown"),
      },
      received: { messages: number(received, "messages"), people: number(received, "people") },
    };
  }
}
