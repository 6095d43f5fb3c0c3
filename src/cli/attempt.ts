/**
 * Waiting for what a receiver answered. The running server makes the attempts; a command asks for one and looks into the
 * database until it is written down. Where no server runs, a test makes its one attempt itself, in the server's place.
 */

import { sleep } from "#src/core/clock.ts";
import { newRunId } from "#src/core/id.ts";
import { createLog } from "#src/core/log.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { sendTestEvent } from "#src/domain/webhooks/publish.ts";
import { getDelivery } from "#src/domain/webhooks/read.ts";
import type { DeliveryAttempt } from "#src/domain/webhooks/table.ts";
import { claim } from "#src/jobs/claim.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import type { OutboxRow } from "#src/jobs/table.ts";
import type { Io } from "./context.ts";
import type { Database } from "./database.ts";
import { list, type Report } from "./output.ts";

const WAIT_LIMIT_MS = 15_000;
const POLL_INTERVAL_MS = 50;

/** Asks for a test event and returns its delivery; the attempt is made when this returns, or by the running server. */
export async function testAddress(database: Database, io: Io, workspaceId: number): Promise<number> {
  const lock = database.lockServer();
  if (lock === null) return database.store.write((tx) => sendTestEvent(tx, workspaceId));
  try {
    // Before anything is asked for: without its key the command could not keep its word.
    const box = database.box();
    const runId = newRunId(io.random);
    const { delivery, row } = await database.store.write((tx) => {
      const id = sendTestEvent(tx, workspaceId);
      // Before whatever else waits in this lane: only this one attempt is made here.
      enqueue(tx, { kind: "deliver_webhook", subject: id, queueKey: workspaceId, dueAt: 0 });
      return { delivery: id, row: claim(tx, "deliver_webhook", workspaceId, 1, runId)[0] };
    });
    if (row?.subject !== delivery) throw new Error(`delivery ${delivery} could not be claimed`);
    await attemptNow(database, io, { runId, box, row });
    return delivery;
  } finally {
    lock.release();
  }
}

interface Claimed {
  readonly runId: string;
  readonly box: SecretBox;
  readonly row: OutboxRow;
}

async function attemptNow(database: Database, io: Io, { runId, box, row }: Claimed): Promise<void> {
  const [{ attemptDelivery }, { createWebhookPoster }] = await Promise.all([
    import("#src/webhooks/deliver.ts"),
    import("#src/net/post.ts"),
  ]);
  const { webhooks } = database.config;
  const { clock } = io;
  const poster = createWebhookPoster({
    clock,
    allowHttp: webhooks.allowHttp,
    allowPrivate: webhooks.allowPrivate,
    timeoutMs: webhooks.timeoutMs,
  });
  try {
    const schedule = { retryAfterMs: webhooks.retryAfterMs, jitter: webhooks.jitter };
    // A refused attempt is the command's result, and needs no warning beside it.
    const log = createLog({ level: "error", format: "text", now: () => clock.now() });
    const { store } = database;
    await attemptDelivery({ store, clock, runId, box, poster, schedule, concurrency: 1, log }, row);
  } finally {
    poster.close();
  }
}

/** The first attempt of a delivery after the one with this id; null where none is written down in time. */
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

/** The id of a delivery's latest attempt; 0 where it has none. */
export function lastAttemptId(tx: ReadTx, deliveryId: number): number {
  return getDelivery(tx, deliveryId).attempts.at(-1)?.id ?? 0;
}

/** What came of an attempt; `attempt` null: it is still to be made, and `waiting` says by whom. */
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
    ? "The receiver did not accept it; it is tried again later, as any event is."
    : "The receiver did not accept it, and it is not tried again.";
}
