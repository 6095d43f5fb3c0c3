/**
 * What domain code receives instead of a database: a transaction that the store begins and commits. Everything done
 * through it is synchronous, so no transaction is ever open across an `await`.
 */
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { LogFields, LogLevel } from "#src/core/log.ts";
import type { LogEvent } from "#src/core/log-events.ts";
import type { Random } from "#src/core/random.ts";
import { compileQuery } from "./compiled-query.ts";

export type Db = BetterSQLite3Database<Record<string, never>>;

/** A read transaction: one consistent snapshot of the data. */
export interface ReadTx {
  readonly db: Db;
  /** The same object for all reads that see the same state of the data; usable as a cache key for what was read. */
  readonly snapshot: object;
  /** Wall time of the operation in milliseconds, fixed when it starts. */
  readonly now: number;
  /** A hash under the installation's secret key, to recognise a value without storing it. */
  keyedHash(value: string): Uint8Array;
}

/** A write transaction. Nothing done through it takes effect before its group commits. */
export interface Tx extends ReadTx {
  /** Source of ids, send tokens and keys. */
  readonly random: Random;
  /**
   * Runs once the operation is on disk. Use it to notify a worker, not to do the work. Dropped if the operation is
   * rolled back.
   */
  afterCommit(effect: () => void): void;
  /** Writes an entry to the server's log once the operation is on disk. Commands have no log and drop it. */
  logAfterCommit(level: LogLevel, event: LogEvent, message: string, fields?: LogFields): void;
  /** Notifies the listener of this topic, once the operation is on disk, that there is work. */
  notify(topic: string): void;
  /**
   * Runs `work` as a nested transaction. If it throws, its writes are rolled back and its `afterCommit` effects
   * dropped; the rest of the operation stands, and the error is rethrown to the caller.
   */
  savepoint<T>(work: () => NotPromise<T>): T;
}

/** Rejects promises at compile time: an asynchronous operation would be committed before it had finished. */
export type NotPromise<T> = T extends PromiseLike<unknown> ? never : T;

/**
 * Declares a prepared statement next to the code that uses it. It is prepared once per connection, at its first use,
 * because building a drizzle query takes many times longer than running it.
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

/** Rows per statement, largest first. */
const ROWS_PER_STATEMENT = [32, 8, 1] as const;

/**
 * Declares an INSERT of any number of rows, several per statement, for tables with triggers. Each row is an object of
 * placeholder values. For tables with triggers, SQLite keeps a statement journal inside an operation, which costs more
 * than several rows do; an INSERT of one row into a table without triggers needs no journal and is cheaper on its own
 * (measured). `build` returns the INSERT of `count` rows; each placeholder's name ends with the index of its row.
 */
export function rowStatement<Row extends object>(
  build: (db: Db, count: number) => { run(values: Record<string, unknown>): unknown },
): (tx: ReadTx, rows: readonly Row[]) => void {
  const sizes = ROWS_PER_STATEMENT.map((count) => ({ count, prepared: statement((db) => build(db, count)) }));
  // Cached: building a name for each value costs more than binding the value.
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
