/**
 * Long reads leave the thread: a worker with its own read-only connection answers whatever may take over 10 ms. It sees
 * what is committed when a query starts. The worker is started at the first question.
 */
export interface ReaderRequest {
  id: number;
  sql: string;
  parameters: (string | number | null)[];
}

export type ReaderResponse = { id: number; rows: Record<string, unknown>[] } | { id: number; error: string };

export interface Reader {
  /** Runs one SELECT in the worker. Rejects when the query fails or the reader is closed before it answered. */
  query(sql: string, parameters?: (string | number | null)[]): Promise<Record<string, unknown>[]>;
  /** True while a question is not answered: it will be, without a timer. */
  readonly hasPendingQueries: boolean;
  close(): void;
}

/** Threads of their own for those who must not wait behind each other. */
export interface Readers {
  /** For figures and the pages of lists. */
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

/** In the executable the worker is its second entry, found by its path in the project; else the file beside this one. */
function workerUrl(): string | URL {
  const isCompiled = import.meta.url.includes("/$bunfs/");
  return isCompiled ? "./src/db/reader-worker.ts" : new URL("./reader-worker.ts", import.meta.url);
}
