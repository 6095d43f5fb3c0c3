/**
 * Whether the paths of an open database still lead to the files that were opened. What is written to a file that was
 * unlinked or replaced would be lost, so nothing is written until the files are back.
 */
import { statSync } from "node:fs";
import { systemClock } from "#src/core/clock.ts";

/** `log_gone`, `log_replaced`: of the write-ahead log. */
export type FileState = "same" | "gone" | "replaced" | "log_gone" | "log_replaced";

/** Commits in quick succession share a look: it takes two system calls. */
const SHARED_MS = 2;

export class FileWatch {
  readonly #database: string;
  readonly #opened: { database: bigint | null; log: bigint | null };
  #lookedAt = Number.NEGATIVE_INFINITY;
  #state: FileState = "same";

  /** Call it after the first write: the log exists then, for as long as the database is open. */
  constructor(database: string) {
    this.#database = database;
    this.#opened = { database: inodeOf(database), log: inodeOf(`${database}-wal`) };
  }

  /** Looks now. */
  look(): FileState {
    const { database, log } = this.#opened;
    this.#state = compare(database, inodeOf(this.#database), "gone", "replaced");
    if (this.#state === "same")
      this.#state = compare(log, inodeOf(`${this.#database}-wal`), "log_gone", "log_replaced");
    this.#lookedAt = systemClock.monotonic();
    return this.#state;
  }

  /** True if the files are where they were, as of a moment ago at the latest. */
  isInPlace(): boolean {
    return (systemClock.monotonic() - this.#lookedAt < SHARED_MS ? this.#state : this.look()) === "same";
  }
}

function compare(opened: bigint | null, present: bigint | null, gone: FileState, replaced: FileState): FileState {
  if (opened === present || opened === null) return "same";
  return present === null ? gone : replaced;
}

/** The inode cannot be given to another file while this process has the file open. */
function inodeOf(path: string): bigint | null {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino ?? null;
}
