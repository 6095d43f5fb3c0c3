/**
 * One life of the server in this process: the workers of `src/server/workers.ts`, without the parts that talk to the machine.
 * Requests go straight to the router, messages and webhooks to the simulated world, and long reads run in a turn of their
 * own. A life ends with `kill`, which is a crash: nothing is finished or reported, and the file stays as it was committed.
 */

import { drainMicrotasks } from "bun:jsc";
import { detectCopy } from "#src/backup/detect-copy.ts";
import type { Config } from "#src/config/config.ts";
import { MessageWatch } from "#src/core/change-watch.ts";
import { newInstanceId } from "#src/core/id.ts";
import { Listeners } from "#src/core/listeners.ts";
import { createLog } from "#src/core/log.ts";
import { Metrics } from "#src/core/metrics.ts";
import { createSecretBox } from "#src/core/secret.ts";
import { Turns } from "#src/core/turns.ts";
import { openClient } from "#src/db/driver.ts";
import { readOrCreateInstanceId as readInstanceId } from "#src/db/instance.ts";
import type { Reader } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import { createWriteProbe } from "#src/db/write-probe.ts";
import { ServerMetrics } from "#src/health/metrics.ts";
import { AnswerStreams } from "#src/http/answer-streams.ts";
import { createApp } from "#src/http/api/app.ts";
import { EventWaiters } from "#src/http/event-waiters.ts";
import { MediaFiles } from "#src/media/files.ts";
import { MediaRoom } from "#src/media/room.ts";
import { Uploads } from "#src/media/uploads.ts";
import type { WebhookPoster } from "#src/net/post.ts";
import type { Network } from "#src/networks/network.ts";
import { OutcomeRecorder } from "#src/sending/outcome-recorder.ts";
import { Pace } from "#src/sending/pace.ts";
import { withProviderLog } from "#src/sending/provider-log.ts";
import { createSendOptions, createWorkers, reclaimWork, type WorkerContext } from "#src/server/workers.ts";
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
  /** Errors that the server logs, and exceptions that are not caught. */
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
  readonly #onCommit = new Listeners();
  readonly #onPoll = new Listeners();
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
    const onNetworkTime = new Listeners<[networkTime: number]>();
    const network = withProviderLog(this.#around.networkOf(this), {
      store,
      clock,
      onRequest: () => undefined,
      onTime: onNetworkTime.emit,
    });
    const reader = this.#reader();
    const readers = { of: () => reader, server: reader };
    const context: WorkerContext = {
      ...{ config, log, clock, realClock: clock, store, box, instanceId, onNetworkTime },
      networks: { simulator: network, whatsapp: network },
      poster: this.#around.posterOf(this),
      pace: new Pace(clock),
      watch: new MessageWatch(clock),
      recorder: new OutcomeRecorder({
        store,
        clock,
        onDelay: () => undefined,
        onError: (error) => log.error("outcome.failed", "Outcome could not be recorded", { error }),
      }),
      readers: { building: readers },
      provideFile: () => Promise.resolve(),
      metrics: new ServerMetrics(),
      onCommit: this.#onCommit,
      // A run sends few messages, and some are moved.
      indexBatch: 5,
    };
    await reclaimWork(context);
    const workers = createWorkers(context);
    const stopping = new AbortController().signal;
    const turns = new Turns(clock, stopping);
    const media = new MediaFiles(config.media.directory);
    const uploads = new Uploads({
      ...{ store, files: media, room: new MediaRoom(store, config.media.quotaBytes) },
      ...{ maxBytes: config.media.maxBytes, keptFor: config.retention.uploads },
    });
    this.#app = createApp({
      ...{ stopping, eventWaiters: new EventWaiters(store, clock, stopping) },
      ...{ store, clock, random, log },
      ...{ turns, streams: new AnswerStreams(turns, clock) },
      ...{ media, uploads, poster: context.poster, realClock: clock },
      docs: { publicUrl: null, hasExplorer: false, explorerKey: null },
      acceptsTestKeys: false,
      readers: {
        lists: readers,
        searches: readers,
        building: readers,
        hasPendingQueries: false,
        close: () => undefined,
      },
      limits: config.limits,
      webhooks: config.webhooks,
      dispatch: createSendOptions(context),
      isReady: () => this.isReady,
      isWritable: createWriteProbe(store),
      metrics: new Metrics(),
      metricsToken: null,
      onAnswer: () => undefined,
      requestLog: { note: () => undefined },
    });
    this.#onPoll.add(workers.checkClock);
    for (const service of workers.services) service.start();
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
    };
  }

  /** After each commit, as the server does it. */
  lookAtClock(): void {
    if (this.isDead) return;
    this.#onCommit.emit();
    this.#onPoll.emit();
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
