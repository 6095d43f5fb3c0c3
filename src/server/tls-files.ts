/**
 * Takes up the operator's own certificate files when they change: every few seconds it looks whether they are others, and
 * a pair that fits replaces the certificate in use. A pair that does not is refused, and the one in use stays.
 */
import { statSync } from "node:fs";
import type { Config } from "#src/config/config.ts";
import { readTls, type Tls, type TlsPaths } from "#src/config/tls.ts";
import { placeOf, SettingUnusable } from "#src/config/unusable.ts";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";

interface TlsFilesOptions {
  config: { server: TlsPaths } & Pick<Config, "places">;
  /** The pair in use. */
  tls: Tls;
  clock: Pick<Clock, "setTimer">;
  log: Log;
  onChange: (tls: Tls) => void;
}

const LOOK_EVERY_MS = 5_000;

export class TlsFiles extends ServiceLoop {
  readonly #options: TlsFilesOptions;
  #used: Tls;
  /** What the files looked like when they were last read. */
  #seen = "";
  #refused: string | null = null;

  constructor(options: TlsFilesOptions) {
    const { clock, log } = options;
    super({
      name: "tls_files",
      clock,
      retryAfterMs: LOOK_EVERY_MS,
      onError: (error) =>
        log.error("certificate.step_failed", "The certificate files could not be looked at", { error }),
    });
    this.#options = options;
    this.#used = options.tls;
  }

  async runOnce(): Promise<NextRun> {
    const paths = this.#options.config.server;
    const seen = [paths.tlsCert, paths.tlsKey].map(describeFile).join(" ");
    // Files that do not fit are read again: the other one of a pair may be on its way.
    if (seen !== this.#seen || this.#refused !== null) this.#take();
    this.#seen = seen;
    return LOOK_EVERY_MS;
  }

  #take(): void {
    const { config, log, onChange } = this.#options;
    const paths = config.server;
    try {
      const tls = readTls(paths);
      this.#refused = null;
      if (tls === null || (tls.cert === this.#used.cert && tls.key === this.#used.key)) return;
      this.#used = tls;
      onChange(tls);
      log.info("certificate.reloaded", "Changed certificate files are in use", { file: paths.tlsCert });
    } catch (error) {
      if (!(error instanceof SettingUnusable)) throw error;
      if (error.message !== this.#refused)
        log.warn("certificate.files_refused", "Certificate files cannot be used; the earlier certificate stays", {
          setting: placeOf(config, error.key),
          reason: error.message,
          next: error.next,
        });
      this.#refused = error.message;
    }
  }
}

/** Differs after any change of the file; a link that leads elsewhere is a change. */
function describeFile(path: string | null): string {
  const file = path === null ? undefined : statSync(path, { throwIfNoEntry: false });
  return file === undefined ? "none" : `${file.ino}:${file.size}:${file.mtimeMs}:${file.ctimeMs}`;
}
