/**
 * Group commit. Operations queued in one turn of the event loop run in one transaction, each in its own savepoint, and
 * share one fsync. An open savepoint is expensive: SQLite copies every page that changes in it, and walks through all the
 * copies at the end of each statement. Two kinds of groups have none. A single operation is undone by rolling back the
 * transaction. So is a group of repeatable operations: if one of them throws, which hardly ever happens, the
 * transaction is rolled back and the same operations run again, in savepoints. Guarantees:
 * - No promise settles before the commit, not even that of an operation that throws: its error may depend on another
 *   operation's uncommitted row.
 * - An operation that throws rolls back only its own writes.
 * - When the storage fails, SQLite ends the whole transaction, including its savepoints. No further operation of the
 *   group then runs, none of its changes is in the file, and every promise rejects with `StorageUnavailable`.
 */
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Random } from "#src/core/random.ts";
import type { Client } from "./driver.ts";
import { isBusy, isStorageFailure, StorageUnavailable } from "./failure.ts";
import type { FailureLatch } from "./failure-latch.ts";
import type { SettingsCache } from "./settings-cache.ts";
import type { Db, NotPromise, Tx } from "./transaction.ts";

/** Maximum number of operations in a group. It bounds how long the event loop is blocked. */
const GROUP_OPERATIONS_MAX = 256;
/** A group that has run this long commits; the rest of the queue waits for the next turn. */
const GROUP_DURATION_MS = 20;
/**
 * After a group of at least this many operations, the next one waits for as long as each turn of the event loop brings
 * more, up to this many turns. What arrives then needs no commit of its own: at 32 connections 30 writes share a commit
 * instead of 22. A program that writes one after the other never waits.
 */
const BUSY_GROUP = 4;
const TURNS_MAX = 2;
/** How soon a write that was blocked by another process's lock is retried, and for how long in total. */
const BUSY_RETRY_MS = 3;
const BUSY_LIMIT_MS = 15_000;

interface WriterOptions {
  clock: Clock;
  /** For waits on another process's lock. */
  lockClock: Clock;
  random: Random;
  keyedHash: (value: string) => Uint8Array;
  settings: SettingsCache;
  /** Begins a transaction that writes. */
  begin: () => void;
  /** Where operations log once they are on disk; without one their entries are dropped. */
  log: Log | undefined;
  /** Runs the next group in a later turn of the event loop. A simulation replaces it. */
  defer: (run: () => void) => void;
  /** False while the paths of the database do not lead to the files that were opened: nothing is written then. */
  isInPlace: () => boolean;
  /** The connection is about to write: end any read transaction. */
  beforeGroup: () => void;
  /** An operation notified this topic and is on disk. */
  onNotify: (topic: string) => void;
  /** Called after every commit with the time from the group's first statement to the end of the sync. */
  onCommit: (operations: number, durationMs: number) => void;
  /** Called when an `afterCommit` effect throws. This is a bug; the write itself stands. */
  onEffectError: (error: unknown) => void;
}

interface Operation {
  run: (tx: Tx) => unknown;
  /** It does everything through its transaction, so it may be rolled back and run again. */
  isRepeatable: boolean;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/**
 * `alone`: the first operation has no savepoint; others that it queued have. `repeatable`: none has, and if one throws,
 * all of them run again in savepoints.
 */
type GroupKind = "alone" | "repeatable" | "savepoints";

/** An operation's result inside the transaction, before its promise may settle. */
type OperationResult = { operation: Operation; effects: (() => void)[] } & (
  | { ok: true; value: unknown }
  | { ok: false; error: unknown }
);

export interface WriterCounters {
  commits: number;
  operations: number;
  failures: number;
}

export class Writer {
  readonly counters: WriterCounters = { commits: 0, operations: 0, failures: 0 };
  readonly #client: Client;
  readonly #latch: FailureLatch;
  readonly #db: Db;
  readonly #options: WriterOptions;
  readonly #commit;
  readonly #rollback;
  readonly #savepoint;
  readonly #release;
  readonly #rollbackTo;
  readonly #beginNested;
  readonly #releaseNested;
  #queue: Operation[] = [];
  #isScheduled = false;
  /** How many operations the last group had. */
  #lastGroup = 0;
  #busySince: number | null = null;

  constructor(client: Client, latch: FailureLatch, db: Db, options: WriterOptions) {
    this.#client = client;
    this.#latch = latch;
    this.#db = db;
    this.#options = options;
    this.#commit = client.prepare("COMMIT");
    this.#rollback = client.prepare("ROLLBACK");
    this.#savepoint = client.prepare("SAVEPOINT operation");
    this.#release = client.prepare("RELEASE operation");
    this.#rollbackTo = client.prepare("ROLLBACK TO operation");
    this.#beginNested = client.prepare("SAVEPOINT part");
    this.#releaseNested = client.prepare("RELEASE part");
  }

  write<T>(operation: (tx: Tx) => NotPromise<T>, isRepeatable: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ run: operation, isRepeatable, resolve: (value) => resolve(value as T), reject });
      this.#schedule();
    });
  }

  /** True while operations wait to be committed. */
  get hasQueued(): boolean {
    return this.#queue.length > 0;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#runSoon(0, TURNS_MAX);
  }

  /** `seen`: how many operations were queued a turn ago. */
  #runSoon(seen: number, turns: number): void {
    this.#options.defer(() => {
      const { length } = this.#queue;
      const isWorthWaiting =
        turns > 0 && length > seen && this.#lastGroup >= BUSY_GROUP && length < GROUP_OPERATIONS_MAX;
      if (isWorthWaiting) return this.#runSoon(length, turns - 1);
      this.#isScheduled = false;
      this.#runGroup();
    });
  }

  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: one commit from begin to answer, whose order is the promise.
  #runGroup(): void {
    if (this.#queue.length === 0) return;
    if (!this.#options.isInPlace()) {
      const error = new StorageUnavailable("the database file is gone or was replaced");
      for (const operation of this.#queue.splice(0)) operation.reject(error);
      return;
    }
    this.#options.beforeGroup();
    try {
      this.#options.begin();
    } catch (error) {
      this.#handleBeginFailure(error);
      return;
    }
    this.#busySince = null;
    this.#latch.beginGroup();
    const group: Operation[] = [];
    const results: OperationResult[] = [];
    const startedAt = this.#options.clock.monotonic();
    let failure: unknown = null;
    const kind = this.#kindOfNextGroup();
    let isRolledBack = false;
    while (group.length < GROUP_OPERATIONS_MAX && failure === null && !isRolledBack) {
      const [operation] = this.#queue;
      if (operation === undefined || (kind === "repeatable" && !operation.isRepeatable)) break;
      this.#queue.shift();
      const hasSavepoint = kind === "savepoints" || (kind === "alone" && group.length > 0);
      group.push(operation);
      try {
        const result = this.#runOne(operation, hasSavepoint);
        results.push(result);
        isRolledBack = !result.ok && !this.#client.inTransaction;
      } catch (error) {
        failure = error;
      }
      if (this.#options.clock.monotonic() - startedAt > GROUP_DURATION_MS) break;
    }
    if (failure === null && !isRolledBack) {
      try {
        this.#commit.run();
      } catch (error) {
        failure = error;
      }
    }
    this.#lastGroup = group.length;
    this.#latch.endGroup();
    const isRepeated = isRolledBack && kind === "repeatable";
    if (isRepeated) this.#queue.unshift(...group.map((operation) => ({ ...operation, isRepeatable: false })));
    if (this.#queue.length > 0) this.#schedule();
    if (isRepeated) return;
    if (failure === null) {
      this.#options.onCommit(results.length, this.#options.clock.monotonic() - startedAt);
      this.#resolveGroup(results);
    } else this.#rejectGroup(group, failure);
  }

  #kindOfNextGroup(): GroupKind {
    if (this.#queue.length === 1) return "alone";
    return this.#queue.every(({ isRepeatable }) => isRepeatable) ? "repeatable" : "savepoints";
  }

  /**
   * Runs one operation, either in a savepoint or without one: then the whole transaction is rolled back if the operation
   * fails, unless it is repeatable and has written nothing. Throws only if the transaction itself is lost.
   */
  #runOne(operation: Operation, hasSavepoint: boolean): OperationResult {
    const effects: (() => void)[] = [];
    if (hasSavepoint) this.#savepoint.run();
    const { writeCount } = this.#latch;
    let result: OperationResult;
    try {
      const value = operation.run(this.#transaction(effects));
      refusePromise(value);
      result = { operation, effects, ok: true, value };
    } catch (error) {
      if (this.#latch.hasFailed || isStorageFailure(error)) throw this.#latch.toError(error);
      result = { operation, effects: [], ok: false, error };
      this.#options.settings.forget();
      if (!hasSavepoint) {
        if (!operation.isRepeatable || this.#latch.writeCount > writeCount) this.#rollback.run();
        return result;
      }
      this.#rollbackTo.run();
    }
    // The operation may have caught the driver's error itself, but SQLite has ended the transaction.
    if (this.#latch.hasFailed) throw this.#latch.toError();
    if (hasSavepoint) this.#release.run();
    return result;
  }

  #transaction(effects: (() => void)[]): Tx {
    const { settings } = this.#options;
    return {
      db: this.#db,
      snapshot: effects,
      get settingsState() {
        return settings.state;
      },
      now: this.#options.clock.now(),
      random: this.#options.random,
      keyedHash: this.#options.keyedHash,
      afterCommit: (effect) => effects.push(effect),
      logAfterCommit: (level, event, message, fields) =>
        effects.push(() => this.#options.log?.[level](event, message, fields)),
      notify: (topic) => effects.push(() => this.#options.onNotify(topic)),
      savepoint: (work) => this.#runNested(effects, work) as never,
    };
  }

  #runNested(effects: (() => void)[], work: () => unknown): unknown {
    const effectCount = effects.length;
    // Outside a transaction, a savepoint would begin a transaction and commit it.
    this.#latch.requireIntact();
    this.#beginNested.run();
    try {
      const value = work();
      refusePromise(value);
      this.#releaseNested.run();
      return value;
    } catch (error) {
      effects.length = effectCount;
      this.#options.settings.forget();
      if (!this.#latch.hasFailed) this.#rollbackNested();
      throw error;
    }
  }

  #rollbackNested(): void {
    try {
      this.#client.exec("ROLLBACK TO part; RELEASE part");
    } catch (cause) {
      // A half-done nested transaction must not be committed, even if its operation catches the error.
      this.#latch.trip(cause);
      throw new StorageUnavailable("a nested transaction could not be rolled back", { cause });
    }
  }

  #resolveGroup(results: OperationResult[]): void {
    this.counters.commits += 1;
    this.counters.operations += results.length;
    for (const { effects } of results) {
      for (const effect of effects) {
        try {
          effect();
        } catch (error) {
          this.#options.onEffectError(error);
        }
      }
    }
    for (const result of results) {
      if (result.ok) result.operation.resolve(result.value);
      else result.operation.reject(result.error);
    }
  }

  #rejectGroup(group: Operation[], cause: unknown): void {
    this.counters.failures += 1;
    this.#options.settings.forget();
    try {
      if (this.#client.inTransaction) this.#rollback.run();
    } catch (error) {
      // Keep going and reject the promises even if the disk fails here; uncommitted changes are lost in any case.
      this.#options.onEffectError(error);
    }
    const isNew = isStorageFailure(cause) && !(cause instanceof StorageUnavailable);
    const error = isNew ? new StorageUnavailable("the database cannot be written", { cause }) : cause;
    for (const operation of group) operation.reject(error);
  }

  #handleBeginFailure(error: unknown): void {
    const { lockClock } = this.#options;
    const now = lockClock.monotonic();
    this.#busySince ??= now;
    if (isBusy(error) && now - this.#busySince < BUSY_LIMIT_MS) {
      this.#isScheduled = true;
      lockClock.setTimer(BUSY_RETRY_MS, () => {
        this.#isScheduled = false;
        this.#runGroup();
      });
      return;
    }
    this.#busySince = null;
    const group = this.#queue;
    this.#queue = [];
    this.#rejectGroup(
      group,
      isBusy(error) ? new StorageUnavailable("another process holds the database's lock") : error,
    );
  }
}

function refusePromise(value: unknown): void {
  if (typeof value === "object" && value !== null && "then" in value && typeof value.then === "function") {
    throw new TypeError("an operation inside a transaction must not be asynchronous");
  }
}
