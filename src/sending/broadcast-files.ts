/** Gives the network the uploads that a broadcast sends, before its recipients are claimed. */
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { Problem } from "#src/core/problem.ts";
import type { Store } from "#src/db/store.ts";
import { pauseForFile } from "#src/domain/broadcasts/uploads.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import type { PrepareOptions } from "./prepare-send.ts";

export interface BroadcastFilesOptions {
  store: Store;
  clock: Clock;
  log: Log;
  provideFile: PrepareOptions["provideFile"];
}

/** After the network could not take a file. */
const RETRY_MS = 60_000;

export class BroadcastFiles {
  readonly #options: BroadcastFilesOptions;
  #running = 0;

  constructor(options: BroadcastFilesOptions) {
    this.#options = options;
  }

  /** True while a file is on its way: the work continues without a timer. */
  get isWorking(): boolean {
    return this.#running > 0;
  }

  /** Returns when the broadcast is due again, wall time; 0: at once. A refusal of the file pauses it. Never rejects. */
  async provide(broadcastId: number, number: SendingNumber, uploadIds: readonly number[]): Promise<number> {
    const { store, clock, log, provideFile } = this.#options;
    this.#running += 1;
    try {
      for (const uploadId of uploadIds) await provideFile(number, uploadId);
      return 0;
    } catch (error) {
      const isRefused = error instanceof Problem && error.code !== "unavailable";
      if (isRefused) {
        await store.write((tx) => pauseForFile(tx, broadcastId, error.message)).catch(() => undefined);
      } else {
        const message = "A file of a broadcast could not be given to the network; trying again";
        log.warn("broadcast.file_failed", message, { broadcast: broadcastId, error });
      }
      return clock.now() + RETRY_MS;
    } finally {
      this.#running -= 1;
    }
  }
}
