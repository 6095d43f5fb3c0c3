/**
 * Long work on the thread that answers requests, in slices: one at a time on the whole server. A pause about as long
 * follows each, so however much waits, half of the time is left to everything else. Of the workspaces that wait, the one
 * that has used the least time is next.
 */
import { type Clock, nextTurn, sleep } from "./clock.ts";

/**
 * A slice ends after so long, but for one that cannot be divided. With what goes before and what follows, as the headers and
 * the encoding of a piece, a turn of the loop stays within 5 milliseconds.
 */
export const SLICE_MS = 2.5;
const PAUSE_MAX_MS = 20;

interface Line {
  /** Each runs one slice and never rejects. */
  slices: (() => Promise<void>)[];
  usedMs: number;
}

export class Turns {
  readonly #clock: Clock;
  /** Aborted when the server stops. */
  readonly #stopping: AbortSignal;
  /** By workspace. One stays while others wait, so that leaving the line does not forget what it used. */
  readonly #lines = new Map<number, Line>();
  #isRunning = false;

  constructor(clock: Clock, stopping: AbortSignal) {
    this.#clock = clock;
    this.#stopping = stopping;
  }

  take<T>(workspaceId: number, slice: () => T | Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const line = this.#lines.get(workspaceId) ?? { slices: [], usedMs: this.#next()?.usedMs ?? 0 };
      this.#lines.set(workspaceId, line);
      line.slices.push(() => Promise.resolve().then(slice).then(resolve, reject));
      if (!this.#isRunning) void this.#run();
    });
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (let line = this.#next(); line !== undefined; line = this.#next()) {
      const startedAt = this.#clock.monotonic();
      await line.slices.shift()?.();
      const tookMs = this.#clock.monotonic() - startedAt;
      line.usedMs += tookMs;
      // Under a clock that stands still, nothing takes time and nothing is paused for.
      if (tookMs === 0) await nextTurn();
      else await sleep(this.#clock, Math.min(Math.ceil(tookMs), PAUSE_MAX_MS), this.#stopping);
    }
    this.#lines.clear();
    this.#isRunning = false;
  }

  #next(): Line | undefined {
    let next: Line | undefined;
    for (const line of this.#lines.values()) {
      if (line.slices.length > 0 && (next === undefined || line.usedMs < next.usedMs)) next = line;
    }
    return next;
  }
}
