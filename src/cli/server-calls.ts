/** Requests of `listen`, `trigger` and `tail` to a running server: its event log page by page, its API and test control. */
import { type Clock, sleep } from "#src/core/clock.ts";
import { CommandFailure } from "./failure.ts";

export interface FeedEvent {
  id: string;
  type: string;
  /** The JSON text that a webhook would carry, byte for byte. */
  body: string;
  /** Null while the workspace has no webhook secret. */
  signature: string | null;
}

/** The server does not know the cursor, or not any more. */
export class CursorRefused extends CommandFailure {}

/** The server does not answer, or cannot now: the same request may succeed later. */
class ServerDown extends CommandFailure {
  constructor(message: string) {
    super("unreachable", message, "start the server there, or name another one with --server URL");
  }
}

export interface FeedOptions {
  origin: string;
  apiKey: string;
  types: string | null;
}

const PAGE_EVENTS = 50;
/** On top of what the server may wait. */
const ANSWER_TIMEOUT_MS = 10_000;
const CALL_TIMEOUT_MS = 60_000;
const FIRST_RETRY_MS = 500;

/**
 * One request. Throws `CursorRefused`, `ServerDown`, or a `CommandFailure` for what does not mend itself (a revoked key).
 */
export async function readFeed(
  { origin, apiKey, types }: FeedOptions,
  after: string,
  waitS: number,
  signal: AbortSignal,
) {
  const query = new URLSearchParams({ after, wait: String(waitS), per_page: String(PAGE_EVENTS), signed: "true" });
  if (types !== null) query.set("types", types);
  const { status, answer } = await ask(origin, `${origin}/api/v1/events?${query}`, {
    headers: { authorization: `Bearer ${apiKey}` },
    redirect: "manual",
    signal: AbortSignal.any([signal, AbortSignal.timeout(waitS * 1_000 + ANSWER_TIMEOUT_MS)]),
  });
  if (status >= 200 && status <= 299) return pageOf(answer as FeedAnswer);
  throw refusalOf(origin, status, answer as Refusal);
}

interface ServerCall {
  /** Ends the wait for an answer. */
  signal?: AbortSignal;
  token: string;
  method: string;
  body?: object | undefined;
  /** A refusal is an answer too. */
  mayFail?: true | undefined;
}

/** Returns the JSON of the answer. Throws a `CommandFailure`. */
export async function callServer(url: string, { token, method, body, mayFail, signal }: ServerCall): Promise<unknown> {
  const { status, answer } = await ask(url, url, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.any([AbortSignal.timeout(CALL_TIMEOUT_MS), ...(signal === undefined ? [] : [signal])]),
  });
  if (status < 300 || mayFail) return answer;
  const { error } = answer as Refusal;
  throw new CommandFailure("refused", `${url} answered ${status}: ${error?.message ?? "no reason was given"}`);
}

/** Repeats a request until the server answers, ever less often. Null: stopped. `onDown` is called at the first failure. */
export async function untilAnswered<T>(
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  request: () => Promise<T>,
  retryMaxMs: number,
  onDown: (message: string) => void = () => undefined,
): Promise<T | null> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await request();
    } catch (error) {
      if (signal.aborted) return null;
      if (!(error instanceof ServerDown)) throw error;
      if (tries === 0) onDown(error.message);
      await sleep(clock, retryDelay(tries, retryMaxMs), signal);
      if (signal.aborted) return null;
    }
  }
}

/** Milliseconds before the next try. */
export function retryDelay(tries: number, retryMaxMs: number): number {
  return Math.min(FIRST_RETRY_MS * 2 ** tries, retryMaxMs);
}

/** `place` is what a failure names. */
async function ask(place: string, url: string, init: RequestInit): Promise<{ status: number; answer: unknown }> {
  try {
    const response = await fetch(url, init);
    return { status: response.status, answer: await response.json() };
  } catch (error) {
    const isLate = error instanceof Error && error.name === "TimeoutError";
    throw new ServerDown(`${place} does not answer${isLate ? " in time" : ""}`);
  }
}

interface FeedAnswer {
  data: { id: string; type: string }[];
  meta: { next: string; signatures: (string | null)[] };
}

interface Refusal {
  error?: { message?: string; oldest?: string; fields?: Record<string, unknown> };
}

/** `next`: the cursor behind these events. */
function pageOf({ data, meta }: FeedAnswer): { events: FeedEvent[]; next: string } {
  const events = data.map((event, index) => ({
    id: event.id,
    type: event.type,
    // The server wrote this JSON, so writing it again gives the same text.
    body: JSON.stringify(event),
    signature: meta.signatures[index] ?? null,
  }));
  return { events, next: meta.next };
}

function refusalOf(origin: string, status: number, { error }: Refusal): Error {
  const message = error?.message ?? `the answer was HTTP ${status}`;
  if (status === 400 && error?.fields?.after !== undefined) {
    const { oldest } = error;
    const next = oldest == null ? null : `--after ${oldest} begins with the oldest event that is kept`;
    return new CursorRefused("refused_cursor", message, next);
  }
  if (status === 429 || status >= 500) return new ServerDown(`${origin} answered ${status}: ${message}`);
  return new CommandFailure("refused", `${origin} refused to show its events: ${message}`);
}
