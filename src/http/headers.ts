/**
 * Headers that every answer carries: the request id, and headers that keep browsers from sniffing, framing and leaking
 * the address.
 */
import { randomText } from "#src/core/id.ts";
import type { Random } from "#src/core/random.ts";
import type { RateStanding } from "./rate-limit.ts";

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

/** Answers of the API are never cached, and nothing in them can run. */
const API_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  "content-type": "application/json",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/**
 * The usual headers of an answer, to be copied: building them from an object takes twice as long. Setting one costs more
 * than copying all, so only what differs from the last answer is set.
 */
export class UsualHeaders {
  readonly #headers = new Headers(API_HEADERS);
  #last: RateStanding | null = null;

  /** `standing`: how much of its rate limit a workspace has used, for an answer to an authenticated request. */
  with(requestId: string, standing: RateStanding | null): Headers {
    this.#headers.set("x-request-id", requestId);
    if (standing !== null) this.#setStanding(standing);
    return this.#headers;
  }

  #setStanding(standing: RateStanding): void {
    const { limit, remaining, resetS } = standing;
    if (limit !== this.#last?.limit) this.#headers.set("x-ratelimit-limit", String(limit));
    if (remaining !== this.#last?.remaining) this.#headers.set("x-ratelimit-remaining", String(remaining));
    if (resetS !== this.#last?.resetS) this.#headers.set("x-ratelimit-reset", String(resetS));
    this.#last = standing;
  }
}

const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

export type RequestIds = (request: Request) => string;

/** The caller's own id if it is well-formed; else an id made of a random prefix for this run and a counter. */
export function requestIds(random: Random): RequestIds {
  const run = randomText(random, 10);
  let count = 0;
  return (request) => {
    const received = request.headers.get("x-request-id");
    return received !== null && SANE_REQUEST_ID.test(received) ? received : `${run}-${(count++).toString(36)}`;
  };
}

/** For answers outside the API. Headers that are already set are kept. */
export function addSecurityHeaders(response: Response, requestId: string): Response {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  response.headers.set("x-request-id", requestId);
  return response;
}
