/** What every answer carries, whatever it answers: the request's id, and what keeps browsers from guessing. */
import { randomText } from "#src/core/id.ts";
import type { Random } from "#src/core/random.ts";

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
};

/** Answers of the API: nothing is kept by anybody on the way, and nothing in them runs. */
export const API_HEADERS: Readonly<Record<string, string>> = {
  ...SECURITY_HEADERS,
  "content-type": "application/json",
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
};

const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

export type RequestIds = (request: Request) => string;

/** The caller's own id, if sane; else one told apart over restarts by its random beginning, and within a run by its number. */
export function requestIds(random: Random): RequestIds {
  const run = randomText(random, 10);
  let count = 0;
  return (request) => {
    const received = request.headers.get("x-request-id");
    return received !== null && SANE_REQUEST_ID.test(received) ? received : `${run}-${(count++).toString(36)}`;
  };
}

/** For answers beside the API; headers that are there already stay. */
export function addSecurityHeaders(response: Response, requestId: string): Response {
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  response.headers.set("x-request-id", requestId);
  return response;
}
