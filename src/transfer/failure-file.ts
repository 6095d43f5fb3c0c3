/** The file of rows that an import rejected, or of which it skipped cells, to be corrected and imported again. */
import { closeSync, existsSync, fstatSync, fsyncSync, ftruncateSync, openSync, rmSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { showControls } from "#src/core/shown-text.ts";
import { csvLine } from "./csv-line.ts";

/** Lines wait in memory up to this many characters. */
const CHARACTERS_WAITING = 64 * 1024;

/** What a file has when nothing was written to it. */
const NOTHING = { bytes: 0, rows: 0 } as const;

/** Such rows, each with line number and reason before it; an import restores every cell as it was. The file is created with the first row. */
export class FailureFile {
  readonly path: string;
  header: readonly string[] = [];
  /** The file lacks rows that an earlier run wrote to it: it was removed, or the machine lost power. */
  readonly isIncomplete: boolean;
  #count: number;
  #bytes: number;
  #handle: number | null;
  /** Something was written since the last sync. */
  #isUnsynced = false;
  /** The file was made here, and its name may not be on the disk yet. */
  #isNameUnsynced = false;
  #waiting: string[] = [];
  #characters = 0;

  /**
   * `handle`: the file, if it is already open. `kept`: what an earlier run of the import wrote to it and recorded; what
   * follows in the file is written again.
   */
  constructor(path: string, handle: number | null = null, kept: { bytes: number; rows: number } = NOTHING) {
    this.path = path;
    this.#count = kept.rows;
    // Remove the file of an earlier import, which would be mistaken for this one's.
    if (handle === null && kept.bytes === 0) rmSync(path, { force: true });
    this.#handle = handle ?? (kept.bytes > 0 && existsSync(path) ? openSync(path, "r+") : null);
    const size = this.#handle === null ? 0 : fstatSync(this.#handle).size;
    this.isIncomplete = size < kept.bytes;
    this.#bytes = Math.min(size, kept.bytes);
    if (this.#handle !== null) ftruncateSync(this.#handle, this.#bytes);
  }

  /** Of this import. */
  get count(): number {
    return this.#count;
  }

  add(line: number, cells: readonly string[], reason: string): void {
    if (this.#bytes === 0 && this.#waiting.length === 0) this.#write(["line", "error", ...this.header]);
    this.#count += 1;
    const padded = this.header.length === 0 ? cells : this.header.map((_, index) => cells[index] ?? "");
    this.#write([String(line), reason, ...padded]);
    if (this.#characters >= CHARACTERS_WAITING) this.flush();
  }

  /** Writes what waits. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    const bytes = Buffer.from(this.#waiting.join(""));
    if (this.#handle === null) {
      this.#handle = openSync(this.path, "w", 0o600);
      this.#isNameUnsynced = true;
    }
    this.#isUnsynced = true;
    for (let done = 0; done < bytes.byteLength; ) {
      done += writeSync(this.#handle, bytes, done, bytes.byteLength - done, this.#bytes + done);
    }
    this.#bytes += bytes.byteLength;
    this.#waiting = [];
    this.#characters = 0;
  }

  /** Writes what waits, and says what the file then has. It is on the disk before anything says that it is there. */
  sync(): { bytes: number; rows: number } {
    this.flush();
    if (this.#handle !== null && this.#isUnsynced) fsyncSync(this.#handle);
    this.#isUnsynced = false;
    if (this.#isNameUnsynced) syncFolder(dirname(this.path));
    this.#isNameUnsynced = false;
    return { bytes: this.#bytes, rows: this.#count };
  }

  /** Call it once all rows are added. */
  close(): void {
    this.sync();
    this.abandon();
  }

  /** Closes the file, if it is open, without the rows that wait: no commit has named them. */
  abandon(): void {
    this.#waiting = [];
    this.#characters = 0;
    if (this.#handle !== null) closeSync(this.#handle);
    this.#handle = null;
  }

  #write(cells: readonly string[]): void {
    const line = csvLine(cells.map(showControls));
    this.#waiting.push(line);
    this.#characters += line.length;
  }
}

function syncFolder(path: string): void {
  let folder: number;
  try {
    folder = openSync(path, "r");
  } catch (error) {
    // A folder in which one may write and not read cannot be opened: its names are left to the system.
    if (error instanceof Error && "code" in error && error.code === "EACCES") return;
    throw error;
  }
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
