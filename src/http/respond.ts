/** From what a handler returned or threw to the response, for the API and for the console alike. */
import type { Log } from "#src/core/log.ts";
import { Problem } from "#src/core/problem.ts";
import { StorageUnavailable } from "#src/db/failure.ts";
import type { Answer } from "./endpoint.ts";
import { internalError, unavailable } from "./errors.ts";
import { API_HEADERS } from "./headers.ts";

/** What a caller is told of an error, whatever it is; what is our fault goes to the log under the request's id. */
export function problemOf(error: unknown, log: Log, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StorageUnavailable) {
    log.error("a request was refused because the database cannot be written", {
      requestId,
      error: error.cause ?? error,
    });
    return unavailable();
  }
  log.error("a request failed", { requestId, error });
  return internalError();
}

export function toResponse({ status, body, headers }: Answer, requestId: string): Response {
  return new Response(body, {
    status,
    headers: { ...API_HEADERS, "x-request-id": requestId, ...headers },
  });
}

/** Cheaper than `new URL` where there is no query, which is nearly always. */
export function splitUrl(url: string): { pathname: string; query: URLSearchParams } {
  const pathStart = url.indexOf("/", url.indexOf("//") + 2);
  const queryStart = url.indexOf("?", pathStart);
  if (queryStart === -1) return { pathname: url.slice(pathStart), query: new URLSearchParams() };
  return { pathname: url.slice(pathStart, queryStart), query: new URLSearchParams(url.slice(queryStart + 1)) };
}
