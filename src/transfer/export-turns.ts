/**
 * Lets exports produce their next piece one at a time on the whole server, workspaces in turn. Each piece takes the
 * thread that answers requests, so a pause about as long follows it: however many exports run, half of the time is left.
 */
import { type Clock, sleep } from "#src/core/clock.ts";
import { FairQueue } from "./fair-queue.ts";

const PAUSE_MS = { min: 1, max: 20 };

export class ExportTurns {
  readonly #clock: Clock;
  /** Aborted when the server stops. */
  readonly #stopping: AbortSignal;
  readonly #queue = new FairQueue(1);

  constructor(clock: Clock, stopping: AbortSignal) {
    this.#clock = clock;
    this.#stopping = stopping;
  }

  take<T>(workspaceId: number, produce: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#queue.add(workspaceId, async () => {
        const startedAt = this.#clock.monotonic();
        await produce().then(resolve, reject);
        const tookMs = this.#clock.monotonic() - startedAt;
        await sleep(this.#clock, Math.min(Math.max(Math.ceil(tookMs), PAUSE_MS.min), PAUSE_MS.max), this.#stopping);
      });
    });
  }
}
