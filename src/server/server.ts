/**
 * The composition root: environment, storage, networks, services, HTTP. The only place that knows all parts, and the only
 * one that starts and stops them. What each part is made of is in the files beside this one.
 */
import { existsSync } from "node:fs";
import { sleep, systemClock } from "#src/core/clock.ts";
import { Listeners } from "#src/core/listeners.ts";
import { version } from "#src/core/version.ts";
import type { ResetTime } from "#src/http/control/route.ts";
import { createEnvironment, type Server, type ServerContext, type ServerOptions } from "./context.ts";
import { prepareControl } from "./control.ts";
import { type HttpServer, listen, requireFreeAddress } from "./http.ts";
import { createHttps, type Https, readTlsSources } from "./https.ts";
import { ResetPoint } from "./reset.ts";
import { createRuntime, type Runtime } from "./runtime.ts";
import { openStorage } from "./storage.ts";
import { warnOfUnusable } from "./unusable-settings.ts";

const STOP_LIMIT_MS = 10_000;

export async function startServer(options: ServerOptions): Promise<Server> {
  const environment = createEnvironment(options);
  const { config, log, control } = environment;
  // Before the database: a start that cannot succeed leaves none behind.
  const tlsSources = readTlsSources(config);
  if (!existsSync(config.storage.path)) requireFreeAddress(config.server.listen);
  const storage = await openStorage(environment);
  const { store, readers } = storage;
  prepareControl(control, storage, config.storage.data);
  const otherCommits = new Listeners();
  const onOtherCommit = otherCommits.emit;
  let runtime = await createRuntime(environment, storage, onOtherCommit);
  const point = control === null ? null : new ResetPoint({ environment, storage, control, onOtherCommit });
  await point?.save();

  // A reset that waits for another one finds the runtime that this one leaves.
  const current = (): Runtime => runtime;
  const use = (next: Runtime): void => {
    runtime = next;
    http.use(next);
  };
  const resets = point && {
    reset: (time: ResetTime) => point.restore(current, time, use),
    resetWorkspace: (id: number) => point.restoreWorkspace(current, id),
    saveWorkspace: (id: number) => point.saveWorkspace(id),
  };
  const { context } = runtime;
  const https = createHttps(environment, storage, tlsSources);
  const http = listenOrClose(context, https, () => {
    options.beforeListening?.();
    return listen(runtime, https, resets);
  });
  if (config.server.publicUrl === null) storage.links.origin = http.url;
  otherCommits.add(http.noteOtherCommit);
  const services = () => [...runtime.services, ...https.services];
  for (const service of services()) service.start();
  http.setReady();
  log.info("server.started", "Server ready", { url: http.url, version });
  warnOfUnusable(config, log);

  return {
    url: http.url,
    store,
    get services() {
      return services();
    },
    reload: https.reload,
    isActive: () => runtime.context.watch.inFlightCount > 0 || http.pendingRequests() > 0 || runtime.isWorking(),
    isReading: () => readers.hasPendingQueries || storage.media.isWorking || runtime.context.simulatedFiles.isWorking,
    pendingRequests: http.pendingRequests,
    control:
      point === null || control === null
        ? null
        : {
            token: control.token,
            saveSeed: async () => {
              await point.save();
              await control.clock.unfreeze();
            },
            onWebhook: (listener) => control.sentWebhook.add(listener),
          },
    async stop() {
      await stop(runtime, http, https);
      point?.remove();
    },
  };
}

/** The reverse of the start. Every part begins to stop at once; then all of them finish what is in flight. */
async function stop({ context, services, isWorking }: Runtime, http: HttpServer, https: Https): Promise<void> {
  const { poster, recorder, watch, log, control, close } = context;
  log.info("server.stopping", "Server stopping");
  for (const service of [...services, ...https.services].toReversed()) service.stop();
  https.close();
  const drained = http.drain();
  // What waits for a clock that stands still would wait until the limit.
  await control?.clock.unfreeze();
  const limit = systemClock.setTimer(STOP_LIMIT_MS, () => {
    http.cut();
    poster.close();
  });
  await drained;
  // A dispatch that outlives the limit stays in doubt; everything else was cut short at the limit.
  const until = systemClock.monotonic() + STOP_LIMIT_MS;
  while (
    (watch.inFlightCount > 0 && systemClock.monotonic() < until) ||
    isWorking() ||
    https.services.some(({ isActive }) => isActive)
  )
    await sleep(systemClock, 5);
  limit.cancel();
  poster.close();
  recorder.stop();
  close({ isClean: true });
  log.info("server.stopped", "Server stopped");
}

/** An address that is taken must not leave the database locked. */
function listenOrClose({ poster, close }: ServerContext, https: Https, start: () => HttpServer): HttpServer {
  try {
    return start();
  } catch (error) {
    https.close();
    poster.close();
    close({ isClean: false });
    throw error;
  }
}
