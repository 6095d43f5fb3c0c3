/**
 * Runs long reads on worker threads, each with its own read-only connection. Any query that may take over 10 ms belongs
 * here. A query sees everything committed before it starts. A worker starts at its first query.
 */
import { systemClock } from "#src/core/clock.ts";
import { QueryOverBudget } from "./query-budget.ts";

/** The first message to the thread. */
export interface ReaderBeginning {
  path: string;
  /** Null: a query may take as long as it takes. */
  budgetMs: number | null;
  /** Four shared bytes: `OPEN`, `CLOSING` or `CLOSED`. `CLOSING` ends the query that is running. */
  state: SharedArrayBuffer;
}

const OPEN = 0;
export const CLOSING = 1;
/** The thread has closed the database, or could not open it. */
export const CLOSED = 2;

/** The last message to the thread. */
export const CLOSE = "close";

export interface ReaderRequest {
  id: number;
  sql: string;
  parameters: (string | number | null)[];
}

export type ReaderResponse =
  | { id: number; rows: Record<string, unknown>[] }
  | { id: number; error: string; isOverBudget: boolean };

export interface Reader {
  /**
   * Runs one SELECT in the worker. Rejects if the query fails or the reader is closed before the answer arrives, and
   * with `QueryOverBudget` if it scans for longer than it may.
   */
  query(sql: string, parameters?: (string | number | null)[]): Promise<Record<string, unknown>[]>;
  /** True while a query is unanswered. Its answer arrives without a timer, so a simulated clock must wait for it. */
  readonly hasPendingQueries: boolean;
}

/** Hands each workspace a reader whose queries wait for no other workspace's. */
export interface WorkspaceReaders {
  of(workspaceId: number): Reader;
  /** For the server's own queries, which belong to no workspace. */
  readonly server: Reader;
}

export interface ClosableReader extends Reader {
  /** Ends the thread, which closes the database soon after. */
  close(): void;
  /** Blocks until the closed reader's thread has closed the database, for `limitMs` at most. */
  waitUntilClosed(limitMs: number): void;
}

/**
 * How long the end waits for the threads, at most. A query with a budget ends within a moment; another one may take
 * longer, and the log then stays until the next start.
 */
const CLOSE_LIMIT_MS = 5_000;

/** Closes all of them and waits: the last connection to close must be the writer's, which removes the log. */
export function closeReaders(readers: readonly ClosableReader[]): void {
  for (const reader of readers) reader.close();
  const endsAt = systemClock.monotonic() + CLOSE_LIMIT_MS;
  for (const reader of readers) reader.waitUntilClosed(Math.max(0, endsAt - systemClock.monotonic()));
}

interface PendingQuery {
  resolve: (rows: Record<string, unknown>[]) => void;
  reject: (error: Error) => void;
}

export const CLOSED_MESSAGE = "the reader was closed";

export function createReader(databasePath: string, budgetMs: number | null = null): ClosableReader {
  const pending = new Map<number, PendingQuery>();
  const shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
  const state = new Int32Array(shared);
  let worker: Worker | undefined;
  let isClosed = false;
  let lastId = 0;

  const failAll = (reason: string): void => {
    for (const { reject } of pending.values()) reject(new Error(reason));
    pending.clear();
  };

  const start = (): Worker => {
    const started = new Worker(workerUrl());
    started.onmessage = ({ data }: { data: ReaderResponse }) => {
      if (isClosed) return;
      const request = pending.get(data.id);
      pending.delete(data.id);
      if ("rows" in data) request?.resolve(data.rows);
      else if (data.isOverBudget && budgetMs !== null) request?.reject(new QueryOverBudget(budgetMs));
      else request?.reject(new Error(data.error));
    };
    started.onerror = (event) => {
      worker = undefined;
      failAll(`the reader stopped: ${event.message}`);
    };
    started.postMessage({ path: databasePath, budgetMs, state: shared } satisfies ReaderBeginning);
    return started;
  };

  return {
    query(sql, parameters = []) {
      if (isClosed) return Promise.reject(new Error(CLOSED_MESSAGE));
      worker ??= start();
      const id = ++lastId;
      return new Promise((resolve, reject) => {
        pending.set(id, { resolve, reject });
        worker?.postMessage({ id, sql, parameters } satisfies ReaderRequest);
      });
    },
    get hasPendingQueries() {
      return pending.size > 0;
    },
    close() {
      if (isClosed) return;
      isClosed = true;
      failAll(CLOSED_MESSAGE);
      Atomics.compareExchange(state, 0, OPEN, CLOSING);
      // A thread that is terminated in the middle of a statement never stops running it. This one closes the database
      // and ends, after the statement that it runs.
      worker?.postMessage(CLOSE);
    },
    waitUntilClosed(limitMs) {
      if (worker !== undefined) Atomics.wait(state, 0, CLOSING, limitMs);
    },
  };
}

/**
 * In the executable, the worker is the second entry point, addressed by its path in the project; otherwise it is the
 * file next to this one.
 */
function workerUrl(): string | URL {
  const isCompiled = import.meta.url.includes("/$bunfs/");
  return isCompiled ? "./src/db/reader-worker.ts" : new URL("./reader-worker.ts", import.meta.url);
}
