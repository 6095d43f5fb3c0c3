/**
 * Whether there is a newer release, and what changed: asked once a day, if the operator wants that, and when an operator
 * presses a button. It reads the release's version and changelog, verified like every release, and sends nothing about this
 * server.
 */
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { compareVersions } from "./compare-versions.ts";
import type { VersionNotes } from "./release-notes.ts";
import { openRelease, readPublicKey } from "./signed-release.ts";

interface NoticeOptions {
  clock: Pick<Clock, "setTimer" | "now">;
  log: Log;
  address: string;
  /** As `readPublicKey` reads it. */
  key: string;
  /** What runs. */
  version: string;
  /** linux-x64, for example. */
  platform: string;
}

/** What is known of the newest release. */
interface ReleaseState {
  /** When the address of releases was last asked; null: not since the start. */
  checkedAt: number | null;
  /** Null: none was read. */
  release: { version: string; schema: number; isNewer: boolean; changes: VersionNotes[] } | null;
  /** Why the last question had no answer; null: it had one. */
  failure: string | null;
}

const DAY_MS = 24 * 60 * 60_000;
const FIRST_MS = 60_000;
const RETRY_MS = 6 * 60 * 60_000;
/** Of one file: a person may be waiting. */
const DOWNLOAD_LIMIT_MS = 20_000;

export class NewerVersionNotice extends ServiceLoop {
  readonly #options: NoticeOptions;
  #state: ReleaseState = { checkedAt: null, release: null, failure: null };
  /** Of those who ask at the same time, one asks. */
  #asking: Promise<void> | null = null;

  constructor(options: NoticeOptions) {
    const { clock, log } = options;
    super({
      name: "newer version",
      clock,
      isUpkeep: true,
      retryAfterMs: RETRY_MS,
      firstRunAfterMs: FIRST_MS,
      onError: (error) => log.warn("upgrade.notice_failed", "The newest release could not be read", { error }),
    });
    this.#options = options;
  }

  /** Where releases are; null: this executable knows no such place, or no key to verify them. */
  get place(): string | null {
    const { address, key } = this.#options;
    return address === "" || key === "" ? null : address;
  }

  get state(): ReleaseState {
    return this.#state;
  }

  /** Null: none is known. */
  get newer(): string | null {
    const { release } = this.#state;
    return release?.isNewer === true ? release.version : null;
  }

  async runOnce(): Promise<NextRun> {
    await this.#ask();
    return DAY_MS;
  }

  /** Asks now; why it failed is in the state. */
  async check(): Promise<ReleaseState> {
    await this.#ask().catch(() => undefined);
    return this.#state;
  }

  /** A release that was read stays known where a later question fails. */
  #ask(): Promise<void> {
    this.#asking ??= this.#read()
      .catch((error: unknown) => {
        const failure = error instanceof Error ? error.message : String(error);
        this.#state = { ...this.#state, checkedAt: this.#options.clock.now(), failure };
        throw error;
      })
      .finally(() => {
        this.#asking = null;
      });
    return this.#asking;
  }

  async #read(): Promise<void> {
    const { address, key, version, platform, log, clock } = this.#options;
    if (this.place === null) throw new Error("this executable knows no address or key of releases");
    const found = await openRelease(address, readPublicKey(key), platform, DOWNLOAD_LIMIT_MS);
    const isNewer = compareVersions(found.version, version) > 0;
    const changes = isNewer ? await found.readChanges(version) : [];
    if (isNewer && this.newer !== found.version) {
      log.info("upgrade.available", "A newer release is available", { version: found.version });
    }
    const release = { version: found.version, schema: found.schema, isNewer, changes };
    this.#state = { checkedAt: clock.now(), release, failure: null };
  }
}
