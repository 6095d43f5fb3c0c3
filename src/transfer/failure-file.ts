/** The rows of a file that could not be taken, as a file that can be corrected and given again. */
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { csvLine } from "./csv.ts";

/** Rows that could not be taken, as they were, with their line and the reason; made at the first one. */
export class FailureFile {
  readonly path: string;
  header: readonly string[] = [];
  count = 0;
  #handle: number | null = null;

  /** `handle`: the file, empty, where it is open already. */
  constructor(path: string, handle: number | null = null) {
    this.path = path;
    this.#handle = handle;
    // What an earlier run left would be taken for this one's.
    if (handle === null) rmSync(path, { force: true });
  }

  add(line: number, cells: readonly string[], reason: string): void {
    this.#handle ??= openSync(this.path, "w", 0o600);
    if (this.count === 0) writeSync(this.#handle, csvLine([...this.header, "line", "error"]));
    this.count += 1;
    const padded = this.header.length === 0 ? cells : this.header.map((_, index) => cells[index] ?? "");
    writeSync(this.#handle, csvLine([...padded, String(line), reason]));
  }

  close(): void {
    if (this.#handle !== null) closeSync(this.#handle);
  }
}
