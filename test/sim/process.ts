/**
 * One life of the server in this process: the parts of `src/server/server.ts` wired alike, but for what talks to the machine.
 * Requests go straight to the router, webhooks and hand-overs to the world outside, and long reads run in a turn of their
 * own. A life ends by `kill`, which is a crash: nothing is finished, nothing is said, the file stays as it was committed.
 */
import { drainMicrotasks } from "bun:jsc";
import { detectCopy } from "#src/backup/detect-copy.ts";
import type { Config } from "#src/config/config.ts";
import { MessageWatch } from "#src/core/change-watch.ts";
import { newInstanceId, newRunId } from "#src/core/id.ts";
import { createLog } from "#src/core/log.ts";
import { Metrics } from "#src/core/metrics.ts";
import { createSecretBox } from "#src/core/secret.ts";
import { openClient } from "#src/db/driver.ts";
import { readOrCreateInstanceId as readInstanceId } from "#src/db/instance.ts";
import type { Reader } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import { createWriteProbe } from "#src/db/write-probe.ts";
import { BROADCASTS } from "#src/domain/broadcasts/broadcast.ts";
import { applyLatenessAfterStart } from "#src/domain/broadcasts/start.ts";
import { CALLBACKS } from "#src/domain/inbound/callbacks.ts";
import { createApp } from "#src/http/api/app.ts";
import type { WebhookPoster } from "#src/net/post.ts";
import type { Network } from "#src/networks/network.ts";
import { CallbackApplier } from "#src/receiving/apply-callbacks.ts";
import { BroadcastRunner } from "#src/sending/broadcast-runner.ts";
import { createReviewWorker, createStartWorker } from "#src/sending/broadcast-schedule.ts";
import { createExpireWorker } from "#src/sending/expire-in-doubt.ts";
import { OutcomeRecorder } from "#src/sending/outcome-recorder.ts";
import { Pace } from "#src/sending/pace.ts";
import { withProviderLog } from "#src/sending/provider-log.ts";
import { reclaim } from "#src/sending/reclaim.ts";
import { WallClock } from "#src/sending/wall-clock.ts";
import { ClockWatch } from "#src/server/clock-watch.ts";
import { Housekeeping } from "#src/server/housekeeping.ts";
import { createDeliveryWorker } from "#src/webhooks/deliver.ts";
import type { Disk } from "./disk.ts";
import type { SeededRandom } from "./random.ts";
import type { Owner, Scheduler } from "./scheduler.ts";

export interface Surroundings {
  disk: Disk;
  config: Config;
  scheduler: Scheduler;
  random: SeededRandom;
  secretKey: Uint8Array;
  networkOf(life: Life): Network;
  posterOf(life: Life): WebhookPoster;
  /** What the server logs as an error, or throws where nobody catches it. */
  onError(what: string): void;
}

export interface Call {
  key?: string;
  body?: unknown;
  idempotencyKey?: string;
}

export interface Answer {
  status: number;
  text: string;
}

export class Life implements Owner {
  isDead = false;
  isReady = false;
  readonly store: Store;
  readonly #around: Surroundings;
  readonly #readers: { close(): void }[] = [];
  readonly #open = new Set<() => void>();
  #watch: ClockWatch | null = null;
  #wallClock: WallClock | null = null;
  #app: ReturnType<typeof createApp> | null = null;

  constructor(around: Surroundings) {
    this.#around = around;
    around.scheduler.owner = this;
    this.store = around.disk.storeOf(this);
    this.#start().catch((error: unknown) => {
      if (!this.isDead) around.onError(`the start failed: ${String(error)}`);
    });
    drainMicrotasks();
  }

  async #start(): Promise<void> {
    const { scheduler, random, config, secretKey, disk } = this.#around;
    const { store } = this;
    const clock = scheduler.clockOf(this);
    const log = createLog({
      level: "error",
      format: "text",
      now: () => clock.now(),
      write: (entry) => {
        if (!this.isDead) this.#around.onError(entry);
      },
    });
    const box = createSecretBox(secretKey, random);
    const newId = (): string => newInstanceId(random);
    readInstanceId(store.client, clock.now(), newId, disk.place);
    const { instanceId } = await detectCopy(store, disk.file, () => disk.place, newId);
    const runId = newRunId(random);
    const network = withProviderLog(this.#around.networkOf(this), {
      store,
      clock,
      onRequest: () => undefined,
      onTime: (networkTime) => this.#wallClock?.recordNetworkTime(networkTime),
    });
    const networks = { simulator: network, whatsapp: network };
    const watch = new MessageWatch(clock);
    const pace = new Pace(clock);
    const recorder = new OutcomeRecorder({
      store,
      clock,
      onDelay: () => undefined,
      onError: (error) => log.error("an outcome could not be recorded", { error }),
    });
    const reader = this.#reader();
    const { inDoubtAfterMs, settleAfterMs, ...lateness } = config.broadcasts;
    const applier = new CallbackApplier({ store, clock, networks, watch, instanceId, log });
    const deliveries = createDeliveryWorker({
      store,
      clock,
      runId,
      box,
      poster: this.#around.posterOf(this),
      schedule: config.webhooks,
      concurrency: config.webhooks.concurrency,
      log,
    });
    const expiring = createExpireWorker({ store, clock, runId, log });
    const starting = createStartWorker({ store, clock, runId, log }, lateness, () => this.#wallClock?.isRight === true);
    const reviewing = createReviewWorker({ store, clock, runId, log }, { settleAfterMs });
    const { timeoutMs } = config.whatsapp;
    const sending = { store, clock, networks, pace, recorder, box, instanceId, timeoutMs, inDoubtAfterMs };
    const broadcasts = new BroadcastRunner({ ...sending, log, reader, lateness });
    const housekeeping = new Housekeeping({ store, clock, retention: config.retention, log });

    await reclaim(store, runId, clock.now() + inDoubtAfterMs);
    await store.write((tx) => applyLatenessAfterStart(tx, lateness));

    this.#app = createApp({
      store,
      clock,
      random,
      log,
      limits: config.limits,
      dispatch: { ...sending, watch, retryBudgetMs: config.messages.retryBudgetMs },
      reader,
      searchReader: reader,
      isReady: () => this.isReady,
      isWritable: createWriteProbe(store),
      metrics: new Metrics(),
      metricsToken: null,
      onAnswer: () => undefined,
    });
    store.onNotify(CALLBACKS, () => applier.notify());
    store.onNotify("deliver_webhook", () => deliveries.notify());
    store.onNotify("expire_message", () => expiring.notify());
    store.onNotify("start_broadcast", () => starting.notify());
    store.onNotify("review_broadcast", () => reviewing.notify());
    store.onNotify(BROADCASTS, () => broadcasts.notify());
    const notified = [applier, deliveries, expiring, starting, reviewing, broadcasts];
    const onMoved = (): void => {
      if (!this.isDead) for (const worker of notified) worker.notify();
    };
    this.#watch = new ClockWatch({ store, clock, log, onMoved });
    const onRight = (): void => {
      if (!this.isDead) starting.notify();
    };
    this.#wallClock = new WallClock({ store, clock, log, ask: () => Promise.resolve(), onRight });
    this.#watch.start();
    this.#wallClock.start();
    for (const worker of [...notified, housekeeping]) worker.start();
    this.isReady = true;
  }

  /** Reads on a connection of its own, in a later turn, as the reader's thread does. */
  #reader(): Reader {
    const { scheduler, random, disk } = this.#around;
    const clock = scheduler.clockOf(this);
    let client: ReturnType<typeof openClient> | null = null;
    return {
      query: (sql, parameters = []) =>
        new Promise((resolve, reject) => {
          clock.setTimer(random.below(4), () => {
            try {
              if (client === null) {
                client = openClient(disk.file, { readonly: true });
                this.#readers.push(client);
              }
              resolve(client.prepare(sql).all(...parameters) as Record<string, unknown>[]);
            } catch (error) {
              reject(error);
            }
          });
        }),
      hasPendingQueries: false,
      close: () => undefined,
    };
  }

  /** After each commit, as the server does it. */
  lookAtClock(): void {
    if (this.isDead) return;
    this.#watch?.check();
    this.#wallClock?.recordCommit();
    this.#wallClock?.check();
  }

  /** `onAnswer` is given null where the life ends before it answers. */
  request(method: string, path: string, call: Call, onAnswer: (answer: Answer | null) => void): void {
    const app = this.#app;
    if (this.isDead || app === null || !this.isReady) {
      onAnswer(null);
      return;
    }
    const lost = (): void => onAnswer(null);
    this.#open.add(lost);
    const answered = (answer: Answer): void => {
      if (this.isDead || !this.#open.delete(lost)) return;
      onAnswer(answer);
    };
    const body = call.body === undefined ? null : JSON.stringify(call.body);
    const headers = new Headers();
    if (call.key !== undefined) headers.set("authorization", `Bearer ${call.key}`);
    if (call.idempotencyKey !== undefined) headers.set("idempotency-key", call.idempotencyKey);
    if (body !== null) {
      headers.set("content-type", "application/json");
      headers.set("content-length", String(Buffer.byteLength(body)));
    }
    const request = new Request(`http://waxwing.test${path}`, { method, headers, body });
    Promise.resolve(app.handle(request))
      .then(async (response) => answered({ status: response.status, text: await response.text() }))
      .catch((error: unknown) => this.#around.onError(`a request was not answered: ${String(error)}`));
    drainMicrotasks();
  }

  /** A crash, at this very moment. */
  kill(): void {
    this.isDead = true;
  }

  /** What is left of a process that was killed goes, as the kernel takes it away. */
  remove(): void {
    this.isDead = true;
    const { scheduler, disk } = this.#around;
    scheduler.bury();
    scheduler.owner = null;
    for (const reader of this.#readers) reader.close();
    disk.settle();
    const open = [...this.#open];
    this.#open.clear();
    for (const lost of open) lost();
  }
}
