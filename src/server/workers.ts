/**
 * The services that work on messages: they send, receive, deliver and expire. The server starts them among others; the
 * simulation (`test/sim`) runs exactly these.
 */
import { Listeners } from "#src/core/listeners.ts";
import type { Service } from "#src/core/service-loop.ts";
import type { Readers } from "#src/db/fair-reader.ts";
import { BROADCASTS } from "#src/domain/broadcasts/broadcast.ts";
import { applyLatenessAfterStart } from "#src/domain/broadcasts/start.ts";
import { CONTACT_CHANGED } from "#src/domain/contacts/table.ts";
import { CALLBACKS } from "#src/domain/inbound/callbacks.ts";
import { contactMessageIndex } from "#src/domain/messages/contact-messages.ts";
import { networkIdIndex } from "#src/domain/messages/network-ids.ts";
import { NETWORK_HEALTH } from "#src/domain/numbers/network-health.ts";
import { CallbackApplier } from "#src/receiving/apply-callbacks.ts";
import { createSnoozeWorker } from "#src/receiving/end-snoozes.ts";
import { createBlockWorker } from "#src/sending/block-person.ts";
import { BroadcastRunner } from "#src/sending/broadcast-runner.ts";
import { createReviewWorker, createStartWorker } from "#src/sending/broadcast-schedule.ts";
import { createExpireWorker } from "#src/sending/expire-in-doubt.ts";
import { reclaim } from "#src/sending/reclaim.ts";
import type { SendOptions } from "#src/sending/send-message.ts";
import { createCancelWorker, createScheduledWorker } from "#src/sending/send-scheduled.ts";
import { askForTime, WallClock } from "#src/sending/wall-clock.ts";
import { createDeliveryWorker } from "#src/webhooks/deliver.ts";
import { createEndWorker } from "#src/webhooks/end-deliveries.ts";
import { createTellWorker } from "#src/webhooks/tell-contacts.ts";
import { BatchIndexer } from "./batch-indexer.ts";
import { ClockWatch } from "./clock-watch.ts";
import type { Environment, Outgoing, Storage } from "./context.ts";
import { Housekeeping } from "./housekeeping.ts";
import { SearchIndexer } from "./search-indexer.ts";

export interface WorkerContext
  extends Outgoing,
    Pick<Environment, "config" | "log" | "clock" | "realClock" | "metrics" | "onCommit" | "onNetworkTime">,
    Pick<Storage, "store" | "box" | "instanceId"> {
  readers: Pick<Readers, "building">;
  provideFile: SendOptions["provideFile"];
  endUnfinished?: (() => Promise<void>) | undefined;
  housekeepingEveryMs?: number | undefined;
  /** How many of the network's ids, and of single messages, move to their index together. */
  indexBatch?: number | undefined;
}

/** A commit that notifies the topic notifies the service. */
type Subscription = readonly [topic: string, service: Service];

interface Workers {
  /** In the order of their start. */
  services: readonly Service[];
  /** Notifies every service that waits for rows to become due. */
  notifyAll(): void;
  /** Cheap: call it several times a second. */
  checkClock(): void;
}

/** Takes over the work of the process that ran before; call it once, before the workers start. */
export async function reclaimWork({ store, clock, config }: WorkerContext): Promise<void> {
  await reclaim(store, clock.now() + config.broadcasts.inDoubtAfterMs);
  await store.write((tx) => applyLatenessAfterStart(tx, config.broadcasts));
}

/** What sending one message takes. */
export function createSendOptions(context: WorkerContext): SendOptions {
  const { store, clock, networks, pace, watch, recorder, box, instanceId, config, provideFile } = context;
  return {
    ...{ store, clock, networks, pace, watch, recorder, box, instanceId, provideFile },
    retryBudgetMs: config.messages.retryBudgetMs,
    timeoutMs: config.whatsapp.timeoutMs,
    inDoubtAfterMs: config.broadcasts.inDoubtAfterMs,
  };
}

/** `others` work on jobs as well, but on jobs of a real network: the topic that notifies each, and the service. */
export function createWorkers(context: WorkerContext, others: readonly Subscription[] = []): Workers {
  const { config, store, clock, log, onCommit, onNetworkTime } = context;
  const { settleAfterMs } = config.broadcasts;
  const lateness = config.broadcasts;
  const job = { store, clock, log };
  const dispatch = createSendOptions(context);

  const clockRight = new Listeners();
  const notifyAll = new Listeners();
  const ask = (): Promise<void> => askForTime(store, context.networks);
  const wallClock = new WallClock({ store, clock, log, ask, onRight: clockRight.emit });
  const clockWatch = new ClockWatch({ store, clock, log, onMoved: notifyAll.emit });
  const { concurrency } = config.webhooks;
  const starting = createStartWorker(job, lateness, () => wallClock.isRight);
  const scheduled = createScheduledWorker({ ...dispatch, log, lateness, isClockRight: () => wallClock.isRight });
  const broadcasts = new BroadcastRunner({ ...dispatch, store, log, readers: context.readers.building, lateness });
  const housekeeping = new Housekeeping({
    store,
    clock,
    retention: config.retention,
    log,
    endUnfinished: context.endUnfinished,
    everyMs: context.housekeepingEveryMs,
  });
  const indexing = { store, clock, realClock: context.realClock, log, batch: context.indexBatch };
  const searching = new SearchIndexer({ store, clock, realClock: context.realClock, log });
  const indexers = [networkIdIndex, contactMessageIndex].map((index) => new BatchIndexer(index, indexing));

  const byTopic: Subscription[] = [
    [CALLBACKS, new CallbackApplier({ ...context, onIgnored: context.metrics.countIgnoredStatus })],
    ["deliver_webhook", createDeliveryWorker({ ...context, schedule: config.webhooks, concurrency })],
    ["end_deliveries", createEndWorker(job)],
    ["expire_message", createExpireWorker(job)],
    [CONTACT_CHANGED, createTellWorker(job)],
    ["start_broadcast", starting],
    ["review_broadcast", createReviewWorker(job, { settleAfterMs })],
    ["send_message", scheduled],
    ["cancel_replied", createCancelWorker(job)],
    ["end_snooze", createSnoozeWorker(job)],
    ["resolve_block", createBlockWorker({ ...dispatch, log })],
    [BROADCASTS, broadcasts],
    [NETWORK_HEALTH, broadcasts],
    [NETWORK_HEALTH, scheduled],
    ...others,
  ];
  for (const [topic, subscribed] of Map.groupBy(byTopic, ([topic]) => topic))
    store.onNotify(topic, () => {
      for (const [, service] of subscribed) service.notify();
    });
  // A service may have several topics; it starts and stops once.
  const working = [...new Set(byTopic.map(([, service]) => service))];
  for (const service of working) notifyAll.add(() => service.notify());
  clockRight.add(() => starting.notify());
  clockRight.add(() => scheduled.notify());
  onNetworkTime.add((networkTime) => wallClock.recordNetworkTime(networkTime));
  notifyAll.add(() => searching.noteCommit());
  onCommit.add(() => {
    searching.noteCommit();
    if (clock.isSteady === true) broadcasts.unpark();
    clockWatch.check();
    wallClock.recordCommit();
  });
  return {
    services: [clockWatch, wallClock, ...working, ...indexers, searching, housekeeping],
    notifyAll: notifyAll.emit,
    checkClock() {
      clockWatch.check();
      wallClock.check();
    },
  };
}
