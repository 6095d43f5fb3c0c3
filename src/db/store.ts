/**
 * The one database file, open: `read` for one consistent view, `write` for one operation in a group commit.
 * It knows no noun; the domain's operations are passed in.
 */
import { createHmac } from "node:crypto";
import { drizzle } from "drizzle-orm/better-sqlite3";
import { type Clock, sleep, systemClock } from "#src/core/clock.ts";
import { type Random, systemRandom } from "#src/core/random.ts";
import { type Client, openClient } from "./driver.ts";
import { isBusy } from "./failure.ts";
import { FailureLatch } from "./failure-latch.ts";
import { createPrivateFile } from "./files.ts";
import type { Db, NotPromise, ReadTx, Tx } from "./transaction.ts";
import { Writer, type WriterCounters } from "./writer.ts";

export interface StoreOptions {
  clock?: Clock;
  random?: Random;
  /** Key of `keyedHash`, asked for at its first use: most commands need none. */
  hashKey?: () => Uint8Array;
  /**
   * How long a statement may sleep for another process's lock, in milliseconds. The server passes 0 (it would sleep on
   * its only thread, so the writer tries again by timer); a command on the command line passes seconds.
   */
  busyTimeoutMs: number;
  /** Most pages that the file may have; for tests of a full disk. */
  pageCountMax?: number;
  defer?: (run: () => void) => void;
  /** Told of every commit: how many operations shared it, and how long it took. */
  onCommit?: (operations: number, durationMs: number) => void;
  onEffectError?: (error: unknown) => void;
}

/** Pages in the log after which the writer copies them back; measured, see docs/performance.md. */
const CHECKPOINT_PAGES = 10_000;
/**
 * Whoever closes a database last needs the file alone for a moment, so a start beside commands that come and go has to
 * wait for them; nothing else runs yet that sleeping could hold up.
 */
const OPENING_TIMEOUT_MS = 5_000;
/** A larger cache costs more than it saves: SQLite walks through it at every commit (measured against 64 MB). */
const CACHE_KIBIBYTES = 32 * 1024;

/** How soon, and how often, it is tried whether another process has done writing. */
const WRITE_LOCK_RETRY_MS = 3;
const WRITE_LOCK_TRIES = 5_000;

/** What an operation needs of a store; a caller may hand on one that does more around each write. */
export type ReadWriteStore = Pick<Store, "read" | "write" | "waitForOtherWriters">;

export class Store {
  readonly client: Client;
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #writer: Writer;
  readonly #keyedHash: (value: string) => Uint8Array;
  readonly #begin;
  readonly #commit;
  readonly #dataVersion;
  #snapshot: object | null = null;
  readonly #listeners = new Map<string, () => void>();

  constructor(client: Client, options: StoreOptions) {
    this.client = client;
    this.#clock = options.clock ?? systemClock;
    const { hashKey } = options;
    this.#keyedHash = (value) => {
      if (hashKey === undefined) throw new Error("this store was opened without a key for hashes");
      return createHmac("sha256", hashKey()).update(value).digest();
    };
    const latch = new FailureLatch(client);
    // Drizzle only ever prepares statements here; transactions are the writer's.
    this.#db = drizzle({ client: latch as unknown as Client, casing: "snake_case" }) as unknown as Db;
    this.#writer = new Writer(client, latch, this.#db, {
      clock: this.#clock,
      random: options.random ?? systemRandom,
      keyedHash: this.#keyedHash,
      beforeGroup: () => this.#endRead(),
      onNotify: (topic) => this.#listeners.get(topic)?.(),
      defer: options.defer ?? ((run) => setImmediate(run)),
      onCommit: options.onCommit ?? (() => undefined),
      onEffectError: options.onEffectError ?? rethrowOutside,
    });
    this.#begin = client.prepare("BEGIN");
    this.#commit = client.prepare("COMMIT");
    this.#dataVersion = client.prepare("PRAGMA data_version").pluck();
  }

  /** Runs one operation in the next group commit; settles when that is on disk. */
  write<T>(operation: (tx: Tx) => NotPromise<T>): Promise<T> {
    return this.#writer.write(operation);
  }

  /** Runs a few short queries on one consistent view. What may take over 10 ms belongs into the reader. */
  read<T>(query: (tx: ReadTx) => NotPromise<T>): T {
    this.#snapshot ??= this.#beginRead();
    const tx = { db: this.#db, now: this.#clock.now(), keyedHash: this.#keyedHash, snapshot: this.#snapshot };
    try {
      return query(tx) as T;
    } catch (error) {
      this.#endRead();
      throw error;
    }
  }

  /**
   * All reads of one turn of the event loop share one view: to begin and end one costs more than the queries in it (the
   * locks are system calls). A later turn always sees what was committed before it.
   */
  #beginRead(): object {
    this.#begin.run();
    setImmediate(() => this.#endRead());
    return {};
  }

  #endRead(): void {
    if (this.#snapshot === null) return;
    this.#snapshot = null;
    // A failing disk may have ended the transaction already; its own error is the one to report.
    if (this.client.inTransaction) this.#commit.run();
  }

  /** Calls `listener` after every commit in which an operation asked for work of this topic. */
  onNotify(topic: string, listener: () => void): void {
    this.#listeners.set(topic, listener);
  }

  /**
   * Returns when whatever another process was writing as it was called can be read: a change carries the time at which
   * its transaction began, and is only seen when that ends. Our own are always seen. Never rejects; after 15 s, or where
   * the disk fails, it returns all the same.
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
      // By the machine's own clock: the other process lives in real time.
      await sleep(systemClock, WRITE_LOCK_RETRY_MS);
    }
  }

  /** A number that changes whenever another process has committed. */
  dataVersion(): number {
    this.#endRead();
    return Number(this.#dataVersion.get());
  }

  get counters(): Readonly<WriterCounters> {
    return this.#writer.counters;
  }

  get hasQueuedWrites(): boolean {
    return this.#writer.hasQueued;
  }

  /** Copies the whole log back into the file and empties it; false where somebody else's reading kept it from that. */
  checkpoint(): boolean {
    this.#endRead();
    const [row] = this.client.pragma("wal_checkpoint(TRUNCATE)") as { busy: number }[];
    return row?.busy === 0;
  }

  /**
   * Inside a write: gives up to `step` free pages of the file back to the disk, as long as there are more than `kept`.
   * False when there is nothing (more) to give. A file that was made before free pages could be given back has none.
   */
  freePages(retained: number, step: number): boolean {
    const surplus = Number(this.client.pragma("freelist_count", { simple: true })) - retained;
    if (surplus <= 0 || this.client.pragma("auto_vacuum", { simple: true }) !== 2) return false;
    // Run to its end: the statement frees one page at each step.
    this.client.exec(`PRAGMA incremental_vacuum(${Math.min(surplus, step)})`);
    return surplus > step;
  }

  close(): void {
    this.#endRead();
    this.client.close();
  }
}

/** Opens an existing database file (or makes an empty one) with every setting that durability rests on. */
export function openStore(path: string, options: StoreOptions): Store {
  const isNew = createPrivateFile(path);
  const client = openClient(path, { timeout: OPENING_TIMEOUT_MS });
  // Only a file that is still empty takes it: pages that were freed can then be given back to the disk, some at a time.
  if (isNew) client.pragma("auto_vacuum = INCREMENTAL");
  client.pragma("journal_mode = WAL");
  client.pragma("synchronous = FULL");
  client.pragma("foreign_keys = ON");
  // What is deleted is overwritten, so that an erased person is not found in the file's free space.
  client.pragma("secure_delete = ON");
  client.pragma(`cache_size = -${CACHE_KIBIBYTES}`);
  client.pragma(`wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  client.pragma("temp_store = MEMORY");
  // The first look takes the shared lock that an open database keeps: nobody needs the file alone after it.
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
