/** Detects commits of other processes to the same database file, such as those of a command line beside the server. */
import { systemClock } from "#src/core/clock.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import type { Store } from "./store.ts";

interface OtherCommitsOptions {
  store: Pick<Store, "dataVersion">;
  /** Called after other processes have committed. */
  onOtherCommit: () => void;
  /** Called at every poll. */
  onPoll: () => void;
  onError: (error: unknown) => void;
}

const POLL_INTERVAL_MS = 250;
const RETRY_AFTER_FAULT_MS = 10_000;

export class OtherCommits extends ServiceLoop {
  readonly #options: OtherCommitsOptions;
  #lastVersion: number;

  /** It polls by the system clock, whatever clock the server runs on: the other process lives in real time. */
  constructor(options: OtherCommitsOptions) {
    super({ name: "other_commits", clock: systemClock, retryAfterMs: RETRY_AFTER_FAULT_MS, onError: options.onError });
    this.#options = options;
    this.#lastVersion = options.store.dataVersion();
  }

  /** Never: a poll is one synchronous read. */
  override get isActive(): boolean {
    return false;
  }

  async runOnce(): Promise<NextRun> {
    const { store, onOtherCommit, onPoll } = this.#options;
    const version = store.dataVersion();
    if (version !== this.#lastVersion) {
      this.#lastVersion = version;
      onOtherCommit();
    }
    onPoll();
    return POLL_INTERVAL_MS;
  }
}
