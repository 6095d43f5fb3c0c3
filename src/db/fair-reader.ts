/**
 * Shares reader threads between workspaces. Each workspace has at most one query running; the others of the same
 * workspace wait for it. Workspaces with waiting queries take turns, so that a workspace with many slow queries delays
 * its own queries and no other's.
 */
import {
  CLOSED_MESSAGE,
  type ClosableReader,
  closeReaders,
  createReader,
  type Reader,
  type WorkspaceReaders,
} from "./reader.ts";

type Row = Record<string, unknown>;
type Parameters = (string | number | null)[];

interface Job {
  sql: string;
  parameters: Parameters;
  resolve: (rows: Row[]) => void;
  reject: (error: unknown) => void;
}

/** A workspace has more queries waiting than it may. */
export class TooManyQueries extends Error {
  override readonly name = "TooManyQueries";
}

/** Queries of one workspace that may wait at a time. */
const WAITING_MAX = 100;

/** The id of no workspace: queries of the server itself. */
const SERVER = 0;

export class FairReader implements WorkspaceReaders {
  readonly #start: () => ClosableReader;
  readonly #threadsMax: number;
  readonly #threads: ClosableReader[] = [];
  readonly #idle: ClosableReader[] = [];
  /** By workspace; the first one is next. A workspace without waiting queries is not in it. */
  readonly #waiting = new Map<number, Job[]>();
  /** Workspaces with a running query. */
  readonly #running = new Set<number>();
  #isClosed = false;

  constructor(start: () => ClosableReader, threadsMax: number) {
    this.#start = start;
    this.#threadsMax = threadsMax;
  }

  /** The reader of one workspace, whose queries wait only for each other. */
  of(workspaceId: number): Reader {
    return new WorkspaceReader(this, workspaceId);
  }

  /** The reader of the server itself, for metrics and what belongs to no workspace. */
  get server(): Reader {
    return this.of(SERVER);
  }

  get hasPendingQueries(): boolean {
    return this.#running.size > 0 || this.#waiting.size > 0;
  }

  close(): void {
    this.#isClosed = true;
    for (const { reject } of [...this.#waiting.values()].flat()) reject(new Error(CLOSED_MESSAGE));
    this.#waiting.clear();
    closeReaders(this.#threads);
  }

  isPending(workspaceId: number): boolean {
    return this.#running.has(workspaceId) || this.#waiting.has(workspaceId);
  }

  query(workspaceId: number, sql: string, parameters: Parameters): Promise<Row[]> {
    if (this.#isClosed) return Promise.reject(new Error(CLOSED_MESSAGE));
    const jobs = this.#waiting.get(workspaceId) ?? [];
    if (jobs.length >= WAITING_MAX) return Promise.reject(new TooManyQueries(`${WAITING_MAX} queries are waiting`));
    return new Promise((resolve, reject) => {
      jobs.push({ sql, parameters, resolve, reject });
      this.#waiting.set(workspaceId, jobs);
      this.#startNext();
    });
  }

  #startNext(): void {
    for (const [workspaceId, jobs] of this.#waiting) {
      if (this.#running.has(workspaceId)) continue;
      const thread = this.#takeThread();
      if (thread === null) return;
      const job = jobs.shift();
      if (jobs.length === 0) this.#waiting.delete(workspaceId);
      if (job !== undefined) void this.#run(workspaceId, job, thread);
    }
  }

  #toEndOfLine(workspaceId: number): void {
    const jobs = this.#waiting.get(workspaceId);
    if (jobs === undefined) return;
    this.#waiting.delete(workspaceId);
    this.#waiting.set(workspaceId, jobs);
  }

  #takeThread(): ClosableReader | null {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    if (this.#threads.length >= this.#threadsMax) return null;
    const started = this.#start();
    this.#threads.push(started);
    return started;
  }

  async #run(workspaceId: number, { sql, parameters, resolve, reject }: Job, thread: ClosableReader): Promise<void> {
    this.#running.add(workspaceId);
    try {
      resolve(await thread.query(sql, parameters));
    } catch (error) {
      reject(error);
    } finally {
      this.#running.delete(workspaceId);
      this.#idle.push(thread);
      this.#toEndOfLine(workspaceId);
      if (!this.#isClosed) this.#startNext();
    }
  }
}

/** Every request has two, and hardly any request uses them. */
class WorkspaceReader implements Reader {
  readonly #fair: FairReader;
  readonly #workspaceId: number;

  constructor(fair: FairReader, workspaceId: number) {
    this.#fair = fair;
    this.#workspaceId = workspaceId;
  }

  query(sql: string, parameters: Parameters = []): Promise<Row[]> {
    return this.#fair.query(this.#workspaceId, sql, parameters);
  }

  get hasPendingQueries(): boolean {
    return this.#fair.isPending(this.#workspaceId);
  }
}

/** Separate threads for uses that must not wait for each other. */
export interface Readers {
  /** For metrics and for the pages of lists. */
  lists: WorkspaceReaders;
  searches: WorkspaceReaders;
  /** For what runs beside the requests: recipients of broadcasts, bulk changes, exports. */
  building: WorkspaceReaders;
  readonly hasPendingQueries: boolean;
  close(): void;
}

/**
 * Threads of each use at most; a thread starts when another workspace would have to wait. Queries that a person waits
 * for have `budgetMs`; the others take as long as they take.
 */
const THREADS = { lists: 2, searches: 4, building: 2 };

export function createReaders(databasePath: string, budgetMs: number): Readers {
  const fair = (threads: number, budget: number | null): FairReader =>
    new FairReader(() => createReader(databasePath, budget), threads);
  const lists = fair(THREADS.lists, budgetMs);
  const searches = fair(THREADS.searches, budgetMs);
  const building = fair(THREADS.building, null);
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
