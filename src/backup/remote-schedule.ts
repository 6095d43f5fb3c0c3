/**
 * Sends the newest sound backup off-site, once it is there and not yet in the store: after each scheduled backup, and
 * after a start that finds one. A failed attempt is repeated, after longer and longer waits, until a newer backup takes
 * its place.
 */
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import type { ArchivedFiles } from "./archive/archive.ts";
import type { BackupJobs } from "./jobs.ts";
import { placeOf, type RemoteSettings } from "./remote/settings.ts";
import { lastProvedAt, type RemoteState, readRemoteState } from "./remote/state.ts";
import { faultsOf } from "./verification-reports.ts";

interface RemoteOptions {
  clock: Clock;
  log: Log;
  /** Makes the backups. */
  jobs: BackupJobs;
  /** Sends them: an upload takes its time, and no other job waits for it. */
  sending: BackupJobs;
  settings: RemoteSettings;
  files: ArchivedFiles;
}

const MINUTE_MS = 60_000;
const RETRY_AFTER_MS = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 60 * MINUTE_MS];

export class RemoteBackups extends ServiceLoop {
  readonly #options: RemoteOptions;
  /** Attempts that failed since the start or the last success. */
  #failed = 0;
  #dueAt = 0;

  constructor(options: RemoteOptions) {
    const { clock, log, jobs, sending } = options;
    super({
      name: "remote_backups",
      clock,
      isUpkeep: true,
      retryAfterMs: MINUTE_MS,
      onError: (error) =>
        log.error("remote.not_started", "Sending a backup off-site could not be started; trying again", { error }),
    });
    this.#options = options;
    jobs.onEnd(() => this.notify());
    sending.onEnd(({ outcome }) => {
      this.#count(outcome !== null);
      this.notify();
    });
  }

  get place(): string {
    return placeOf(this.#options.settings);
  }

  get state(): RemoteState {
    return readRemoteState(this.#options.jobs.directory, this.place);
  }

  lastProvedAt(): number | null {
    return lastProvedAt(this.state);
  }

  override get isActive(): boolean {
    return super.isActive || this.#options.sending.isActive;
  }

  override stop(): void {
    super.stop();
    this.#options.sending.stop();
  }

  async runOnce(): Promise<NextRun> {
    const { clock, jobs, sending, settings, files } = this.#options;
    const newest = jobs.list().find(({ verificationReport }) => {
      return verificationReport?.digest != null && faultsOf(verificationReport).length === 0;
    });
    // The end of a job notifies.
    if (newest === undefined || sending.isActive) return null;
    if (this.state.archives.some(({ backup }) => backup === newest.name)) return null;
    const waitMs = this.#dueAt - clock.now();
    if (this.#failed > 0 && waitMs > 0) return Math.min(waitMs, 60 * MINUTE_MS);
    sending.start({ kind: "send", name: newest.name, settings, files });
    return null;
  }

  #count(isSent: boolean): void {
    this.#failed = isSent ? 0 : this.#failed + 1;
    const delay = RETRY_AFTER_MS[Math.min(this.#failed, RETRY_AFTER_MS.length) - 1] ?? 0;
    this.#dueAt = this.#options.clock.now() + delay;
  }
}
