/** Turns what a handler returned or threw into a response, for the API and the console alike. */
import type { Log } from "#src/core/log.ts";
import { InDoubtError, PartlyDoneError, Problem } from "#src/core/problem.ts";
import { StorageUnavailable } from "#src/db/failure.ts";
import { TooManyQueries } from "#src/db/fair-reader.ts";
import { QueryOverBudget } from "#src/db/query-budget.ts";
import type { Answer } from "./answer.ts";
import type { AnswerStreams } from "./answer-streams.ts";
import {
  internalError,
  internalErrorInDoubt,
  overBudget,
  tooManyQueries,
  unavailable,
  unavailableInDoubt,
  unavailableInPart,
} from "./errors.ts";
import { UsualHeaders } from "./headers.ts";
import type { RateLimiter, RateStanding } from "./rate-limit.ts";

/** The problem that the caller sees for any error. Faults of the server are logged under the request id. */
export function problemOf(error: unknown, log: Log, requestId: string): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof InDoubtError) {
    const { code } = problemOf(error.cause, log, requestId);
    return code === "unavailable" ? unavailableInDoubt(error.messageId) : internalErrorInDoubt(error.messageId);
  }
  if (error instanceof PartlyDoneError) {
    const problem = problemOf(error.cause, log, requestId);
    return problem.code === "unavailable" ? unavailableInPart() : problem;
  }
  if (error instanceof QueryOverBudget) return overBudget(error);
  if (error instanceof TooManyQueries) return tooManyQueries();
  if (error instanceof StorageUnavailable) {
    log.error("request.unavailable", "Request refused: the database cannot be written", {
      requestId,
      error: error.cause ?? error,
    });
    return unavailable();
  }
  log.error("request.failed", "Request failed", { requestId, error });
  return internalError();
}

/** Whose answer is made while it is sent. */
interface Sending {
  streams: AnswerStreams;
  limiter: RateLimiter;
  /** Of the limiter: a workspace, or a user of the console. */
  id: number;
  /** 0: of no workspace. */
  workspaceId: number;
  /** Closes the connection soon. */
  close: () => void;
}

/** The whole of a short answer; of a long one, what follows is made while it is sent. */
export function withRest(answer: Answer, { streams, limiter, id, workspaceId, close }: Sending): Answer {
  const { body: first, rest: pieces } = answer;
  if (pieces === undefined) return answer;
  const pay = (tokens: number): Promise<void> => limiter.pay(id, tokens);
  return { ...answer, file: streams.open({ workspaceId, first, pieces, pay, close }) };
}

/** `standing`: of the caller's rate limit, where there is one. */
export function toResponse(
  { status, body, file, headers, cookies = [] }: Answer,
  requestId: string,
  standing?: RateStanding,
): Response {
  const usual = standing === undefined ? unrated.with(requestId, null) : rated.with(requestId, standing);
  const response = new Response(file ?? body, { status, headers: usual });
  for (const name in headers) response.headers.set(name, headers[name] ?? "");
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}

/** Two, because a rate limit that was set would stay. */
const unrated = new UsualHeaders();
const rated = new UsualHeaders();

const PLAIN = { "content-type": "text/plain; charset=utf-8" };

/** For an address outside the API and the console. */
export function nothingHere(): Response {
  return new Response("There is nothing at this address.\n", { status: 404, headers: PLAIN });
}

/** Shared: endpoints only read their query. */
const NO_QUERY = new URLSearchParams();

/** Cheaper than `new URL` for a URL without a query, the usual case. */
export function splitUrl(url: string): { pathname: string; query: URLSearchParams } {
  const pathStart = url.indexOf("/", url.indexOf("//") + 2);
  const queryStart = url.indexOf("?", pathStart);
  if (queryStart === -1) return { pathname: url.slice(pathStart), query: NO_QUERY };
  return { pathname: url.slice(pathStart, queryStart), query: new URLSearchParams(url.slice(queryStart + 1)) };
}
