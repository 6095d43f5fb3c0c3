/**
 * What domain code is given instead of a database: a transaction that somebody else begins and commits. Everything that
 * is done through it is synchronous, so no transaction is ever open across an `await`.
 */
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { Random } from "#src/core/random.ts";
import { compileQuery } from "./compiled-query.ts";

export type Db = BetterSQLite3Database<Record<string, never>>;

/** Enough to read with: one consistent view of the data. */
export interface ReadTx {
  readonly db: Db;
  /** The same object for all who see the same state of the data: what was read once is true for each of them. */
  readonly snapshot: object;
  /** Wall time of the operation in milliseconds, fixed when it starts. */
  readonly now: number;
  /** A hash under the installation's own key: recognises a value without keeping it. */
  keyedHash(value: string): Uint8Array;
}

/** A write transaction. Nothing done through it counts before the commit of the group that it belongs to. */
export interface Tx extends ReadTx {
  /** Where ids, references and keys come from. */
  readonly random: Random;
  /** Runs once the operation is on disk: to wake a worker, never to do the work. Dropped when the operation is undone. */
  afterCommit(effect: () => void): void;
  /** Tells whoever does this kind of work that there is some, once it is on disk. */
  notify(topic: string): void;
  /**
   * Runs a part that can be undone alone: when it throws, its writes and its `afterCommit` effects are taken back, the
   * rest of the operation stays, and the error goes on to the caller.
   */
  savepoint<T>(work: () => NotPromise<T>): T;
}

/** Refuses promises by type: an operation that could await would be committed before it had run. */
export type NotPromise<T> = T extends PromiseLike<unknown> ? never : T;

/**
 * Declares a prepared statement beside the code that uses it. It is prepared once for each connection, at its first use:
 * building a drizzle query takes many times longer than running it.
 */
export function statement<Prepared extends object>(build: (db: Db) => Prepared): (tx: ReadTx) => Prepared {
  const prepared = new WeakMap<Db, Prepared>();
  return ({ db }) => {
    const cached = prepared.get(db);
    if (cached !== undefined) return cached;
    const compiled = compileQuery(build(db));
    prepared.set(db, compiled);
    return compiled;
  };
}

/** Rows of one statement, the most first. */
const ROWS_PER_STATEMENT = [32, 8, 1] as const;

/**
 * Declares an INSERT of any number of rows, each an object of the placeholders' values, many rows a statement: for tables
 * with triggers. For those SQLite keeps a journal of each statement inside an operation, which costs more than several
 * rows; a single row into a table without triggers needs none, and is cheaper alone (measured).
 * `build` makes the INSERT of `count` rows; the row's place stands behind the name of each of its placeholders.
 */
export function rowStatement<Row extends object>(
  build: (db: Db, count: number) => { run(values: Record<string, unknown>): unknown },
): (tx: ReadTx, rows: readonly Row[]) => void {
  const sizes = ROWS_PER_STATEMENT.map((count) => ({ count, prepared: statement((db) => build(db, count)) }));
  // Put together once: a name made anew for each value costs more than binding it.
  const placeholderNames = Array.from({ length: ROWS_PER_STATEMENT[0] }, () => new Map<string, string>());
  const placeholderName = (index: number, name: string): string => {
    const cached = placeholderNames[index]?.get(name);
    if (cached !== undefined) return cached;
    placeholderNames[index]?.set(name, name + index);
    return name + index;
  };
  return (tx, rows) => {
    let done = 0;
    for (const { count, prepared } of sizes) {
      for (; rows.length - done >= count; done += count) {
        const values: Record<string, unknown> = {};
        for (let index = 0; index < count; index++) {
          const row = rows[done + index];
          for (const name in row) values[placeholderName(index, name)] = row[name];
        }
        prepared(tx).run(values);
      }
    }
  };
}
