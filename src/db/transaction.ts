/**
 * What domain code receives instead of a database: a transaction that the store begins and commits. Everything done
 * through it is synchronous, so no transaction is ever open across an `await`.
 */
import type { BetterSQLite3Database } from "drizzle-orm/better-sqlite3";
import type { LogFields, LogLevel } from "#src/core/log.ts";
import type { LogEvent } from "#src/core/log-events.ts";
import type { Random } from "#src/core/random.ts";
import type { Client } from "./driver.ts";

export type Db = BetterSQLite3Database<Record<string, never>> & { $client: Client };

/** A read transaction: one consistent snapshot of the data. */
export interface ReadTx {
  readonly db: Db;
  /** The same object for all reads that see the same state of the data; usable as a cache key for what was read. */
  readonly snapshot: object;
  /** The same object while no remembered row can have changed: see `settings-cache.ts`. */
  readonly settingsState: object;
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

/** Compiles a statement at its first use on a connection, and keeps it for that connection. */
export function oncePerConnection<Compiled extends object>(compile: (db: Db) => Compiled): (tx: ReadTx) => Compiled {
  const perConnection = new WeakMap<Db, Compiled>();
  // A server's statements run on one connection.
  let latest: { db: Db; compiled: Compiled } | null = null;
  return ({ db }) => {
    if (latest?.db === db) return latest.compiled;
    const compiled = perConnection.get(db) ?? compile(db);
    perConnection.set(db, compiled);
    latest = { db, compiled };
    return compiled;
  };
}
