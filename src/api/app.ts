/**
 * The HTTP side: every endpoint below the prefix behind one pipeline (who, how often, what), and beside it what belongs
 * to the process. Elysia finds the route; the pipeline is ours, because its order of refusal is part of the interface.
 */
import { Elysia } from "elysia";
import type { Log } from "#src/log.ts";
import type { Clock } from "#src/primitives/clock.ts";
import { randomText } from "#src/primitives/id.ts";
import { Problem } from "#src/primitives/problem.ts";
import type { Random } from "#src/primitives/random.ts";
import { StorageUnavailable } from "#src/storage/failure.ts";
import type { Reader } from "#src/storage/reader.ts";
import type { Store } from "#src/storage/store.ts";
import type { HandOverOptions } from "#src/workers/hand-over.ts";
import { Authenticator } from "./auth.ts";
import { readBody } from "./body.ts";
import { docsRoutes } from "./docs.ts";
import { type Answer, type Call, type Endpoint, PREFIX } from "./endpoint.ts";
import { endpoints } from "./endpoints.ts";
import { answerProblem, internalError, unavailable } from "./errors.ts";
import { healthRoutes } from "./health.ts";
import { KeyQueue } from "./idempotency.ts";
import { RateLimiter, type RateLimits } from "./rate-limit.ts";

export interface AppOptions {
  store: Store;
  clock: Clock;
  random: Random;
  log: Log;
  limits: RateLimits & { bodyBytes: number };
  /** What a message needs on its way to a network. */
  handOver: HandOverOptions;
  /** For what may take long. */
  reader: Reader;
  searchReader: Reader;
  /** Whether the server's own start is over: migrations, recovery. */
  isReady: () => boolean;
}

const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const NO_BODY: Readonly<Record<string, unknown>> = {};

export function createApp(options: AppOptions) {
  const pipeline = createPipeline(options);
  const app = new Elysia({ normalize: false, strictPath: true });
  for (const endpoint of endpoints) {
    const path = PREFIX + endpoint.path.replace(/\{(\w+)\}/g, ":$1");
    const run = ({ request, params }: { request: Request; params: Record<string, string> }) =>
      pipeline(request, endpoint, params);
    app.route(endpoint.method, path, run, { parse: "none" });
  }
  const unknown = ({ request }: { request: Request }) => pipeline(request, null, {});
  app.all(`${PREFIX}/*`, unknown, { parse: "none" });
  app.all(PREFIX, unknown, { parse: "none" });
  app.use(healthRoutes(options));
  app.use(docsRoutes());
  return app;
}

type Pipeline = (
  request: Request,
  endpoint: Endpoint | null,
  path: Record<string, string>,
) => Response | Promise<Response>;

/** 401, 403, 429, 400, and then what the endpoint finds; a path that leads nowhere is told last of all. */
function createPipeline({ store, clock, random, log, limits, handOver, reader, searchReader }: AppOptions): Pipeline {
  const authenticator = new Authenticator(store, clock);
  const limiter = new RateLimiter(clock, limits);
  const keyQueue = new KeyQueue();

  const requestIds = numberedIds(random);

  const answer = (
    request: Request,
    endpoint: Endpoint | null,
    path: Record<string, string>,
  ): Answer | Promise<Answer> => {
    const { workspace, keyId } = authenticator.requireBearer(request.headers.get("authorization"));
    limiter.requireRoom(workspace.id);
    if (endpoint === null) throw new Problem("not_found", "There is nothing at this address.");
    const { pathname, query } = splitUrl(request.url);
    const handle = (body: Call["body"]): Answer | Promise<Answer> =>
      endpoint.handle({
        store,
        handOver,
        keyQueue,
        reader,
        searchReader,
        workspace,
        keyId,
        path,
        query,
        headers: request.headers,
        body,
        method: request.method,
        pathname,
      });
    return endpoint.body === undefined ? handle(NO_BODY) : readBody(request, limits.bodyBytes).then(handle);
  };

  // What can be answered at once is: a promise costs a turn of the queue, and most reads need none.
  return (request, endpoint, path) => {
    const given = request.headers.get("x-request-id");
    const requestId = given !== null && SANE_REQUEST_ID.test(given) ? given : requestIds();
    const refuse = (error: unknown): Response => toResponse(answerProblem(problemOf(error, log, requestId)), requestId);
    try {
      const result = answer(request, endpoint, path);
      if (!(result instanceof Promise)) return toResponse(result, requestId);
      return result.then((answered) => toResponse(answered, requestId), refuse);
    } catch (error) {
      return refuse(error);
    }
  };
}

/** Ids that are told apart over restarts by their random beginning, and within a run by their number. */
function numberedIds(random: Random): () => string {
  const run = randomText(random, 10);
  let count = 0;
  return () => `${run}-${(count++).toString(36)}`;
}

function problemOf(error: unknown, log: Log, requestId: string): Problem {
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

function toResponse({ status, body, headers }: Answer, requestId: string): Response {
  return new Response(body, {
    status,
    headers: { "content-type": "application/json", "x-request-id": requestId, ...headers },
  });
}

/** Cheaper than `new URL` where there is no query, which is nearly always. */
function splitUrl(url: string): { pathname: string; query: URLSearchParams } {
  const pathStart = url.indexOf("/", url.indexOf("//") + 2);
  const queryStart = url.indexOf("?", pathStart);
  if (queryStart === -1) return { pathname: url.slice(pathStart), query: new URLSearchParams() };
  return { pathname: url.slice(pathStart, queryStart), query: new URLSearchParams(url.slice(queryStart + 1)) };
}
