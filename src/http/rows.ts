/**
 * The entries of an answer, made one after the other: in slices, each in a transaction of its own, so that a large answer
 * neither holds the thread nor lies in memory as a whole.
 */
import type { Clock } from "#src/core/clock.ts";
import { SLICE_MS } from "#src/core/turns.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx } from "#src/db/transaction.ts";

/** A slice ends with this many characters. */
export const PIECE_SIZE = 256 * 1024;

declare const content: unique symbol;

export class Rows<View> {
  declare readonly [content]: View;
  readonly count: number;
  /** The JSON of one entry; null: its row is gone by now. */
  readonly json: (index: number, tx: ReadTx) => string | null;

  private constructor(count: number, json: Rows<View>["json"]) {
    this.count = count;
    this.json = json;
  }

  /** `view` gets the transaction of its slice. Null or undefined: the row is gone by now. */
  static of<Row, View>(rows: readonly Row[], view: (row: Row, tx: ReadTx) => View | null | undefined): Rows<View> {
    return new Rows(rows.length, (index, tx) => {
      const shown = view(rows[index] as Row, tx);
      return shown === null || shown === undefined ? null : JSON.stringify(shown);
    });
  }

  /** The same where the entries are JSON already. */
  static ofJson<View>(rows: readonly number[], json: (row: number, tx: ReadTx) => string): Rows<View> {
    return new Rows(rows.length, (index, tx) => json(rows[index] ?? 0, tx));
  }
}

/** The JSON text of `{data, meta}`, piece by piece. */
export class Pieces {
  readonly #call: { store: Store; clock: Clock };
  readonly #rows: Rows<unknown>;
  readonly #meta: (() => object) | null;
  #at = 0;
  #isOpen = false;
  #isDone = false;

  /** `meta` is asked for after the last entry; null: the answer has none. */
  constructor(call: { store: Store; clock: Clock }, rows: Rows<unknown>, meta: (() => object) | null) {
    this.#call = call;
    this.#rows = rows;
    this.#meta = meta;
  }

  get rowCount(): number {
    return this.#rows.count;
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  /** Works for one slice, of so many milliseconds; an empty text after the end. */
  next(sliceMs = SLICE_MS): string {
    if (this.#isDone) return "";
    const { store, clock } = this.#call;
    const startedAt = clock.monotonic();
    let text = "";
    store.read((tx) => {
      while (this.#at < this.#rows.count && text.length < PIECE_SIZE && clock.monotonic() - startedAt < sliceMs) {
        const entry = this.#rows.json(this.#at++, tx);
        if (entry === null) continue;
        text += (this.#isOpen ? "," : '{"data":[') + entry;
        this.#isOpen = true;
      }
    });
    if (this.#at < this.#rows.count) return text;
    this.#isDone = true;
    const meta = this.#meta === null ? "" : `,"meta":${JSON.stringify(this.#meta())}`;
    return `${text}${this.#isOpen ? "" : '{"data":['}]${meta}}`;
  }
}
