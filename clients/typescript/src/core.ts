/**
 * Requests to the server: the key, time limits, retries that never send twice, and pages. Everything that the OpenAPI
 * document says is in `generated.ts`.
 */
import { type ErrorCode, VERSION } from "./generated.js";

export interface WaxwingOptions {
  /** For example `https://waxwing.example.com/api/v1`. */
  baseUrl: string;
  /** The API key of the workspace. */
  key: string;
  /** Of one try. */
  timeoutMs?: number;
  /** Further tries after the first one. */
  maxRetries?: number;
  /** The pause before the second try; it doubles from try to try. */
  retryDelayMs?: number;
  /** A longer `Retry-After` is not waited for. */
  maxRetryAfterMs?: number;
}

export interface CallOptions {
  /** Of a call that sends: the same key never sends twice. Without one, the client makes a key for the call. */
  idempotencyKey?: string;
  /** Shown in the server's log. Without one, the client makes an id. */
  requestId?: string;
  timeoutMs?: number;
  maxRetries?: number;
  signal?: AbortSignal;
}

export interface PageMeta {
  page?: number;
  per_page: number;
  total?: number;
  has_more: boolean;
  next: string | null;
  pending?: number;
  /** The cursor behind each entry, in lists that give it. */
  cursors?: string[];
  signatures?: (string | null)[];
}

export interface ApiList<Item> {
  data: Item[];
  meta: PageMeta;
}

export interface MediaFile {
  bytes: Uint8Array;
  contentType: string;
  /** 206 for a part of the file. */
  status: number;
}

/** A file to upload. */
export interface Upload {
  content: Uint8Array | Blob;
  /** Of a document, the person sees it. */
  filename: string;
}

export interface ApiRequest {
  operation: string;
  method: string;
  path: string;
  query?: Record<string, unknown>;
  body?: unknown;
  file?: Upload;
  takesKey?: boolean;
  isIdempotent?: boolean;
}

/** The members of `error` in the server's answer. */
export interface ErrorBody {
  code: ErrorCode;
  message: string;
  fields?: Record<string, string[]>;
  faults?: { field: string; rule: string; limit?: number; suggestion?: string }[];
  since?: string;
  needed?: string;
  available?: string;
  whatsapp_code?: string;
  oldest?: string;
  moved_to?: string;
  message_id?: number;
  outcome?: "not_sent" | "unknown";
  retryable: boolean;
  retry_key?: "same" | "new";
}

interface Traced {
  requestId: string;
  idempotencyKey: string | null;
}

/** The server refused the request. */
export class WaxwingError extends Error {
  override readonly name = "WaxwingError";
  readonly status: number;
  readonly code: ErrorCode;
  readonly error: ErrorBody;
  /** Leads to the request in the server's log. */
  readonly requestId: string;
  /** The key of the last try, for a call that sends. */
  readonly idempotencyKey: string | null;
  readonly retryAfterMs: number | null;

  constructor(status: number, error: ErrorBody, traced: Traced, retryAfterMs: number | null) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.error = error;
    this.requestId = traced.requestId;
    this.idempotencyKey = traced.idempotencyKey;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * No answer of the server arrived. A call that sends may have sent: repeat it with `idempotencyKey`, and it never sends
 * twice.
 */
export class WaxwingConnectionError extends Error {
  override readonly name = "WaxwingConnectionError";
  readonly requestId: string;
  readonly idempotencyKey: string | null;

  constructor(message: string, traced: Traced, cause: unknown) {
    super(message, { cause });
    this.requestId = traced.requestId;
    this.idempotencyKey = traced.idempotencyKey;
  }
}

const KEY_LENGTH_MAX = 100;
const RETRY_DELAY_MAX_MS = 8_000;
/** More than the server needs to answer a request that waits. */
const WAIT_MARGIN_MS = 10_000;
/** What a proxy answers while the server is away. */
const AWAY: readonly number[] = [502, 503, 504];

type Next = "stop" | "same key" | "new key";

/** Whether the answer permits another try by itself: only for states that pass in seconds. */
function nextTry(status: number, { retryable, outcome, retry_key }: ErrorBody): Next {
  const isPassing = status === 429 || status >= 500;
  if (outcome === "unknown") return retry_key === "same" && (status === 500 || status === 503) ? "same key" : "stop";
  if (!isPassing || !retryable) return "stop";
  return retry_key === "new" ? "new key" : "same key";
}

/** All entries of a list, page after page, with the position in it. */
export class Entries<Item> implements AsyncIterableIterator<Item> {
  /**
   * The cursor behind the entry that was given last: passed as `after`, it continues with the next one. After the end it is
   * the cursor that the server gave last. Store it in the transaction that holds the entry's effects.
   */
  cursor: string | null = null;
  readonly #entries: AsyncGenerator<Item, void, undefined>;

  constructor(pages: AsyncIterable<ApiList<Item>>) {
    this.#entries = this.#walk(pages);
  }

  async *#walk(pages: AsyncIterable<ApiList<Item>>): AsyncGenerator<Item, void, undefined> {
    for await (const { data, meta } of pages) {
      for (const [index, entry] of data.entries()) {
        this.cursor = meta.cursors?.[index] ?? null;
        yield entry;
      }
      this.cursor = meta.next;
    }
  }

  next(): Promise<IteratorResult<Item, undefined>> {
    return this.#entries.next() as Promise<IteratorResult<Item, undefined>>;
  }

  return(): Promise<IteratorResult<Item, undefined>> {
    return this.#entries.return() as Promise<IteratorResult<Item, undefined>>;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

export class Core {
  readonly #options: Required<WaxwingOptions>;

  constructor(options: WaxwingOptions) {
    this.#options = { timeoutMs: 60_000, maxRetries: 3, retryDelayMs: 500, maxRetryAfterMs: 30_000, ...options };
    this.#options.baseUrl = options.baseUrl.replace(/\/+$/, "");
  }

  async one<Data>(request: ApiRequest, options: CallOptions): Promise<Data> {
    const { text } = await this.#send(request, options, {});
    return (JSON.parse(text) as { data: Data }).data;
  }

  async list<Item>(request: ApiRequest, options: CallOptions): Promise<ApiList<Item>> {
    const { text } = await this.#send(request, options, {});
    return JSON.parse(text) as ApiList<Item>;
  }

  async *iterate<Item>(request: ApiRequest, options: CallOptions): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.#pages<Item>(request, options)) yield* data;
  }

  /** For lists that give the cursor behind each entry. */
  iterateWithCursor<Item>(request: ApiRequest, options: CallOptions): Entries<Item> {
    return new Entries(this.#pages<Item>({ ...request, query: { ...request.query, cursors: true } }, options));
  }

  async *#pages<Item>(request: ApiRequest, options: CallOptions): AsyncGenerator<ApiList<Item>, void, undefined> {
    let query = request.query ?? {};
    for (;;) {
      const page = await this.list<Item>({ ...request, query }, options);
      yield page;
      const { has_more, next } = page.meta;
      if (!has_more || next === null) return;
      query = { ...query, after: next };
    }
  }

  async file(request: ApiRequest, range: string | undefined, options: CallOptions): Promise<MediaFile> {
    const { bytes, headers, status } = await this.#send(request, options, range === undefined ? {} : { range });
    return { bytes, contentType: headers.get("content-type") ?? "application/octet-stream", status };
  }

  async #send(request: ApiRequest, options: CallOptions, more: Record<string, string>): Promise<Received> {
    const given = request.takesKey === true ? (options.idempotencyKey ?? crypto.randomUUID()) : null;
    const requestId = options.requestId ?? crypto.randomUUID();
    const maxRetries = options.maxRetries ?? this.#options.maxRetries;
    let keys = 1;
    for (let tries = 1; ; tries += 1) {
      const traced = { requestId, idempotencyKey: keyOf(given, keys) };
      const outcome = await this.#try(request, options, traced, more);
      if (!(outcome instanceof Error)) return outcome;
      const next = this.#next(request, outcome, keyOf(given ?? "", keys + 1));
      if (next === "stop" || tries > maxRetries) throw outcome;
      if (next === "new key") keys += 1;
      await pause(this.#delay(outcome, tries), options.signal);
    }
  }

  #next({ takesKey, isIdempotent }: ApiRequest, failed: Failure, newKey: string): Next {
    if (failed instanceof WaxwingConnectionError) return takesKey || isIdempotent ? "same key" : "stop";
    if (failed.retryAfterMs !== null && failed.retryAfterMs > this.#options.maxRetryAfterMs) return "stop";
    const next = nextTry(failed.status, failed.error);
    return next === "new key" && newKey.length > KEY_LENGTH_MAX ? "stop" : next;
  }

  #delay(failed: Failure, tries: number): number {
    const asked = failed instanceof WaxwingError ? failed.retryAfterMs : null;
    if (asked !== null) return asked;
    const longest = Math.min(this.#options.retryDelayMs * 2 ** (tries - 1), RETRY_DELAY_MAX_MS);
    return longest * (0.5 + Math.random() / 2);
  }

  /** One try. Throws only if the caller ended the call. */
  async #try(
    request: ApiRequest,
    options: CallOptions,
    traced: Traced,
    more: Record<string, string>,
  ): Promise<Received | Failure> {
    const { baseUrl, key } = this.#options;
    const headers: Record<string, string> = {
      ...more,
      authorization: `Bearer ${key}`,
      "user-agent": `waxwing-typescript/${VERSION}`,
      "x-request-id": traced.requestId,
      ...(request.body === undefined ? {} : { "content-type": "application/json" }),
      ...(traced.idempotencyKey === null ? {} : { "idempotency-key": headerText(traced.idempotencyKey) }),
    };
    const wait = Number(request.query?.wait ?? 0) * 1_000;
    const timeout = AbortSignal.timeout(
      (options.timeoutMs ?? this.#options.timeoutMs) + (wait > 0 ? wait + WAIT_MARGIN_MS : 0),
    );
    const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
    let response: Response;
    let bytes: Uint8Array;
    try {
      const body = request.file === undefined ? jsonOf(request.body) : formOf(request.file);
      response = await fetch(baseUrl + request.path + queryText(request.query), {
        method: request.method,
        headers,
        body,
        signal,
        redirect: "manual",
      });
      bytes = new Uint8Array(await response.arrayBuffer());
    } catch (cause) {
      if (options.signal?.aborted === true) throw cause;
      const why = timeout.aborted ? "The server did not answer in time." : "The connection to the server failed.";
      return new WaxwingConnectionError(why, traced, cause);
    }
    const text = new TextDecoder().decode(bytes);
    if (response.ok) return { status: response.status, headers: response.headers, text, bytes };
    return failureOf(response, text, traced);
  }
}

function jsonOf(body: unknown): string | null {
  return body === undefined ? null : JSON.stringify(body);
}

/** The header that belongs to it is made by `fetch`. */
function formOf({ content, filename }: Upload): FormData {
  const form = new FormData();
  form.append("file", new Blob([content as BlobPart]), filename);
  return form;
}

/** The key number `keys` of a call. A restarted program arrives at the same keys again, so that nothing is sent twice. */
function keyOf<Key extends string | null>(given: Key, keys: number): Key | string {
  return given === null || keys === 1 ? given : `${given}~${keys}`;
}

interface Received {
  status: number;
  headers: Headers;
  text: string;
  bytes: Uint8Array;
}

type Failure = WaxwingError | WaxwingConnectionError;

function failureOf(response: Response, text: string, traced: Traced): Failure {
  const requestId = response.headers.get("x-request-id") ?? traced.requestId;
  const error = readError(text);
  if (error === null) {
    const isAway = AWAY.includes(response.status);
    const said = `Not the server answered, but something before it, with ${response.status}.`;
    if (isAway) return new WaxwingConnectionError(said, traced, undefined);
    const body: ErrorBody = { code: "internal_error", message: said, retryable: false };
    return new WaxwingError(response.status, body, { ...traced, requestId }, null);
  }
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new WaxwingError(
    response.status,
    error,
    { ...traced, requestId },
    Number.isNaN(seconds) ? null : seconds * 1_000,
  );
}

function readError(text: string): ErrorBody | null {
  try {
    const { error } = JSON.parse(text) as { error?: ErrorBody };
    return typeof error?.code === "string" ? error : null;
  } catch {
    return null;
  }
}

/** Headers carry bytes: a key with other characters goes as UTF-8, which the server reads again. */
function headerText(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

function queryText(query: Record<string, unknown> = {}): string {
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
  const text = pairs
    .map(
      ([name, value]) =>
        `${encodeURIComponent(name)}=${encodeURIComponent(Array.isArray(value) ? value.join(",") : String(value))}`,
    )
    .join("&");
  return text === "" ? "" : `?${text}`;
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
