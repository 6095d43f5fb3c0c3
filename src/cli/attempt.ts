/**
 * Waits for a receiver's answer. The running server makes the attempts; a command requests one and polls the database
 * until the attempt is recorded. If no server runs, a test makes its single attempt itself.
 */

import { sleep } from "#src/core/clock.ts";
import { createLog } from "#src/core/log.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { sendTestEvent } from "#src/domain/webhooks/publish.ts";
import { getDelivery } from "#src/domain/webhooks/read.ts";
import type { DeliveryAttempt } from "#src/domain/webhooks/table.ts";
import { findJob } from "#src/jobs/outbox.ts";
import type { OutboxRow } from "#src/jobs/table.ts";
import type { WebhookPoster } from "#src/net/post.ts";
import type { Io } from "./context.ts";
import type { Database } from "./database.ts";
import { list, type Report } from "./output.ts";

const WAIT_LIMIT_MS = 15_000;
const POLL_INTERVAL_MS = 50;

/**
 * Sends a test event and returns the id of its delivery. If no server runs, the attempt has been made when this
 * returns; otherwise the running server makes it.
 */
export async function testAddress(database: Database, io: Io, workspaceId: number, id?: number): Promise<number> {
  const lock = database.lockServer();
  if (lock === null) return database.store.write((tx) => sendTestEvent(tx, workspaceId, id));
  try {
    // Load the key before creating the event: without the key, the command could not make the attempt.
    const box = database.box();
    const { delivery, job } = await database.store.write((tx) => {
      const delivery = sendTestEvent(tx, workspaceId, id);
      return { delivery, job: findJob(tx, "deliver_webhook", delivery) };
    });
    if (job === undefined) throw new Error(`delivery ${delivery} has no job`);
    await attemptNow(database, io, box, job);
    return delivery;
  } finally {
    lock.release();
  }
}

async function attemptNow(database: Database, io: Io, box: SecretBox, job: OutboxRow): Promise<void> {
  const { attemptDelivery } = await import("#src/webhooks/deliver.ts");
  const { store, config } = database;
  const { clock } = io;
  const { retryAfterMs, jitter } = config.webhooks;
  await withPoster(database, io, (poster) => {
    const schedule = { retryAfterMs, jitter };
    // A refused attempt is the command's result, so it should not be logged as a warning too.
    const log = createLog({ level: "error", format: "text", now: () => clock.now() });
    return attemptDelivery({ store, clock, realClock: clock, box, poster, schedule, concurrency: 1, log }, job);
  });
}

/** Lets a command call a receiver itself, by the rules of the server. */
export async function withPoster<T>(
  { config }: Database,
  { clock }: Io,
  work: (poster: WebhookPoster) => Promise<T>,
): Promise<T> {
  const { createWebhookPoster } = await import("#src/net/post.ts");
  const { allowHttp, allowPrivate, timeoutMs } = config.webhooks;
  const poster = createWebhookPoster({ clock, allowHttp, allowPrivate, timeoutMs });
  try {
    return await work(poster);
  } finally {
    poster.close();
  }
}

/** The first attempt of a delivery after the attempt with id `after`; null if none is recorded in time. */
export async function waitForAttempt(
  { store }: Database,
  { clock }: Io,
  deliveryId: number,
  after: number,
): Promise<DeliveryAttempt | null> {
  const deadline = clock.monotonic() + WAIT_LIMIT_MS;
  for (;;) {
    const attempt = store.read((tx) => getDelivery(tx, deliveryId).attempts.find(({ id }) => id > after));
    if (attempt !== undefined) return attempt;
    if (clock.monotonic() >= deadline) return null;
    await sleep(clock, POLL_INTERVAL_MS);
  }
}

/** The id of a delivery's latest attempt; 0 if it has none. */
export function lastAttemptId(tx: ReadTx, deliveryId: number): number {
  return getDelivery(tx, deliveryId).attempts.at(-1)?.id ?? 0;
}

/** Reports an attempt's result. If `attempt` is null, the attempt is still to be made, and `waiting` describes that. */
export function reportAttempt(
  tx: ReadTx,
  deliveryId: number,
  attempt: DeliveryAttempt | null,
  waiting: string,
): Report {
  const delivery = getDelivery(tx, deliveryId);
  const isAccepted = attempt?.statusCode != null && attempt.statusCode >= 200 && attempt.statusCode < 300;
  const shown = {
    delivery_id: delivery.id,
    event_id: delivery.eventId,
    status_code: attempt?.statusCode ?? null,
    response: attempt?.response ?? null,
    error: attempt?.error ?? null,
    duration_ms: attempt?.durationMs ?? null,
    delivered: isAccepted,
    status: delivery.status,
  };
  const entries = list({
    delivery: shown.delivery_id,
    event: shown.event_id,
    url: attempt?.url,
    answer: attempt === null ? undefined : (shown.status_code ?? `none: ${shown.error}`),
    body: attempt?.statusCode == null ? undefined : (shown.response ?? ""),
    took: attempt === null ? undefined : `${shown.duration_ms} ms`,
  });
  const verdict = attempt === null ? waiting : verdictOn(isAccepted, delivery.status === "pending");
  return { json: shown, text: `${verdict}\n\n${entries}` };
}

function verdictOn(isAccepted: boolean, isPending: boolean): string {
  if (isAccepted) return "The receiver accepted it.";
  return isPending
    ? "The receiver did not accept it; it is retried later, like any event."
    : "The receiver did not accept it, and it is not retried.";
}
