/** The HTTP server: the API, the networks' callbacks and the console on one port. */
import { hasTls } from "#src/config/tls.ts";
import { readUserMail } from "#src/config/user-mail.ts";
import type { Clock } from "#src/core/clock.ts";
import { Listeners } from "#src/core/listeners.ts";
import { serveHttp } from "#src/core/serve-http.ts";
import { Turns } from "#src/core/turns.ts";
import { beginErasure } from "#src/domain/erasure/erasures.ts";
import { COMMAND_LINE } from "#src/domain/users/audit-log.ts";
import { readDoctorSettings } from "#src/health/doctor-context.ts";
import { AnswerStreams } from "#src/http/answer-streams.ts";
import { createApp } from "#src/http/api/app.ts";
import { BodyBudget } from "#src/http/body-budget.ts";
import { callbackRoutes } from "#src/http/callbacks.ts";
import { clientAddress } from "#src/http/client-address.ts";
import { consoleRoutes } from "#src/http/console/console.ts";
import { controlRoutes } from "#src/http/control/control.ts";
import type { ControlContext } from "#src/http/control/route.ts";
import { EventWaiters } from "#src/http/event-waiters.ts";
import { requestIds } from "#src/http/headers.ts";
import { mediaLinkRoutes } from "#src/http/media-links.ts";
import { guardEntrances, refuseHost } from "#src/http/request-target.ts";
import { rangeMatcher } from "#src/net/address-ranges.ts";
import { clientNetwork } from "#src/net/client-network.ts";
import { CallbackSecrets } from "#src/receiving/callback-secrets.ts";
import { withRequestCount } from "./control.ts";
import { erasePerson, TAKEN_OVER_AFTER_MS } from "./erase-person.ts";
import type { Https } from "./https.ts";
import { Listener } from "./listener.ts";
import { personalFiles } from "./person-jobs.ts";
import type { Runtime } from "./runtime.ts";
import { createSendOptions } from "./workers.ts";

/** The runtime closes a connection at its limit without an answer; ours (`body_bytes`) answers, so it must come first. */
const REQUEST_BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

export interface HttpServer {
  url: string;
  /** From now on, the routes of this runtime answer. */
  use(parts: Parts): void;
  /** Call after a commit of another process. */
  noteOtherCommit(): void;
  /** The start is complete. Before it, and while the server stops, the health check answers 503. */
  setReady(): void;
  pendingRequests(): number;
  /** Ends the streams and accepts no new connections; resolves when every request is answered. */
  drain(): Promise<void>;
  /** Closes the connections of requests that are still being answered. */
  cut(): void;
}

/** What the routes need of the runtime. */
type Parts = Pick<Runtime, "context" | "system" | "refused" | "requestLog">;
type Resets = Pick<ControlContext, "reset" | "resetWorkspace" | "saveWorkspace">;

/** What routes have in common however often they are built. */
interface Listening {
  state: { isReady: boolean };
  stopping: AbortSignal;
  /** Null: test control is off. */
  resets: Resets | null;
}

/** Tells browsers to use HTTPS alone, for half a year. */
const STRICT_TRANSPORT = "max-age=15768000";
/** How often it is asked whether they are to be told. */
const STRICT_CHECK_MS = 60_000;

/** Throws what `listen` would throw. */
export function requireFreeAddress({ host, port }: { host: string; port: number }): void {
  void serveHttp({ hostname: host, port, bodyBytesMax: 0, fetch: () => new Response() }).stop(true);
}

/** Listens at once. Throws when the address is taken. `resets`: of test control. */
export function listen(parts: Parts, https: Https, resets: Resets | null): HttpServer {
  const { context } = parts;
  const { config, random, control } = context;
  const { host } = config.server.listen;
  const state = { isReady: false };
  let stopping = new AbortController();
  let { app, otherCommits } = createRoutes(parts, { state, stopping: stopping.signal, resets });
  const paths = app.routes.map(({ path }) => path);
  const fetch = withStrictTransport((request) => app.fetch(request), https, context.socketClock);
  const ids = requestIds(random);
  const entrances = guardEntrances(control === null ? fetch : withRequestCount(fetch, control), paths, ids);
  const listener = new Listener({
    port: config.server.listen.port,
    tls: https.tls,
    clock: context.realClock,
    serve: ({ port, tls, reusePort }) =>
      serveHttp({
        ...{ hostname: host, port, reusePort },
        bodyBytesMax: REQUEST_BODY_BYTES_MAX,
        refuseHost: (request) => refuseHost(ids(request)),
        ...entrances,
        ...(tls === null ? {} : { tls }),
      }),
    // Its handlers ask it for addresses and time limits of connections.
    onServing: (server) => {
      app.server = server;
    },
  });
  https.onChange.add((tls) => {
    void listener
      .replace(tls)
      .catch((error) => context.log.error("certificate.not_used", "A new certificate could not be used", { error }));
  });
  return {
    url: `${https.tls === null ? "http" : "https"}://${listener.host}:${listener.port}`,
    use(replaced) {
      stopping.abort();
      stopping = new AbortController();
      const { server } = app;
      ({ app, otherCommits } = createRoutes(replaced, { state, stopping: stopping.signal, resets }));
      app.server = server;
    },
    noteOtherCommit: () => otherCommits.emit(),
    setReady() {
      state.isReady = true;
    },
    pendingRequests: () => listener.pendingRequests(),
    drain() {
      state.isReady = false;
      stopping.abort();
      return listener.stop();
    },
    cut: () => listener.cut(),
  };
}

type Fetch = (request: Request) => Response | Promise<Response>;

/** Adds the header once `https` allows it; until then, and without a domain, answers pass unchanged. */
function withStrictTransport(fetch: Fetch, https: Https, clock: Pick<Clock, "monotonic">): Fetch {
  const ask = https.isStrict;
  if (ask === null) return fetch;
  let isStrict = false;
  let askAt = 0;
  const add = (response: Response): Response => {
    response.headers.set("strict-transport-security", STRICT_TRANSPORT);
    return response;
  };
  return (request) => {
    if (!isStrict && clock.monotonic() >= askAt) {
      isStrict = ask();
      askAt = clock.monotonic() + STRICT_CHECK_MS;
    }
    if (!isStrict) return fetch(request);
    const answer = fetch(request);
    return answer instanceof Promise ? answer.then(add) : add(answer);
  };
}

function createRoutes({ context, system, refused, requestLog }: Parts, { state, stopping, resets }: Listening) {
  const { config, store, socketClock: clock, random, log, box, networks, metrics, control } = context;
  const { readers, realClock, poster, media, links, simulatedFiles, uploads, pieces } = context;
  const dispatch = createSendOptions(context);
  const personal = personalFiles(context);
  const bodies = { budget: new BodyBudget(clock), clock };
  const isTrustedProxy = rangeMatcher(config.server.trustedProxies);

  const publicUrl = config.server.publicUrl?.replace(/\/+$/, "") ?? null;
  const eventWaiters = new EventWaiters(store, clock, stopping);
  const otherCommits = new Listeners();
  otherCommits.add(() => eventWaiters.notify());
  const turns = new Turns(clock, stopping);
  const streams = new AnswerStreams(turns, clock);
  const verification: { refusedAt: number | null } = { refusedAt: null };
  const app = createApp({
    ...{ eventWaiters, stopping, streams, turns },
    ...{ store, clock, random, log, dispatch, readers, media, uploads, poster, realClock },
    limits: config.limits,
    webhooks: config.webhooks,
    isReady: () => state.isReady,
    isWritable: system.isWritable,
    metrics: metrics.metrics,
    metricsToken: config.server.metricsToken,
    docs: { publicUrl, hasExplorer: control !== null, explorerKey: context.explorerKey },
    acceptsTestKeys: context.acceptsTestKeys,
    onAnswer: metrics.countRequest,
    requestLog,
  });
  app.use(
    callbackRoutes({
      ...{ store, random, networks, bodies, log, verification },
      networkOf: (request, peer) => clientNetwork(clientAddress(request, peer, isTrustedProxy)),
      secrets: new CallbackSecrets({ store, box, configured: config.whatsapp.appSecret, log }),
      verifyToken: config.whatsapp.verifyToken,
      onRefused: (reason, body) => refused.note(reason, body),
    }),
  );
  app.use(mediaLinkRoutes({ store, clock, random, media, links, log }));
  app.use(
    consoleRoutes({
      ...{ store, clock, random, log, box, dispatch, system, bodies, readers, media, turns, streams, verification },
      ...{ uploads, pieces, otherCommits },
      doctor: readDoctorSettings(config, process.env),
      limits: config.limits,
      importFiles: personal.imports,
      handOutFiles: personal.handOuts,
      webhooks: config.webhooks,
      quiet: config.broadcasts.quiet,
      ...{ poster, realClock },
      publicUrl,
      stopping,
      hasTls: hasTls(config.server),
      sendsEmail: readUserMail(config) !== null,
      checksAnswers: context.checksAnswers,
      passwordCost: context.passwordCost,
      isTrustedProxy,
    }),
  );
  if (control !== null && resets !== null) {
    const { token, webhooks, requests, simulator } = control;
    app.use(
      controlRoutes({
        ...{ store, box, random, log, realClock, token, webhooks, requests, simulator, simulatedFiles, ...resets },
        clock: control.clock,
        isAdmitted: rangeMatcher(config.simulator.controlFrom),
        // The clock of tests may stand still.
        async erase(find) {
          const { id } = await store.write((tx) =>
            beginErasure(tx, find(tx), COMMAND_LINE, tx.now + TAKEN_OVER_AFTER_MS),
          );
          await erasePerson({ store, clock: realClock, files: personal, config }, id);
        },
      }),
    );
  }
  app.compile();
  return { app, otherCommits };
}
