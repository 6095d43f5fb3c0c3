/**
 * The log of requests with API keys: kept in memory and written once a second, in batches, so that no request waits for
 * it or costs a commit of its own. A process that is killed loses what it has not written, at most a second; the log
 * then says so. It holds no body and no query, and of a path what is known to name no person.
 */
import type { Clock } from "#src/core/clock.ts";
import { findNearest } from "#src/core/fault.ts";
import type { Log } from "#src/core/log.ts";
import { type NextRun, ServiceLoop } from "#src/core/service-loop.ts";
import type { Store } from "#src/db/store.ts";
import { type NewKeyRequest, recordKeyRequests, type Unlisted } from "#src/domain/workspaces/request-log.ts";
import { PREFIX } from "./answer.ts";
import type { ApiEndpoint } from "./endpoints/endpoint.ts";
import { apiEndpoints } from "./endpoints/endpoints.ts";
import { splitUrl } from "./respond.ts";

interface RequestLogOptions {
  store: Pick<Store, "writeRepeatable">;
  clock: Clock;
  log: Log;
  /** Whether the log says when the server ended without a clean stop. */
  notesRuns: boolean;
}

/** What a request was. */
interface AnsweredRequest {
  workspaceId: number;
  keyId: number;
  method: string;
  /** Null: the API has no such path. */
  endpoint: Pick<ApiEndpoint, "path" | "params"> | null;
  /** As it was requested. */
  url: string;
  /** The values in the path, by their names. */
  values: Readonly<Record<string, string>>;
  status: number;
  durationMs: number;
}

const WRITE_EVERY_MS = 1_000;
/**
 * Requests in memory, so at most as many a second are listed, and those beyond are counted alone: to list ten thousand a
 * second took a tenth of the only thread.
 */
const UNWRITTEN_MAX = 1_000;
/** In one commit: a millisecond or two of the only thread. */
const BATCH = 200;
/** Methods that HTTP has; another is text from outside. */
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export class RequestLog extends ServiceLoop {
  readonly #options: RequestLogOptions;
  readonly #beganAt: number;
  /** Not written yet, oldest first. */
  #unwritten: NewKeyRequest[] = [];
  /** By workspace. */
  readonly #unlisted = new Map<number, Unlisted>();
  /** Monotonic time at which the oldest unwritten one came. */
  #waitsSince: number | null = null;
  #isWriting = false;

  constructor(options: RequestLogOptions) {
    const { clock, log } = options;
    super({
      name: "request_log",
      clock,
      isUpkeep: true,
      retryAfterMs: WRITE_EVERY_MS,
      onError: (error) => log.error("request.log_failed", "The log of requests could not be written", { error }),
    });
    this.#options = options;
    this.#beganAt = clock.now();
  }

  /** Never throws, and does not wait. */
  note(answered: AnsweredRequest): void {
    const { workspaceId, keyId, method, status, durationMs } = answered;
    const known = this.#unlisted.get(workspaceId);
    // Under load, most requests: nothing about them is worked out.
    if (known !== undefined && this.#unwritten.length >= UNWRITTEN_MAX) {
      known.count += 1;
      return;
    }
    const at = Math.floor(this.#options.clock.now() - durationMs);
    if (this.#unwritten.length >= UNWRITTEN_MAX) this.#count(workspaceId, at, 1);
    else
      this.#unwritten.push({
        ...{ workspaceId, keyId, at, status, durationMs: Math.round(durationMs) },
        method: METHODS.has(method) ? method : "…",
        path: shownPath(answered),
      });
    if (this.#waitsSince !== null) return;
    this.#waitsSince = this.#options.clock.monotonic();
    if (this.isStopped) void this.#write();
    else this.notify();
  }

  /** What is not written yet of a workspace will not be: its rows are about to be replaced. */
  forget(workspaceId: number): void {
    this.#unwritten = this.#unwritten.filter((request) => request.workspaceId !== workspaceId);
    this.#unlisted.delete(workspaceId);
  }

  override start(): void {
    super.start();
    if (this.#options.notesRuns) void this.#write();
  }

  /** Writes what is left. What is answered while the server stops is written at once. */
  override stop(): void {
    super.stop();
    void this.#write();
  }

  async runOnce(): Promise<NextRun> {
    if (this.#waitsSince === null) return null;
    const waitMs = this.#waitsSince + WRITE_EVERY_MS - this.#options.clock.monotonic();
    if (waitMs > 0) return waitMs;
    await this.#write();
    return this.#waitsSince === null ? null : WRITE_EVERY_MS;
  }

  /**
   * Writes all that has come until now, and the state of this run. What comes meanwhile waits for the next time: under load
   * there is always more, and the log would write without a pause. A stop writes everything.
   */
  async #write(): Promise<void> {
    if (this.#isWriting) return;
    this.#isWriting = true;
    try {
      for (let left = this.#unwritten.length; ; left -= BATCH) {
        const isEnd = this.isStopped;
        if (!(await this.#writeBatch(isEnd))) break;
        const isDone = this.isStopped ? isEnd && this.#unwritten.length === 0 : left <= BATCH;
        if (isDone) break;
      }
    } finally {
      this.#isWriting = false;
      const isAllWritten = this.#unwritten.length === 0 && this.#unlisted.size === 0;
      this.#waitsSince = isAllWritten ? null : this.#options.clock.monotonic();
    }
  }

  /** Returns whether it is on disk. */
  async #writeBatch(isEnd: boolean): Promise<boolean> {
    const { store, clock, notesRuns } = this.#options;
    const run = notesRuns ? { beganAt: this.#beganAt, endedAt: isEnd ? clock.now() : null } : null;
    const found = this.#unwritten.splice(0, BATCH);
    const unlisted = [...this.#unlisted.values()];
    this.#unlisted.clear();
    try {
      await store.writeRepeatable((tx) => recordKeyRequests(tx, found, unlisted, run));
      return true;
    } catch {
      // The storage failed, which is logged elsewhere: these are written with the next ones.
      this.#unwritten.unshift(...found);
      for (const { workspaceId, at, count } of unlisted) this.#count(workspaceId, at, count);
      return false;
    }
  }

  #count(workspaceId: number, at: number, count: number): void {
    const known = this.#unlisted.get(workspaceId);
    if (known === undefined) this.#unlisted.set(workspaceId, { workspaceId, at, count });
    else known.count += count;
  }
}

const PLACEHOLDER = /\{(\w+)\}/g;
const words: ReadonlySet<string> = new Set(apiEndpoints.flatMap(({ path }) => path.split("/")));
/** Shorter words are near too many names. */
const COMPARED_MIN = 6;
const PARTS_MAX = 8;

/**
 * The path as the log shows it. An id is shown where the answer says that it is one of ours: a phone number may stand in
 * its place. Of a path that the API does not have, a word is shown that is one of the API's, or was meant to be.
 */
function shownPath({ endpoint, url, values, status }: AnsweredRequest): string {
  if (endpoint === null) {
    const parts = splitUrl(url).pathname.slice(PREFIX.length).split("/", PARTS_MAX);
    return parts.map((part) => (isWord(part) ? part : "…")).join("/");
  }
  const { path, params } = endpoint;
  if (params === undefined) return path;
  const isOurs = status < 400 || status === 422;
  return path.replace(PLACEHOLDER, (placeholder, name: string) =>
    isOurs && params[name]?.type === "integer" ? (values[name] ?? placeholder) : placeholder,
  );
}

function isWord(part: string): boolean {
  return part === "" || words.has(part) || (part.length >= COMPARED_MIN && findNearest(part, words) !== null);
}
