/**
 * Runs long reads on worker threads, each with its own read-only connection. Any query that may take over 10 ms belongs
 * here. A query sees everything committed before it starts. A worker starts at its first query.
 */
import { QueryOverBudget } from "./query-budget.ts";

/** The first message to the thread. */
export interface ReaderBeginning {
  path: string;
  /** Null: a query may take as long as it takes. */
  budgetMs: number | null;
  /** Four shared bytes: not zero once the reader is closed, which ends the query that is running. */
  stopped: SharedArrayBuffer;
}

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
  close(): void;
}

interface PendingQuery {
  resolve: (rows: Record<string, unknown>[]) => void;
  reject: (error: Error) => void;
}

const CLOSED = "the reader was closed";

export function createReader(databasePath: string, budgetMs: number | null = null): ClosableReader {
  const pending = new Map<number, PendingQuery>();
  const stopped = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
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
      // A thread that is ended in the middle of a statement never stops running it, so it is ended after its answer.
      if (isClosed) return void started.terminate();
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
    started.postMessage({ path: databasePath, budgetMs, stopped } satisfies ReaderBeginning);
    return started;
  };

  return {
    query(sql, parameters = []) {
      if (isClosed) return Promise.reject(new Error(CLOSED));
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
      isClosed = true;
      Atomics.store(new Int32Array(stopped), 0, 1);
      if (pending.size === 0) worker?.terminate();
      worker = undefined;
      failAll(CLOSED);
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
