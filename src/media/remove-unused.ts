/** Removes files from disk that no medium has any more, in small batches. */
import { type Clock, sleep } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import type { Store } from "#src/db/store.ts";
import { removeUnused } from "#src/domain/media/release.ts";
import type { MediaFiles } from "./files.ts";

const BATCH = 25;
const PAUSE_MS = 5;
const RETRY_MS = 60_000;

interface RemoverOptions {
  store: Store;
  clock: Clock;
  log: Log;
  files: MediaFiles;
}

export class UnusedMediaRemover extends ServiceLoop {
  readonly #options: RemoverOptions;

  constructor(options: RemoverOptions) {
    const { clock, log } = options;
    super({
      name: "unused_media",
      clock,
      isUpkeep: true,
      retryAfterMs: RETRY_MS,
      onError: (error) =>
        log.error("media.remove_failed", "Media could not be removed; trying again in a minute", { error }),
    });
    this.#options = options;
  }

  async runOnce(): Promise<NextRun> {
    await removeUnusedMedia(this.#options, () => this.isStopped);
    return null;
  }
}

/** Returns when no file is left that nothing has. */
export async function removeUnusedMedia(
  { store, clock, files }: Pick<RemoverOptions, "store" | "clock" | "files">,
  isStopped: () => boolean = () => false,
): Promise<void> {
  while (!isStopped()) {
    const removed = await store.write((tx) => removeUnused(tx, (file) => files.remove(file), BATCH));
    if (removed < BATCH) return;
    await sleep(clock, PAUSE_MS);
  }
}
