/**
 * The HTTP server's routes: every API endpoint behind one pipeline (authentication, rate limit, body), and beside it
 * health, metrics and the reference. Elysia only matches routes; the pipeline is our own, because the order of its
 * refusals is part of the interface.
 */
import { type Context, Elysia } from "elysia";
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Metrics } from "#src/core/metrics.ts";
import { Problem } from "#src/core/problem.ts";
import type { Random } from "#src/core/random.ts";
import type { Turns } from "#src/core/turns.ts";
import type { Readers } from "#src/db/fair-reader.ts";
import type { Store } from "#src/db/store.ts";
import type { WriteProbe } from "#src/db/write-probe.ts";
import { limitedKey } from "#src/domain/messages/key-limits.ts";
import type { Bearer } from "#src/domain/workspaces/api-keys.ts";
import type { MediaFiles } from "#src/media/files.ts";
import type { Uploads } from "#src/media/uploads.ts";
import type { SendOptions } from "#src/sending/send-message.ts";
import { type Answer, PREFIX } from "../answer.ts";
import type { AnswerStreams } from "../answer-streams.ts";
import { ENTRIES_MAX, readBody } from "../body.ts";
import { type KeyCall, readPath, requireValidBody } from "../endpoints/call.ts";
import { type ApiEndpoint, costOfRows, mayLackBody } from "../endpoints/endpoint.ts";
import { apiEndpoints } from "../endpoints/endpoints.ts";
import { answerProblem } from "../errors.ts";
import type { EventWaiters } from "../event-waiters.ts";
import { addSecurityHeaders, type RequestIds, requestIds } from "../headers.ts";
import { healthRoutes } from "../health.ts";
import { KeyQueue } from "../key-queue.ts";
import { metricsRoutes } from "../metrics.ts";
import { RateLimiter, type RateLimits, ROWS_PER_TOKEN } from "../rate-limit.ts";
import type { RequestLog } from "../request-log.ts";
import { nothingHere, problemOf, splitUrl, toResponse, withRest } from "../respond.ts";
import { Authenticator, NO_NEEDS } from "./auth.ts";
import { type DocsOptions, docsRoutes } from "./docs/docs.ts";

interface AppOptions {
  store: Store;
  clock: Clock;
  random: Random;
  log: Log;
  limits: RateLimits & { bodyBytes: number };
  /** Dependencies for sending a message. */
  dispatch: SendOptions;
  readers: Readers;
  media: MediaFiles;
  uploads: Uploads;
  /** Which webhook addresses are permitted. */
  webhooks: KeyCall["webhooks"];
  /** For the test event of a new webhook secret. */
  poster: KeyCall["poster"];
  realClock: KeyCall["realClock"];
  /** Whether startup (migrations, recovery) has finished. */
  isReady: () => boolean;
  /** Fires when the server begins to stop. */
  stopping: AbortSignal;
  eventWaiters: EventWaiters;
  streams: AnswerStreams;
  turns: Turns;
  isWritable: WriteProbe;
  metrics: Metrics;
  metricsToken: string | null;
  docs: DocsOptions;
  /** Whether keys that a test chose are accepted. */
  acceptsTestKeys: boolean;
  /** Called for every answer. `route` is the endpoint's path with its `{names}`, never text from the caller. */
  onAnswer: (route: string, status: number, durationMs: number) => void;
  /** Notes each request with a key. */
  requestLog: Pick<RequestLog, "note">;
}

const NO_BODY: KeyCall["body"] = {};

export function createApp(options: AppOptions) {
  const ids = requestIds(options.random);
  const pipeline = createPipeline(options, ids);
  const app = new Elysia({ normalize: false, strictPath: true });
  for (const endpoint of apiEndpoints) {
    const path = PREFIX + endpoint.path.replace(/\{(\w+)\}/g, ":$1");
    const route = { name: `${endpoint.method} ${endpoint.path}`, endpoint };
    const run = ({ request, params, server }: Routed) =>
      pipeline(request, route, params, () => server?.timeout(request, 1));
    app.route(endpoint.method, path, run, { parse: "none" });
  }
  const nowhere = { name: "unknown", endpoint: null };
  const unknown = ({ request }: { request: Request }) => pipeline(request, nowhere, {}, () => undefined);
  app.all(`${PREFIX}/*`, unknown, { parse: "none" });
  app.all(PREFIX, unknown, { parse: "none" });
  // The pipeline sets its own headers; these routes get theirs here.
  const beside = new Elysia({ normalize: false, strictPath: true });
  beside.mapResponse(({ request, responseValue }) =>
    responseValue instanceof Response ? addSecurityHeaders(responseValue, ids(request)) : undefined,
  );
  beside.use(healthRoutes(options)).use(metricsRoutes(options)).use(docsRoutes(options.docs));
  beside.all("/*", () => nothingHere());
  app.use(beside);
  return app;
}

interface Route {
  /** Never text from the caller. */
  name: string;
  /** Null: the API has no such path. */
  endpoint: ApiEndpoint | null;
}

interface Routed {
  request: Request;
  params: Record<string, string>;
  server: Context["server"];
}

type Pipeline = (
  request: Request,
  route: Route,
  path: Record<string, string>,
  /** Closes the connection soon. */
  close: () => void,
) => Response | Promise<Response>;

/** The order of refusals: 401, 403, 429, 404 for an unknown path, 400, then what the endpoint finds. */
function createPipeline(options: AppOptions, ids: RequestIds): Pipeline {
  const { store, clock, log, limits, dispatch, readers, media, webhooks, eventWaiters, stopping, onAnswer } = options;
  const { streams, turns, uploads, requestLog, poster, realClock } = options;
  const authenticator = new Authenticator(store, clock, options.acceptsTestKeys);
  const limiter = new RateLimiter(clock, limits, "workspace");
  const keyQueue = new KeyQueue();

  const answer = (
    request: Request,
    endpoint: ApiEndpoint | null,
    values: Record<string, string>,
    bearer: Bearer,
  ): Answer | Promise<Answer> => {
    const { workspace, keyId, name, isAutomation, isAi } = bearer;
    const { pathname, query } = splitUrl(request.url);
    const rowCost = endpoint === null ? null : costOfRows(endpoint, query);
    let isPaid: Promise<void> | null = null;
    try {
      if (rowCost === null) limiter.requireToken(workspace.id);
      else isPaid = limiter.takeInTurn(workspace.id, 1 + rowCost);
    } catch (error) {
      const delay = limiter.delayRefusal(workspace.id, request);
      if (delay === null) throw error;
      return delay.then(() => {
        throw error;
      });
    }
    if (endpoint === null) throw noSuchEndpoint(request.method, pathname);
    const path = readPath(endpoint.params, values);
    const handle = (body: KeyCall["body"]) => {
      if (endpoint.body !== undefined && endpoint.checkedBy === undefined) {
        requireValidBody(endpoint.body, body as Record<string, unknown>);
      }
      const call: KeyCall = {
        user: null,
        store,
        media,
        uploads,
        request,
        webhooks,
        poster,
        realClock,
        dispatch,
        keyQueue,
        clock,
        longPoll: { waiters: eventWaiters, stopping, disconnected: () => request.signal },
        reader: readers.lists.of(workspace.id),
        searchReader: readers.searches.of(workspace.id),
        workspace,
        keyId,
        sentBy: { senderName: name, automated: isAutomation, byAi: isAi },
        by: { source: "api", evidence: { key: keyId } },
        limitedKey: limitedKey(bearer),
        path,
        query,
        headers: request.headers,
        body,
        method: request.method,
        pathname,
        spend: (tokens) => limiter.takeInTurn(workspace.id, tokens) ?? Promise.resolve(),
      };
      return endpoint.run(call) as Answer | Promise<Answer>;
    };
    if (isPaid !== null) return isPaid.then(() => handle(NO_BODY));
    if (endpoint.body === undefined || (request.body === null && mayLackBody(endpoint))) return handle(NO_BODY);
    return readBody(request, { bytes: limits.bodyBytes, entries: ENTRIES_MAX }, clock, (parse) =>
      turns.take(workspace.id, parse),
    ).then(handle);
  };

  // Answers synchronously where possible: a promise costs a turn of the event loop, and most reads need none.
  return (request, { name, endpoint }, values, close) => {
    const requestId = ids(request);
    const startedAt = clock.monotonic();
    /** Whose request it is. */
    let caller: Bearer | undefined;
    /** The same, once the key may do this. */
    let bearer: Bearer | undefined;
    const respond = (answered: Answer): Response => {
      const durationMs = clock.monotonic() - startedAt;
      const { rowCount } = answered;
      if (bearer !== undefined && endpoint !== null && rowCount !== undefined) {
        const asked = costOfRows(endpoint, splitUrl(request.url).query) ?? 0;
        limiter.refund(bearer.workspace.id, Math.max(0, asked - Math.floor(rowCount / ROWS_PER_TOKEN)));
      }
      const standing = bearer === undefined ? undefined : limiter.standing(bearer.workspace.id);
      onAnswer(name, answered.status, durationMs);
      if (caller !== undefined) {
        const { keyId, workspace } = caller;
        const { method, url } = request;
        const { status } = answered;
        requestLog.note({ workspaceId: workspace.id, keyId, method, url, endpoint, values, status, durationMs });
      }
      log.debug("request.answered", "Request", {
        requestId,
        route: name,
        status: answered.status,
        ms: durationMs,
        ...answered.logFields,
      });
      if (bearer === undefined) return toResponse(answered, requestId, standing);
      const { id } = bearer.workspace;
      const whole = withRest(answered, { streams, limiter, id, workspaceId: id, close });
      return toResponse(whole, requestId, standing);
    };
    const refuse = (error: unknown): Response =>
      respond(answerProblem(problemOf(error, log, requestId), endpoint?.reference.keys !== undefined));
    try {
      caller = authenticator.requireBearer(request.headers.get("authorization"));
      authenticator.requireAccess(caller, endpoint ?? NO_NEEDS);
      bearer = caller;
      const result = answer(request, endpoint, values, bearer);
      if (!(result instanceof Promise)) return respond(result);
      return result.then(respond, refuse);
    } catch (error) {
      return refuse(error);
    }
  };
}

/** For a method and a path that no endpoint has. A path that another method has names the methods. */
function noSuchEndpoint(method: string, pathname: string): Problem {
  const path = pathname.slice(PREFIX.length);
  const methods = apiEndpoints.filter((endpoint) => matches(endpoint.path, path)).map((endpoint) => endpoint.method);
  if (methods.length === 0) return new Problem("not_found", "There is nothing at this address.");
  const listed = methods.join(" and ");
  return new Problem("not_found", `There is nothing at this address for ${method}. It answers to ${listed}.`, {
    methods,
  });
}

function matches(template: string, path: string): boolean {
  const [names, parts] = [template.split("/"), path.split("/")];
  return names.length === parts.length && names.every((name, index) => isPart(name, parts[index] ?? ""));
}

function isPart(name: string, part: string): boolean {
  return name.startsWith("{") ? part !== "" : name === part;
}
