/** The file of rows that an import rejected, or of which it skipped cells, to be corrected and imported again. */
import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { showControls } from "#src/core/shown-text.ts";
import { csvLine } from "./csv-line.ts";

/** Such rows, each with line number and reason before it; an import restores every cell as it was. The file is created with the first row. */
export class FailureFile {
  readonly path: string;
  header: readonly string[] = [];
  count = 0;
  #handle: number | null = null;

  /** `handle`: the file, if it is already open and empty. */
  constructor(path: string, handle: number | null = null) {
    this.path = path;
    this.#handle = handle;
    // Remove the file of an earlier run, which would be mistaken for this one's.
    if (handle === null) rmSync(path, { force: true });
  }

  add(line: number, cells: readonly string[], reason: string): void {
    this.#handle ??= openSync(this.path, "w", 0o600);
    if (this.count === 0) writeSync(this.#handle, csvLine(["line", "error", ...this.header].map(showControls)));
    this.count += 1;
    const padded = this.header.length === 0 ? cells : this.header.map((_, index) => cells[index] ?? "");
    writeSync(this.#handle, csvLine([String(line), reason, ...padded].map(showControls)));
  }

  close(): void {
    if (this.#handle !== null) closeSync(this.#handle);
  }
}
