/**
 * The open database file. `read` runs queries on one consistent snapshot; `write` runs one operation in a group commit.
 * The store knows nothing of the domain, whose operations are passed in.
 */
import { createHmac } from "node:crypto";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { type Clock, sleep, systemClock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import { isMemorySmall } from "#src/core/memory-limit.ts";
import { type Random, systemRandom } from "#src/core/random.ts";
import { type Client, openClient, useWriteAheadLog } from "./driver.ts";
import { isBusy } from "./failure.ts";
import { FailureLatch } from "./failure-latch.ts";
import type { FileWatch } from "./file-watch.ts";
import { createPrivateFile } from "./files.ts";
import { SettingsCache } from "./settings-cache.ts";
import type { Db, NotPromise, ReadTx, Tx } from "./transaction.ts";
import { Writer, type WriterCounters } from "./writer.ts";

export interface StoreOptions {
  clock?: Clock;
  /** For waits on another process's lock: that process lives in real time, whatever `clock` says. Default: `clock`. */
  lockClock?: Clock;
  random?: Random;
  /** Key for `keyedHash`. Called on first use, because most commands need no key. */
  hashKey?: () => Uint8Array;
  /** Where operations log once they are on disk. Commands omit it. */
  log?: Log;
  /**
   * How long a statement may block on another process's lock, in milliseconds. The server passes 0, because blocking
   * would stop its only thread, and lets the writer retry by timer; a command-line command passes seconds.
   */
  busyTimeoutMs: number;
  /** Maximum number of pages in the file; tests use it to simulate a full disk. */
  pageCountMax?: number;
  defer?: (run: () => void) => void;
  /** Called after every commit with the number of operations in it and its duration. */
  onCommit?: (operations: number, durationMs: number) => void;
  onEffectError?: (error: unknown) => void;
}

/** The write-ahead log: its pages, and how many of them are in the database already. */
export interface LogState {
  pages: number;
  copied: number;
}

/**
 * Size of the WAL, in pages, at which the writer checkpoints it; measured, see docs/performance.md. On a busy server it
 * rarely gets there: see `log-copier.ts`. Bulk work changes the same pages again and again, and each is copied once in twice
 * as many.
 */
const CHECKPOINT_PAGES = { usual: 10_000, bulk: 20_000 };
/**
 * The last process to close a database needs the file exclusively for a moment, so a start may have to wait for
 * commands that come and go. Blocking is harmless here, because the server runs nothing else yet.
 */
const OPENING_TIMEOUT_MS = 5_000;
/**
 * Usually a larger cache costs more than it saves: whenever pages of an index were rearranged, the commit walks through
 * all of it. Measured with 80,000 messages: 32 MB 149 to 178 µs of processor time a message, 8 MB 119 to 128, 4 MB 128
 * to 130. Work that writes all over a large index is the exception, and more so in a process of its own: its transactions
 * change more pages than 24 MB hold, and each that does not fit is written, read and written again.
 */
const CACHE_KIBIBYTES = { usual: 8 * 1024, large: 24 * 1024, bulk: 36 * 1024 };

/** How long the reads of a turn share a view. */
const SNAPSHOT_MAX_MS = 2;

/** Interval and number of checks whether another process has finished writing. */
const WRITE_LOCK_RETRY_MS = 3;
const WRITE_LOCK_TRIES = 5_000;

export class Store {
  /** For what no operation does. What is written through it counts at once, too. */
  readonly client: Client;
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #writer: Writer;
  readonly #keyedHash: (value: string) => Uint8Array;
  readonly #begin;
  readonly #commit;
  readonly #dataVersion;
  readonly #settings: SettingsCache;
  readonly #latch: FailureLatch;
  #snapshot: object | null = null;
  #viewCount = 0;
  #readCount = 0;
  #snapshotAt = 0;
  /** A read is running; a read inside it sees the same. */
  #isReading = false;
  #fileWatch: FileWatch | null = null;
  readonly #listeners = new Map<string, () => void>();
  #largeCacheUses = 0;

  constructor(client: Client, options: StoreOptions) {
    this.client = client;
    this.#settings = new SettingsCache(client);
    this.#clock = options.clock ?? systemClock;
    const { hashKey } = options;
    this.#keyedHash = (value) => {
      if (hashKey === undefined) throw new Error("this store was opened without a key for hashes");
      return createHmac("sha256", hashKey()).update(value).digest();
    };
    this.#dataVersion = client.prepare("PRAGMA data_version").pluck();
    this.#latch = new FailureLatch(client);
    // Only statements are prepared on it; the writer begins and ends the transactions.
    this.#db = drizzle(this.#latch.guardedClient(), { casing: "snake_case" });
    const beginImmediate = client.prepare("BEGIN IMMEDIATE");
    this.#writer = new Writer(client, this.#latch, this.#db, {
      clock: this.#clock,
      lockClock: options.lockClock ?? this.#clock,
      random: options.random ?? systemRandom,
      settings: this.#settings,
      begin: () => this.#beginTransaction(beginImmediate),
      keyedHash: this.#keyedHash,
      log: options.log,
      isInPlace: () => this.#fileWatch?.isInPlace() ?? true,
      beforeGroup: () => this.#endRead(),
      onNotify: (topic) => this.#listeners.get(topic)?.(),
      defer: options.defer ?? ((run) => setImmediate(run)),
      onCommit: options.onCommit ?? (() => undefined),
      onEffectError: options.onEffectError ?? rethrowOutside,
    });
    this.#begin = client.prepare("BEGIN");
    this.#commit = client.prepare("COMMIT");
  }

  /** Runs one operation in the next group commit. The promise settles once the group is on disk. */
  write<T>(operation: (tx: Tx) => NotPromise<T>): Promise<T> {
    return this.#writer.write(operation, false);
  }

  /**
   * As `write`, and cheaper in a group of its kind. The operation may be rolled back and run again, so everything it
   * does, it does through its transaction: it changes nothing in memory.
   */
  writeRepeatable<T>(operation: (tx: Tx) => NotPromise<T>): Promise<T> {
    return this.#writer.write(operation, true);
  }

  /** Runs a few short queries on one snapshot. Queries that may take over 10 ms belong in the reader. */
  read<T>(query: (tx: ReadTx) => NotPromise<T>): T {
    if (this.#snapshot !== null && !this.#isReading && this.#clock.monotonic() - this.#snapshotAt > SNAPSHOT_MAX_MS) {
      this.#endRead();
    }
    this.#snapshot ??= this.#beginRead();
    const isOuter = !this.#isReading;
    this.#isReading = true;
    this.#readCount += 1;
    const tx = {
      db: this.#db,
      now: this.#clock.now(),
      keyedHash: this.#keyedHash,
      snapshot: this.#snapshot,
      settingsState: this.#settings.state,
    };
    try {
      return query(tx) as T;
    } catch (error) {
      this.#endRead();
      throw error;
    } finally {
      if (isOuter) this.#isReading = false;
    }
  }

  /**
   * All reads in one turn of the event loop share a read transaction, because beginning and ending one costs more than
   * the queries in it (its locks are system calls). A read in a later turn sees every commit made before it. A turn can be
   * long, and a request that arrived at its end may know of a commit that another process made in it, so a view is shared
   * for a few milliseconds only.
   */
  #beginRead(): object {
    try {
      this.#beginTransaction(this.#begin);
    } catch (error) {
      if (this.client.inTransaction) this.#commit.run();
      throw error;
    }
    this.#viewCount += 1;
    this.#snapshotAt = this.#clock.monotonic();
    setImmediate(() => this.#endRead());
    return {};
  }

  /** The first statement of the transaction decides which state all of it sees. */
  #beginTransaction(begin: { run(): unknown }): void {
    this.#settings.watch();
    begin.run();
    this.#settings.seeDataVersion(Number(this.#dataVersion.get()));
  }

  #endRead(): void {
    if (this.#snapshot === null) return;
    this.#snapshot = null;
    // A failing disk may already have ended the transaction; report that error and not one from this commit.
    if (this.client.inTransaction) this.#commit.run();
  }

  /** From now on, nothing is written while the paths of the database do not lead to its files. */
  watchFiles(watch: FileWatch): void {
    this.#fileWatch = watch;
  }

  /** Calls `listener` after every commit in which an operation notified this topic. */
  onNotify(topic: string, listener: () => void): void {
    this.#listeners.set(topic, listener);
  }

  /**
   * Waits until every transaction that another process had open at the time of the call has ended and can be read. A
   * change carries the time at which its transaction began, but becomes visible only when the transaction ends. The
   * store's own writes are always visible. Never rejects: it also returns after 15 s, or if the disk fails.
   */
  async waitForOtherWriters(): Promise<void> {
    for (let tries = 0; tries < WRITE_LOCK_TRIES; tries++) {
      this.#endRead();
      try {
        this.client.exec("BEGIN IMMEDIATE");
        this.client.exec("COMMIT");
        return;
      } catch (error) {
        if (!isBusy(error)) return;
      }
      // Uses the system clock, because the other process runs in real time.
      await sleep(systemClock, WRITE_LOCK_RETRY_MS);
    }
  }

  /**
   * Keeps more pages in memory while `work` runs: for work that writes all over large indexes, such as an import. `bulk`:
   * the process does nothing else, so it may take still more, and copies the log more rarely.
   */
  async withLargeCache<T>(work: () => Promise<T>, size: "large" | "bulk" = "large"): Promise<T> {
    if (isMemorySmall()) return work();
    this.#largeCacheUses += 1;
    if (this.#largeCacheUses === 1)
      this.#setSizes(CACHE_KIBIBYTES[size], CHECKPOINT_PAGES[size === "bulk" ? size : "usual"]);
    try {
      return await work();
    } finally {
      this.#largeCacheUses -= 1;
      if (this.#largeCacheUses === 0) this.#setSizes(CACHE_KIBIBYTES.usual, CHECKPOINT_PAGES.usual);
    }
  }

  #setSizes(cacheKibibytes: number, logPages: number): void {
    if (!this.client.open) return;
    this.client.pragma(`cache_size = -${cacheKibibytes}`);
    this.client.pragma(`wal_autocheckpoint = ${logPages}`);
  }

  /** A number that changes whenever another process has committed. */
  dataVersion(): number {
    this.#endRead();
    return Number(this.#dataVersion.get());
  }

  /** Grows with every committed operation and with every turn in which something was read. */
  get activity(): number {
    return this.#writer.counters.operations + this.#viewCount;
  }

  /** Calls of `read`, and statements that can write, until now. */
  get load(): { reads: number; writes: number } {
    return { reads: this.#readCount, writes: this.#latch.writeCount };
  }

  get counters(): Readonly<WriterCounters> {
    return this.#writer.counters;
  }

  get hasQueuedWrites(): boolean {
    return this.#writer.hasQueued;
  }

  /** Call outside a write. */
  logState(): LogState {
    return this.#checkpoint("NOOP");
  }

  /** Copies as much of the log as no reader of an older state needs. Call outside a write. */
  copyLog(): LogState {
    return this.#checkpoint("PASSIVE");
  }

  #checkpoint(mode: "NOOP" | "PASSIVE"): LogState {
    this.#endRead();
    const [row] = this.client.pragma(`wal_checkpoint(${mode})`) as { log: number; checkpointed: number }[];
    return { pages: row?.log ?? 0, copied: row?.checkpointed ?? 0 };
  }

  /**
   * Checkpoints the whole WAL into the file and truncates it. Returns false if another connection's read prevented
   * that.
   */
  checkpoint(): boolean {
    this.#endRead();
    const [row] = this.client.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
    return row?.busy === 0;
  }

  /**
   * Call inside a write. Returns up to `step` free pages to the file system while more than `retained` are free.
   * Returns true if more can be freed. A file created without incremental vacuum cannot return pages; the result is
   * then false.
   */
  freePages(retained: number, step: number): boolean {
    const surplus = Number(this.client.pragma("freelist_count", { simple: true })) - retained;
    if (surplus <= 0 || this.client.pragma("auto_vacuum", { simple: true }) !== 2) return false;
    // `exec` runs the statement to its end; a single step would free only one page.
    this.client.exec(`PRAGMA incremental_vacuum(${Math.min(surplus, step)})`);
    return surplus > step;
  }

  close(): void {
    this.#endRead();
    this.client.close();
  }
}

/** Opens a database file, creating an empty one if necessary, with all the settings that durability depends on. */
export function openStore(path: string, options: StoreOptions): Store {
  const isNew = createPrivateFile(path);
  const client = openClient(path, { timeout: OPENING_TIMEOUT_MS });
  // Works only on an empty file. It allows free pages to be returned to the file system incrementally.
  if (isNew) client.pragma("auto_vacuum = INCREMENTAL");
  useWriteAheadLog(client, OPENING_TIMEOUT_MS);
  client.pragma("synchronous = FULL");
  client.pragma("foreign_keys = ON");
  // Overwrites deleted data, so that an erased person cannot be found in the file's free space.
  client.pragma("secure_delete = ON");
  client.pragma(`cache_size = -${CACHE_KIBIBYTES.usual}`);
  client.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES.usual}`);
  client.pragma("temp_store = MEMORY");
  // The first read acquires the shared lock that an open database holds; from here on, no process needs the file
  // exclusively.
  client.pragma("schema_version");
  client.pragma(`busy_timeout = ${options.busyTimeoutMs}`);
  if (options.pageCountMax !== undefined) client.pragma(`max_page_count = ${options.pageCountMax}`);
  return new Store(client, options);
}

function rethrowOutside(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
