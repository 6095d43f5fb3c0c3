/**
 * Databases that an upgrade or a restore has put aside, beside the present one: `waxwing.db.before-schema-N-<time>` and
 * `waxwing.db.replaced-<time>`. They hold people's data and take space, so they are deleted after a month; the newest
 * stays, as the way back.
 */
import { readdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import { readFileTime } from "./files.ts";

interface KeptCopy {
  /** The database and its companions (log, digest). */
  files: string[];
  keptAt: number;
  bytes: number;
}

const DAY_MS = 24 * 60 * 60_000;
const KEPT_MS = 30 * DAY_MS;
const FIRST_LOOK_MS = 10 * 60_000;
const NAME = /^((?:before-schema-\d+|replaced)-\d{8}T\d{6}Z(?:-\d+)?)(?:$|[.-])/;

/** The newest first. */
export function listKeptCopies(database: string): KeptCopy[] {
  const directory = dirname(database);
  const prefix = `${basename(database)}.`;
  const copies = new Map<string, KeptCopy>();
  for (const name of readdirSync(directory).filter((one) => one.startsWith(prefix))) {
    const id = NAME.exec(name.slice(prefix.length))?.[1];
    const keptAt = readFileTime(id ?? "");
    if (id === undefined || keptAt === null) continue;
    const copy = copies.get(id) ?? { files: [], keptAt, bytes: 0 };
    const file = join(directory, name);
    copy.files.push(file);
    copy.bytes += statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    copies.set(id, copy);
  }
  return [...copies.values()].toSorted((a, b) => b.keptAt - a.keptAt);
}

/** When each copy is deleted at the latest, milliseconds; null for the newest, which stays. */
export function keptUntil(database: string): { place: string; until: number | null }[] {
  return listKeptCopies(database).map(({ files, keptAt }, index) => ({
    place: files.toSorted()[0] ?? "",
    until: index === 0 ? null : keptAt + KEPT_MS + DAY_MS,
  }));
}

interface SweepOptions {
  database: string;
  clock: Clock;
  log: Log;
}

/** Looks once a day. */
export class KeptCopies extends ServiceLoop {
  readonly #options: SweepOptions;

  constructor(options: SweepOptions) {
    const { clock, log } = options;
    super({
      name: "kept_copies",
      clock,
      isUpkeep: true,
      firstRunAfterMs: FIRST_LOOK_MS,
      retryAfterMs: DAY_MS,
      onError: (error) =>
        log.error("backup.copies_failed", "Old copies of the database could not be deleted", { error }),
    });
    this.#options = options;
  }

  async runOnce(): Promise<NextRun> {
    const { database, clock, log } = this.#options;
    const [, ...older] = listKeptCopies(database);
    for (const { files, keptAt, bytes } of older.filter((copy) => clock.now() - copy.keptAt > KEPT_MS)) {
      for (const file of files) rmSync(file, { force: true });
      const kept = new Date(keptAt).toISOString();
      log.info("backup.copy_deleted", "A copy of the database that was put aside a month ago is deleted", {
        kept,
        bytes,
      });
    }
    return DAY_MS;
  }
}
