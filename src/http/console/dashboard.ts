/**
 * Figures of today, in each workspace's own timezone. Counting costs what today has brought, on the reader's thread (a
 * million messages sent alone: three quarters of a second), so one count serves all who look for a while: the longer it
 * took the longer, so that figures never take more than a twentieth of that thread.
 */

import type { Clock } from "#src/core/clock.ts";
import { formatInstant, startOfDay } from "#src/core/instant.ts";
import type { Reader } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { broadcastsTodaySql, firstSince, receivedTodaySql, singlesTodaySql } from "./queries/today-counters.ts";

const KEPT_MS = 3_000;
const TIMES_AS_LONG = 20;
const WORKSPACES_MAX = 1_000;

interface Counted {
  figures: Promise<object>;
  until: number;
}

export class TodayFigures {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #reader: Reader;
  readonly #counted = new Map<number, Counted>();

  constructor(store: Store, clock: Clock, reader: Reader) {
    this.#store = store;
    this.#clock = clock;
    this.#reader = reader;
  }

  of(workspace: Workspace): Promise<object> {
    const startedAt = this.#clock.monotonic();
    const known = this.#counted.get(workspace.id);
    if (known !== undefined && startedAt < known.until) return known.figures;
    if (this.#counted.size >= WORKSPACES_MAX) this.#counted.clear();
    const figures = this.#count(workspace);
    // Until it is known how long it takes, everybody waits for this one.
    const counted = { figures, until: Number.POSITIVE_INFINITY };
    this.#counted.set(workspace.id, counted);
    figures.then(
      () => {
        const now = this.#clock.monotonic();
        counted.until = now + Math.max(KEPT_MS, TIMES_AS_LONG * (now - startedAt));
      },
      () => this.#counted.delete(workspace.id),
    );
    return figures;
  }

  async #count(workspace: Workspace): Promise<object> {
    const { id, timezone } = workspace;
    const { since, firstMessage, firstInbound } = this.#store.read((reading) => {
      const start = startOfDay(reading.now, timezone);
      return {
        since: start,
        firstMessage: firstSince(reading, "messages", start),
        firstInbound: firstSince(reading, "inbounds", start),
      };
    });
    const singles = await this.#reader.query(singlesTodaySql, [id, firstMessage]);
    const [sums] = await this.#reader.query(broadcastsTodaySql, [id, since, id, since]);
    const [received] = await this.#reader.query(receivedTodaySql, [id, firstInbound, id, since]);
    const of = (...names: string[]) =>
      singles.reduce((sum, { status, total }) => sum + (names.includes(String(status)) ? Number(total) : 0), 0);
    const number = (row: Record<string, unknown> | undefined, name: string) => Number(row?.[name] ?? 0);
    return {
      since: formatInstant(since, timezone),
      single: {
        sent: of("sent", "delivered", "read"),
        delivered: of("delivered", "read"),
        read: of("read"),
        failed: of("failed"),
        unknown: of("unknown"),
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
