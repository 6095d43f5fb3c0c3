/** Reads a server's event log over its API, page by page, and waits out a server that is down. */
import { CommandFailure } from "../failure.ts";
import { START_SERVER, silenceOf } from "../server-silence.ts";

export interface FeedEvent {
  id: string;
  type: string;
  /** The JSON text that a webhook would carry, byte for byte. */
  body: string;
  /** Null while the workspace has no webhook secret. */
  signature: string | null;
}

export interface FeedPage {
  events: FeedEvent[];
  /** The cursor behind these events. */
  next: string;
}

/** The server refused the cursor; `oldest` is the first one that it accepts. */
export class CursorRefused extends Error {
  readonly oldest: string | null;

  constructor(message: string, oldest: string | null) {
    super(message);
    this.oldest = oldest;
  }
}

/** The server does not answer, or cannot now: the same request may succeed later. */
export class ServerDown extends CommandFailure {
  constructor(message: string) {
    super("unreachable", message, START_SERVER);
  }
}

interface FeedOptions {
  origin: string;
  apiKey: string;
  types: string | null;
}

const PAGE_EVENTS = 50;
/** On top of what the server may wait. */
const ANSWER_TIMEOUT_MS = 10_000;

/**
 * One request. Throws `CursorRefused`, `ServerDown`, or a `CommandFailure` for what does not mend itself (a revoked key).
 */
export async function readFeed(
  { origin, apiKey, types }: FeedOptions,
  after: string,
  waitS: number,
  signal: AbortSignal,
): Promise<FeedPage> {
  const query = new URLSearchParams({ after, wait: String(waitS), per_page: String(PAGE_EVENTS), signed: "true" });
  if (types !== null) query.set("types", types);
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(`${origin}/api/v1/events?${query}`, {
      headers: { authorization: `Bearer ${apiKey}` },
      redirect: "manual",
      signal: AbortSignal.any([signal, AbortSignal.timeout(waitS * 1_000 + ANSWER_TIMEOUT_MS)]),
    });
    answer = await response.json();
  } catch (error) {
    throw new ServerDown(`${origin} ${silenceOf(error)}`);
  }
  if (response.ok) return pageOf(answer as Answer);
  throw refusalOf(origin, response.status, answer as Refusal);
}

interface Answer {
  data: { id: string; type: string }[];
  meta: { next: string; signatures: (string | null)[] };
}

interface Refusal {
  error?: { message?: string; oldest?: string; fields?: Record<string, unknown> };
}

function pageOf({ data, meta }: Answer): FeedPage {
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
  if (status === 400 && error?.fields?.after !== undefined) return new CursorRefused(message, error.oldest ?? null);
  if (status === 429 || status >= 500) return new ServerDown(`${origin} answered ${status}: ${message}`);
  return new CommandFailure("refused", `${origin} refused to show its events: ${message}`);
}
