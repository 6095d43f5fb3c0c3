/**
 * Runs long reads on worker threads, each with its own read-only connection. Any query that may take over 10 ms belongs
 * here. A query sees everything committed before it starts. A worker starts at its first query.
 */
export interface ReaderRequest {
  id: number;
  sql: string;
  parameters: (string | number | null)[];
}

export type ReaderResponse = { id: number; rows: Record<string, unknown>[] } | { id: number; error: string };

export interface Reader {
  /** Runs one SELECT in the worker. Rejects if the query fails or the reader is closed before the answer arrives. */
  query(sql: string, parameters?: (string | number | null)[]): Promise<Record<string, unknown>[]>;
  /** True while a query is unanswered. Its answer arrives without a timer, so a simulated clock must wait for it. */
  readonly hasPendingQueries: boolean;
  close(): void;
}

/** Separate threads for uses that must not wait for each other. */
export interface Readers {
  /** For metrics and for the pages of lists. */
  lists: Reader;
  searches: Reader;
  building: Reader;
  readonly hasPendingQueries: boolean;
  close(): void;
}

export function createReaders(databasePath: string): Readers {
  const lists = createReader(databasePath);
  const searches = createReader(databasePath);
  const building = createReader(databasePath);
  const all = [lists, searches, building];
  return {
    lists,
    searches,
    building,
    get hasPendingQueries() {
      return all.some((reader) => reader.hasPendingQueries);
    },
    close() {
      for (const reader of all) reader.close();
    },
  };
}

interface PendingQuery {
  resolve: (rows: Record<string, unknown>[]) => void;
  reject: (error: Error) => void;
}

const CLOSED = "the reader was closed";

export function createReader(databasePath: string): Reader {
  const pending = new Map<number, PendingQuery>();
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
      const request = pending.get(data.id);
      pending.delete(data.id);
      if ("rows" in data) request?.resolve(data.rows);
      else request?.reject(new Error(data.error));
    };
    started.onerror = (event) => {
      worker = undefined;
      failAll(`the reader stopped: ${event.message}`);
    };
    started.postMessage({ path: databasePath });
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
      worker?.terminate();
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
