/**
 * Asks once a day whether there is a newer release, if the operator wants that. It reads the release's version, verified
 * like every release, and sends nothing about this server.
 */
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { compareVersions, openRelease, readPublicKey } from "./signed-release.ts";

interface NoticeOptions {
  clock: Pick<Clock, "setTimer">;
  log: Log;
  address: string;
  /** As `readPublicKey` reads it. */
  key: string;
  /** What runs. */
  version: string;
  /** linux-x64, for example. */
  platform: string;
}

const DAY_MS = 24 * 60 * 60_000;
const FIRST_MS = 60_000;
const RETRY_MS = 6 * 60 * 60_000;

export class NewerVersionNotice extends ServiceLoop {
  readonly #options: NoticeOptions;
  #newer: string | null = null;

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

  /** Null: none is known. */
  get newer(): string | null {
    return this.#newer;
  }

  async runOnce(): Promise<NextRun> {
    const { address, key, version, platform, log } = this.#options;
    if (address === "" || key === "") throw new Error("this executable knows no address or key of releases");
    const release = await openRelease(address, readPublicKey(key), platform);
    const isNewer = compareVersions(release.version, version) > 0;
    if (isNewer && this.#newer !== release.version) {
      log.info("upgrade.available", "A newer release is available", { version: release.version });
    }
    this.#newer = isNewer ? release.version : null;
    return DAY_MS;
  }
}
