/** Prepared rows between reading and writing, in the order of the file. */
import type { PreparedRow, RowsPart } from "./prepare.ts";

/** Some rows that follow each other. */
export interface Step {
  rows: readonly PreparedRow[];
  /** The unchanged cells of the row at this place of `rows`. */
  cells: (place: number) => readonly string[];
}

export class RowBuffer {
  readonly #parts: RowsPart[] = [];
  /** The rows of the first part once they are unpacked, and how many of them are taken. */
  #rows: PreparedRow[] | null = null;
  #taken = 0;
  #count = 0;

  /** How many rows wait. */
  get count(): number {
    return this.#count;
  }

  add(part: RowsPart): void {
    this.#parts.push(part);
    this.#count += part.count;
  }

  /** Takes the next rows, up to `limit`, and fewer at the end of a part. Null if there are none. */
  take(limit: number): Step | null {
    const [part] = this.#parts;
    if (part === undefined) return null;
    this.#rows ??= part.rows();
    const from = this.#taken;
    const rows = this.#rows.slice(from, from + limit);
    this.#taken += rows.length;
    this.#count -= rows.length;
    if (this.#taken >= part.count) {
      this.#parts.shift();
      this.#rows = null;
      this.#taken = 0;
    }
    return { rows, cells: (place) => part.cells()[from + place] ?? [] };
  }
}
