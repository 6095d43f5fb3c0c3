/**
 * What a server under test control has in addition: a clock that tests move, the journals, and the token. Without test
 * control none of it exists.
 */
import { existsSync, rmSync, writeFileSync } from "node:fs";
import type { Config } from "#src/config/config.ts";
import type { Clock } from "#src/core/clock.ts";
import { Journal } from "#src/core/journal.ts";
import { Listeners } from "#src/core/listeners.ts";
import { type Activity, MovableClock } from "#src/core/movable-clock.ts";
import type { Random } from "#src/core/random.ts";
import { newToken } from "#src/core/secret.ts";
import { controlTokenFile } from "#src/db/files.ts";
import type { Store } from "#src/db/store.ts";
import { listOnNetwork } from "#src/domain/numbers/read.ts";
import { PREFIX } from "#src/http/answer.ts";
import type { SeenRequest, SentWebhook } from "#src/http/control/route.ts";
import { splitUrl } from "#src/http/respond.ts";
import type { PostResult, WebhookPoster } from "#src/net/post.ts";
import { SimulatorControl } from "#src/networks/simulator/control.ts";

export class Control {
  readonly token: string;
  readonly clock: MovableClock;
  readonly simulator = new SimulatorControl();
  readonly webhooks = new Journal<SentWebhook>(WEBHOOKS_MAX);
  /** After each attempt at a receiver. */
  readonly sentWebhook = new Listeners<[SentWebhook]>();
  readonly requests = new Journal<SeenRequest>(REQUESTS_MAX);
  readonly #realClock: Clock;
  #seenCount = 0;
  /** Whether a file of media is read or written. Set by the runtime, which has the files. */
  isMovingFiles: () => boolean = () => false;
  /** Requests of the API that are being answered. */
  requestCount = 0;
  /** Webhooks that are on their way. */
  readonly #posts = new Set<{ workspaceId: number; cut: (result: PostResult) => void }>();
  /** Settles when requests may enter again; null while they may. */
  #hold: Promise<unknown> | null = null;

  constructor(realClock: Clock, random: Random, startsAt: number | null) {
    this.#realClock = realClock;
    this.token = newToken(random, TOKEN_PREFIX, TOKEN_BYTES);
    this.clock = new MovableClock(realClock, startsAt);
  }

  /** New requests of the API wait until `work` is done. Of several works, each begins when the previous one has ended. */
  async holdRequests<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#hold;
    const done = (async () => {
      await before;
      return work();
    })();
    const hold = done.catch(() => undefined);
    this.#hold = hold;
    try {
      return await done;
    } finally {
      if (this.#hold === hold) this.#hold = null;
    }
  }

  /** Follows the requests of the API, for which a frozen clock moves. */
  count(answer: Promise<Response>): Promise<Response> {
    this.requestCount += 1;
    this.clock.serveRequests();
    return answer.finally(() => {
      this.requestCount -= 1;
    });
  }

  get postCount(): number {
    return this.#posts.size;
  }

  /** Follows a webhook on its way; the first result counts, the receiver's or that of `cutPosts`. */
  async follow(workspaceId: number, post: Promise<PostResult>): Promise<PostResult> {
    const { promise, resolve } = Promise.withResolvers<PostResult>();
    const followed = { workspaceId, cut: resolve };
    this.#posts.add(followed);
    try {
      return await Promise.race([post, promise]);
    } finally {
      this.#posts.delete(followed);
    }
  }

  isPosting(workspaceId: number): boolean {
    return [...this.#posts].some((post) => post.workspaceId === workspaceId);
  }

  /** Ends the webhooks of this workspace that are on their way; what their receivers answer is ignored. */
  cutPosts(workspaceId: number): void {
    for (const post of this.#posts) {
      if (post.workspaceId !== workspaceId) continue;
      post.cut({ kind: "failed", reason: "connection", message: "The workspace is being reset.", durationMs: 0 });
    }
  }

  /** Adds a request of the API to the journal once it is answered. */
  async see(request: Request, answer: Response | Promise<Response>): Promise<Response> {
    const startedAt = this.#realClock.monotonic();
    const response = await answer;
    const { pathname, query } = splitUrl(request.url);
    this.#seenCount += 1;
    this.requests.add({
      number: this.#seenCount,
      at: this.clock.now(),
      method: request.method,
      path: query.size === 0 ? pathname : `${pathname}?${query}`,
      status: response.status,
      durationMs: Math.round(this.#realClock.monotonic() - startedAt),
      requestId: response.headers.get("x-request-id"),
    });
    return response;
  }

  get hold(): Promise<unknown> | null {
    return this.#hold;
  }
}

/** The start is refused: a real number must never be on a server whose clock a test moves. */
export class RealNumberPresent extends Error {
  override readonly name = "RealNumberPresent";
}

const CONTROL_PREFIX = "/control/";
const TOKEN_PREFIX = "wx_control_";
const TOKEN_BYTES = 32;
const WEBHOOKS_MAX = 20_000;
const REQUESTS_MAX = 20_000;
/** Of the server's own requests. */
const NO_WORKSPACE = 0;

/** Receivers of tests are local addresses. */
export function configOfControl(config: Config): Config {
  return {
    ...config,
    webhooks: { ...config.webhooks, allowHttp: true, allowPrivate: true },
    // A year of a test would be a year of copies.
    backup: { ...config.backup, schedule: null },
  };
}

interface ControlledStorage {
  store: Store;
  readers: { hasPendingQueries: boolean };
  close(options: { isClean: boolean }): void;
}

/** Publishes the token, and follows the server's activity. Throws `RealNumberPresent`, with the database closed. */
export function prepareControl(control: Control | null, storage: ControlledStorage, data: string): void {
  if (control !== null) {
    try {
      requireNoRealNumber(storage.store);
    } catch (error) {
      storage.close({ isClean: false });
      throw error;
    }
    control.clock.activity = activityOf(control, storage);
  }
  publishToken(control, data);
}

/** Throws `RealNumberPresent`. */
function requireNoRealNumber(store: Store): void {
  const [number] = store.read((tx) => listOnNetwork(tx, "whatsapp"));
  if (number !== undefined) throw new RealNumberPresent(`${number.phone} is on WhatsApp`);
}

/** For programs that find the server by its data directory. Removed where control is off, so that no token outlives it. */
function publishToken(control: Control | null, data: string): void {
  const file = controlTokenFile(data);
  if (existsSync(file)) rmSync(file);
  if (control !== null) writeFileSync(file, `${control.token}\n`, { mode: 0o600 });
}

/** Follows webhooks on their way and keeps them. */
export function withJournal(poster: WebhookPoster, control: Control): WebhookPoster {
  return {
    close: () => poster.close(),
    async post(webhook) {
      const at = control.clock.now();
      const { workspaceId = NO_WORKSPACE } = webhook;
      const result = await control.follow(workspaceId, poster.post(webhook));
      const sent = { ...webhook, workspaceId, at, result };
      control.webhooks.add(sent);
      control.sentWebhook.emit(sent);
      return result;
    },
  };
}

/** Requests of the API are counted, and wait for a reset that is under way. */
export function withRequestCount(
  fetch: (request: Request) => Response | Promise<Response>,
  control: Control,
): (request: Request) => Response | Promise<Response> {
  const enter = async (request: Request): Promise<Response> => {
    // Another reset may begin as this one ends.
    while (control.hold !== null) await control.hold;
    return control.count(Promise.resolve(fetch(request)));
  };
  return (request) => {
    if (splitUrl(request.url).pathname.startsWith(CONTROL_PREFIX)) return fetch(request);
    if (control.hold !== null) return enter(request);
    const isOfApi = splitUrl(request.url).pathname.startsWith(`${PREFIX}/`);
    const answer = isOfApi ? control.see(request, fetch(request)) : fetch(request);
    // A read never waits for the clock, but may wait for an event.
    const isChange = request.method !== "GET" && isOfApi;
    return answer instanceof Promise && isChange ? control.count(answer) : answer;
  };
}

interface Working {
  store: Store;
  readers: { readonly hasPendingQueries: boolean };
}

function activityOf(control: Control, { store, readers }: Working): Activity {
  return {
    isWorking: () =>
      control.postCount > 0 || store.hasQueuedWrites || readers.hasPendingQueries || control.isMovingFiles(),
    isRequested: () => control.requestCount > 0,
    progress: () => store.counters.operations + store.counters.failures + control.requestCount,
  };
}
