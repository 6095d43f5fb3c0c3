/**
 * The composition root: configuration → store → networks → workers → HTTP. The only place where the parts are wired
 * together, and the only one that starts and stops them.
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { detectCopy, tryRenewRunMarker } from "#src/backup/detect-copy.ts";
import { upgradeIfOlder } from "#src/backup/upgrade.ts";
import { readTls } from "#src/config/tls.ts";
import { MessageWatch } from "#src/core/change-watch.ts";
import { sleep, systemClock } from "#src/core/clock.ts";
import { newInstanceId, newRunId } from "#src/core/id.ts";
import { systemRandom } from "#src/core/random.ts";
import { createSecretBox, loadSecretKey } from "#src/core/secret.ts";
import { readFileIdentity as systemPlaceOf } from "#src/db/file-identity.ts";
import { createPrivateDirectory, databaseFiles, makePrivate } from "#src/db/files.ts";
import { readOrCreateInstanceId as readInstanceId } from "#src/db/instance.ts";
import { lockExclusively } from "#src/db/lock.ts";
import { migrate } from "#src/db/migrate.ts";
import { OtherCommits } from "#src/db/other-commits.ts";
import { createReaders } from "#src/db/reader.ts";
import { openStore } from "#src/db/store.ts";
import { BROADCASTS } from "#src/domain/broadcasts/broadcast.ts";
import { applyLatenessAfterStart } from "#src/domain/broadcasts/start.ts";
import { CALLBACKS } from "#src/domain/inbound/callbacks.ts";
import { readDoctorSettings } from "#src/health/doctor-context.ts";
import { ServerMetrics } from "#src/health/metrics.ts";
import { createApp } from "#src/http/api/app.ts";
import { BodyBudget } from "#src/http/body-budget.ts";
import { callbackRoutes } from "#src/http/callbacks.ts";
import { consoleRoutes } from "#src/http/console/console.ts";
import { rangeMatcher } from "#src/net/address-ranges.ts";
import { createWebhookPoster } from "#src/net/post.ts";
import type { Network, Networks } from "#src/networks/network.ts";
import { createSimulator } from "#src/networks/simulator/simulator.ts";
import { createWhatsapp } from "#src/networks/whatsapp/whatsapp.ts";
import { CallbackApplier } from "#src/receiving/apply-callbacks.ts";
import { CallbackSecrets } from "#src/receiving/callback-secrets.ts";
import { RefusedCallbacks } from "#src/receiving/refused-callbacks.ts";
import { storeSimulated } from "#src/receiving/simulated-callbacks.ts";
import { createSyncWorker, planSyncs } from "#src/receiving/sync-worker.ts";
import { BroadcastRunner } from "#src/sending/broadcast-runner.ts";
import { createReviewWorker, createStartWorker } from "#src/sending/broadcast-schedule.ts";
import { createExpireWorker } from "#src/sending/expire-in-doubt.ts";
import { OutcomeRecorder } from "#src/sending/outcome-recorder.ts";
import { Pace } from "#src/sending/pace.ts";
import { withProviderLog } from "#src/sending/provider-log.ts";
import { reclaim } from "#src/sending/reclaim.ts";
import type { SendOptions } from "#src/sending/send-message.ts";
import { storedUploads } from "#src/sending/stored-uploads.ts";
import { askForTime, WallClock } from "#src/sending/wall-clock.ts";
import { ImportFiles } from "#src/transfer/import-files.ts";
import { createDeliveryWorker } from "#src/webhooks/deliver.ts";
import { ClockWatch } from "./clock-watch.ts";
import { Housekeeping } from "./housekeeping.ts";
import type { Server, ServerOptions } from "./options.ts";
import { createSystem } from "./system.ts";

const STOP_LIMIT_MS = 10_000;
/** The runtime's own limit cuts a connection without an answer; ours (`body_bytes`) answers, so it must come first. */
const REQUEST_BODY_BYTES_MAX = Number.MAX_SAFE_INTEGER;

export async function startServer(options: ServerOptions): Promise<Server> {
  const { config, log, clock = systemClock, random = systemRandom, readFileIdentity = systemPlaceOf } = options;
  const files = databaseFiles(config.storage.path);
  createPrivateDirectory(config.storage.data);
  createPrivateDirectory(dirname(files.database));
  const lock = lockExclusively(files.serverLock);
  // Before the database, and only together with a new one: a lost key is never silently replaced.
  const key = loadSecretKey({ keyFile: config.secrets.keyFile, env: process.env, random }, !existsSync(files.database));
  const newId = (): string => newInstanceId(random);
  upgradeIfOlder(files, { now: clock.now(), newInstanceId: newId, readFileIdentity }, log, lock);
  const serverMetrics = new ServerMetrics();
  const { countSend, countCommit, countIgnoredStatus, countRequest } = serverMetrics;
  let clockWatch: ClockWatch | null = null;
  let wallClock: WallClock | null = null;
  const store = openStore(files.database, {
    clock,
    random,
    // While it starts nobody is kept waiting, and a command beside it may just be writing or closing the log of a crash.
    busyTimeoutMs: 5_000,
    hashKey: () => key,
    onCommit(size, durationMs) {
      countCommit(size, durationMs);
      clockWatch?.check();
      wallClock?.recordCommit();
    },
  });
  const applied = migrate(store.client);
  for (const { version, name } of applied) log.info("migrated the database", { version, name });
  makePrivate(files.database, `${files.database}-wal`, `${files.database}-shm`);
  const box = createSecretBox(key, random);
  const readers = createReaders(files.database);
  readInstanceId(store.client, clock.now(), newId, readFileIdentity(files.database));
  const { instanceId, copy } = await detectCopy(store, files.database, readFileIdentity, newId);
  if (copy !== null) log.warn("this is a copy of a database: it goes on under a new name, and holds", { ...copy });
  store.client.pragma("busy_timeout = 0");
  const runId = newRunId(random);

  const onTime = (networkTime: number): void => wallClock?.recordNetworkTime(networkTime);
  const instrumented = (network: Network): Network =>
    withProviderLog(network, { store, clock, onRequest: countSend, onTime });
  const simulator = createSimulator({
    clock,
    random,
    times: config.simulator,
    callBack: (callbacks) => void storeSimulated(store, clock, callbacks),
  });
  const uploads = storedUploads(store, log);
  const networks: Networks = {
    simulator: instrumented(options.networks?.simulator ?? simulator),
    whatsapp: instrumented(options.networks?.whatsapp ?? createWhatsapp(config.whatsapp, clock, uploads)),
  };
  const watch = new MessageWatch(clock);
  const pace = new Pace(clock);
  const recorder = new OutcomeRecorder({
    store,
    clock,
    onDelay: (number, message, isOver) =>
      isOver
        ? log.info("an outcome that had to wait is written", { number, message })
        : log.error("an outcome cannot be written and is kept in memory; its number sends nothing new", {
            number,
            message,
          }),
    onError: (error) => log.error("an outcome could not be recorded", { error }),
  });
  const poster = serverMetrics.withMetrics(createWebhookPoster({ clock, ...config.webhooks, lookup: options.lookup }));
  const applier = new CallbackApplier({
    store,
    clock,
    networks,
    watch,
    instanceId,
    log,
    onIgnored: countIgnoredStatus,
  });
  const deliveries = createDeliveryWorker({
    store,
    clock,
    runId,
    box,
    poster,
    schedule: config.webhooks,
    concurrency: config.webhooks.concurrency,
    log,
  });
  const expiring = createExpireWorker({ store, clock, runId, log });
  const { inDoubtAfterMs, settleAfterMs, ...lateness } = config.broadcasts;
  const starting = createStartWorker({ store, clock, runId, log }, lateness, () => wallClock?.isRight === true);
  const reviewing = createReviewWorker({ store, clock, runId, log }, { settleAfterMs });
  const broadcasts = new BroadcastRunner({
    store,
    clock,
    networks,
    pace,
    recorder,
    box,
    log,
    reader: readers.building,
    instanceId,
    timeoutMs: config.whatsapp.timeoutMs,
    inDoubtAfterMs,
    lateness,
  });
  const housekeeping = new Housekeeping({ store, clock, retention: config.retention, log });
  const { database } = files;
  const system = createSystem({
    store,
    database,
    clock,
    timers: systemClock,
    log,
    backup: config.backup,
    serverMetrics,
  });
  const syncing = createSyncWorker({
    store,
    clock,
    random,
    runId,
    portOf: (name) => networks[name].account,
    box,
    everyMs: config.whatsapp.syncEveryMs,
    allowPrivate: config.webhooks.allowPrivate,
    lookup: options.lookup,
    log,
  });
  const notified = [applier, deliveries, expiring, starting, reviewing, broadcasts, syncing];
  const workers = [...notified, housekeeping, ...system.workers];

  await reclaim(store, runId, clock.now() + inDoubtAfterMs);
  await store.write((tx) => applyLatenessAfterStart(tx, lateness));
  await store.write(planSyncs);

  const dispatch: SendOptions = {
    store,
    clock,
    networks,
    pace,
    watch,
    recorder,
    box,
    instanceId,
    retryBudgetMs: config.messages.retryBudgetMs,
    timeoutMs: config.whatsapp.timeoutMs,
    inDoubtAfterMs,
  };
  let isReady = false;
  const stopping = new AbortController();
  const app = createApp({
    store,
    clock,
    random,
    log,
    limits: config.limits,
    dispatch,
    reader: readers.lists,
    searchReader: readers.searches,
    isReady: () => isReady,
    isWritable: system.isWritable,
    metrics: serverMetrics.metrics,
    metricsToken: config.server.metricsToken,
    onAnswer: countRequest,
  });
  serverMetrics.registerGauges({ database, reader: readers.lists, clock, writer: store.counters });
  const refused = new RefusedCallbacks({ store, clock, log, onRefused: serverMetrics.countRefusedCallback });
  const secrets = new CallbackSecrets({ store, box, configured: config.whatsapp.appSecret, log });
  const { verifyToken } = config.whatsapp;
  const onRefused = refused.note.bind(refused);
  const bodies = { budget: new BodyBudget(clock), clock };
  app.use(callbackRoutes({ store, networks, secrets, verifyToken, onRefused, bodies, log }));
  app.use(
    consoleRoutes({
      system,
      doctor: readDoctorSettings(config),
      ...{ store, clock, random, log, box, dispatch, reader: readers.lists, searchReader: readers.searches },
      ...{ limits: config.limits, bodies },
      importFiles: new ImportFiles(files.database),
      webhooks: config.webhooks,
      publicUrl: config.server.publicUrl?.replace(/\/+$/, "") ?? null,
      stopping: stopping.signal,
      hasTls: config.server.tlsCert !== null,
      isTrustedProxy: rangeMatcher(config.server.trustedProxies),
    }),
  );
  const { host, port } = config.server.listen;
  try {
    app.listen({
      hostname: host,
      port,
      // The router's own default lets two servers share a port, and the kernel split the requests between them.
      reusePort: false,
      idleTimeout: 60,
      maxRequestBodySize: REQUEST_BODY_BYTES_MAX,
      ...readTls(config.server),
    });
  } catch (error) {
    poster.close();
    store.close();
    lock.release();
    throw error;
  }
  const http = app.server;
  if (http === null) throw new Error("the HTTP server did not start");

  const notifyAll = (): void => {
    for (const worker of notified) worker.notify();
  };
  clockWatch = new ClockWatch({ store, clock, log, onMoved: notifyAll });
  wallClock = new WallClock({
    store,
    clock,
    log,
    ask: () => askForTime(store, networks),
    onRight: () => starting.notify(),
  });
  const otherCommits = new OtherCommits({
    store,
    onOtherCommit: notifyAll,
    onPoll: () => {
      clockWatch?.check();
      wallClock?.check();
    },
    onError: (error) => log.error("other processes' commits could not be looked for", { error }),
  });
  store.onNotify(CALLBACKS, () => applier.notify());
  store.onNotify("deliver_webhook", () => deliveries.notify());
  store.onNotify("expire_message", () => expiring.notify());
  store.onNotify("start_broadcast", () => starting.notify());
  store.onNotify("review_broadcast", () => reviewing.notify());
  store.onNotify(BROADCASTS, () => broadcasts.notify());
  store.onNotify("sync_account", () => syncing.notify());
  for (const service of [clockWatch, otherCommits, refused, wallClock, ...workers]) service.start();
  isReady = true;

  const isWorking = (): boolean =>
    store.hasQueuedWrites ||
    clockWatch?.isActive === true ||
    wallClock?.isActive === true ||
    workers.some((worker) => worker.isActive);
  const isActive = (): boolean => watch.inFlightCount > 0 || http.pendingRequests > 0 || isWorking();

  return {
    url: `${config.server.tlsCert === null ? "http" : "https"}://${host.includes(":") ? `[${host}]` : host}:${http.port}`,
    store,
    isActive,
    isReading: () => readers.hasPendingQueries,
    pendingRequests: () => http.pendingRequests,
    async stop() {
      isReady = false;
      otherCommits.stop();
      stopping.abort();
      for (const worker of workers) worker.stop();
      refused.stop();
      const closed = http.stop();
      const limit = systemClock.setTimer(STOP_LIMIT_MS, () => {
        void http.stop(true);
        poster.close();
      });
      await closed;
      // A hand-over that outlives the limit stays in doubt; everything else has been cut short by then.
      const until = systemClock.monotonic() + STOP_LIMIT_MS;
      while ((watch.inFlightCount > 0 && systemClock.monotonic() < until) || isWorking()) await sleep(systemClock, 5);
      limit.cancel();
      poster.close();
      recorder.stop();
      readers.close();
      tryRenewRunMarker(store, files.database, newId);
      store.checkpoint();
      store.close();
      lock.release();
    },
  };
}
