/**
 * Copies the write-ahead log into the database beside the writer. Copying a long log takes as long as a dozen commits, and
 * the writer does it inside one of them: everybody in that commit waits. On a busy server a thread therefore copies all
 * but the newest pages. The writer copies those in a moment, and SQLite then begins the log anew. A server with little to
 * do starts no thread, and its writer copies the log.
 */
import { openSync } from "node:fs";
import type { Clock, Timer } from "#src/core/clock.ts";
import { isMemorySmall } from "#src/core/memory-limit.ts";
import type { LogState, Store } from "./store.ts";

/** `state`: four shared bytes, `COPYING` while the thread has the database open. */
export interface CopyRequest {
  path: string;
  /** The database's file, opened once more for as long as the process lives. */
  file: number;
  state: SharedArrayBuffer;
}

/** `error`: in the driver's words; the log is as it was, or partly copied. */
export type CopyResponse = { error: string | null };

export const COPYING = 1;
export const IDLE = 0;

/** How many pages the log has beyond the copied ones when the thread begins. */
const PAGES = 8_000;
/** The writer copies no more than this. While more was written meanwhile, the thread copies again. */
const PAGES_OF_THE_WRITER = 600;
/** Check the log once in this many commits. */
const COMMITS = 8;
/** A server that takes longer for `COMMITS` commits has little to do. */
const BUSY_MS = 400;
/** After an error, such as a full disk, or when a reader prevented the copy. */
const RETRY_AFTER_MS = 1_000;
/** A thread costs memory, so it ends when there is nothing to copy any more. */
const THREAD_IDLE_MS = 30_000;
/** How long closing waits for the thread, at most. Copying takes a few tens of milliseconds. */
const CLOSE_LIMIT_MS = 5_000;

interface LogCopierOptions {
  store: Store;
  path: string;
  clock: Clock;
  /** Whether the path still leads to the open database; see `FileWatch`. */
  isInPlace: () => boolean;
}

export class LogCopier {
  readonly #options: LogCopierOptions;
  readonly #shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  readonly #state = new Int32Array(this.#shared);
  /** Never closed: that would release all locks that SQLite holds on the database for this process. */
  #file: number | null = null;
  #thread: Worker | null = null;
  /** Closed, or never on: where memory is small, a second thread costs more than the wait. */
  #isOff: boolean;
  /** From a request until its answer has been read. */
  #isCopying = false;
  /** How many pages there were to copy when the thread was asked. */
  #asked = 0;
  #commits = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #notBefore = Number.NEGATIVE_INFINITY;
  #idleTimer: Timer | null = null;

  constructor(options: LogCopierOptions) {
    this.#options = options;
    this.#isOff = isMemorySmall();
  }

  /** Call after every commit, outside its transaction. */
  countCommit(): void {
    this.#commits += 1;
    if (this.#commits < COMMITS || this.#isOff) return;
    this.#commits = 0;
    const now = this.#options.clock.monotonic();
    const isBusy = now - this.#lookedAt <= BUSY_MS;
    this.#lookedAt = now;
    if (!isBusy || now < this.#notBefore || this.#isCopying) return;
    this.#orLater(() => {
      const pages = pagesToCopy(this.#options.store.logState());
      if (pages >= PAGES) this.#begin(pages);
    });
  }

  /**
   * Ends the thread. Blocks while it copies: the last connection to close must be the writer's, which removes the log.
   */
  close(): void {
    this.#isOff = true;
    Atomics.wait(this.#state, 0, COPYING, CLOSE_LIMIT_MS);
    this.#endThread();
  }

  #begin(pages: number): void {
    // By the path, the thread would otherwise open another database.
    if (!this.#options.isInPlace()) return;
    this.#idleTimer?.cancel();
    this.#file ??= openSync(this.#options.path, "r");
    this.#thread ??= this.#startThread();
    this.#isCopying = true;
    this.#asked = pages;
    Atomics.store(this.#state, 0, COPYING);
    const request: CopyRequest = { path: this.#options.path, file: this.#file, state: this.#shared };
    this.#thread.postMessage(request);
  }

  #startThread(): Worker {
    const thread = new Worker(workerUrl(), { smol: true });
    thread.onmessage = ({ data }: { data: CopyResponse }) => this.#end(data.error);
    thread.onerror = ({ message }) => {
      this.#thread = null;
      Atomics.store(this.#state, 0, IDLE);
      this.#end(message);
    };
    return thread;
  }

  #end(error: string | null): void {
    this.#isCopying = false;
    if (this.#isOff) return;
    const { clock, store } = this.#options;
    this.#idleTimer = clock.setTimer(THREAD_IDLE_MS, () => this.#endThread());
    this.#orLater(() => {
      if (error !== null) throw new Error(error);
      const left = pagesToCopy(store.logState());
      if (left <= PAGES_OF_THE_WRITER) return void (left > 0 && store.copyLog());
      // The thread copies faster than the writer writes, so each time there is less; unless a reader of an older state
      // still needs the pages of the database.
      if (left < this.#asked) this.#begin(left);
      else this.#notBefore = clock.monotonic() + RETRY_AFTER_MS;
    });
  }

  /** An error is not reported here: the log stays as it is, and a disk that fails or is full also fails the next commit. */
  #orLater(work: () => void): void {
    try {
      work();
    } catch {
      this.#notBefore = this.#options.clock.monotonic() + RETRY_AFTER_MS;
    }
  }

  #endThread(): void {
    this.#idleTimer?.cancel();
    this.#idleTimer = null;
    this.#thread?.terminate();
    this.#thread = null;
  }
}

function pagesToCopy({ pages, copied }: LogState): number {
  return pages - copied;
}

/** In the executable the thread is an entry point of its own, addressed by its path in the project. */
function workerUrl(): string | URL {
  const isCompiled = import.meta.url.includes("/$bunfs/");
  return isCompiled ? "./src/db/log-copier-worker.ts" : new URL("./log-copier-worker.ts", import.meta.url);
}
