/**
 * The composition root: environment, storage, networks, services, HTTP. The only place that knows all parts, and the only
 * one that starts and stops them. What each part is made of is in the files beside this one.
 */
import { sleep, systemClock } from "#src/core/clock.ts";
import type { Service } from "#src/core/service-loop.ts";
import { version } from "#src/core/version.ts";
import { OtherCommits } from "#src/db/other-commits.ts";
import { RefusedCallbacks } from "#src/receiving/refused-callbacks.ts";
import { createSyncWorker, planSyncs } from "#src/receiving/sync-worker.ts";
import { createEnvironment, type Server, type ServerContext, type ServerOptions } from "./context.ts";
import { type HttpServer, listen } from "./http.ts";
import { connectNetworks } from "./networks.ts";
import { openStorage } from "./storage.ts";
import { createSystem } from "./system.ts";
import { createWorkers, reclaimWork } from "./workers.ts";

const STOP_LIMIT_MS = 10_000;

export async function startServer(options: ServerOptions): Promise<Server> {
  const environment = createEnvironment(options);
  const storage = await openStorage(environment);
  const context: ServerContext = { ...environment, ...storage, ...connectNetworks(environment, storage) };
  const { config, log, clock, store, readers, metrics, networks, watch } = context;
  await reclaimWork(context);
  await store.write(planSyncs);

  const accountSync = createSyncWorker({
    ...context,
    portOf: (name) => networks[name].account,
    everyMs: config.whatsapp.syncEveryMs,
    allowPrivate: config.webhooks.allowPrivate,
  });
  const workers = createWorkers(context, [["sync_account", accountSync]]);
  const refused = new RefusedCallbacks({ store, clock, log, onRefused: metrics.countRefusedCallback });
  const system = createSystem(context);
  const http = listenOrClose(context, () => listen(context, system, refused));
  const otherCommits = new OtherCommits({
    store,
    onOtherCommit() {
      workers.notifyAll();
      http.notifyEventWaiters();
    },
    onPoll: workers.checkClock,
    onError: (error) => log.error("database.poll_failed", "Commits of other processes could not be polled", { error }),
  });
  const services = [refused, ...workers.services, otherCommits, ...system.services];
  for (const service of services) service.start();
  http.setReady();
  log.info("server.started", "Server ready", { url: http.url, version });

  const isWorking = (): boolean => store.hasQueuedWrites || services.some((service) => service.isActive);
  return {
    url: http.url,
    store,
    services,
    isActive: () => watch.inFlightCount > 0 || http.pendingRequests() > 0 || isWorking(),
    isReading: () => readers.hasPendingQueries,
    pendingRequests: http.pendingRequests,
    stop: () => stop(context, services, http, isWorking),
  };
}

/** The reverse of the start. Every part begins to stop at once; then all of them finish what is in flight. */
async function stop(
  { poster, recorder, watch, log, close }: ServerContext,
  services: readonly Service[],
  http: HttpServer,
  isWorking: () => boolean,
): Promise<void> {
  log.info("server.stopping", "Server stopping");
  for (const service of services.toReversed()) service.stop();
  const drained = http.drain();
  const limit = systemClock.setTimer(STOP_LIMIT_MS, () => {
    http.cut();
    poster.close();
  });
  await drained;
  // A dispatch that outlives the limit stays in doubt; everything else was cut short at the limit.
  const until = systemClock.monotonic() + STOP_LIMIT_MS;
  while ((watch.inFlightCount > 0 && systemClock.monotonic() < until) || isWorking()) await sleep(systemClock, 5);
  limit.cancel();
  poster.close();
  recorder.stop();
  close({ isClean: true });
  log.info("server.stopped", "Server stopped");
}

/** An address that is taken must not leave the database locked. */
function listenOrClose({ poster, close }: ServerContext, start: () => HttpServer): HttpServer {
  try {
    return start();
  } catch (error) {
    poster.close();
    close({ isClean: false });
    throw error;
  }
}
