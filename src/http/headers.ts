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
export const API_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  "content-type": "application/json",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

/** How much of its rate limit a workspace has used, in every answer to an authenticated request. */
export function setRateHeaders(headers: Headers, { limit, remaining, resetS }: RateStanding): void {
  headers.set("x-ratelimit-limit", String(limit));
  headers.set("x-ratelimit-remaining", String(remaining));
  headers.set("x-ratelimit-reset", String(resetS));
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
