/**
 * Ends the waiting deliveries of an address that is removed, cleared or disabled. The first of them end with that change,
 * the others in slices by a job: an address that did not answer for days has left a million, and other work of the
 * server happens between slices. Until then no attempt is made: `attempt.ts` finds no address.
 */
import { and, asc, count, eq, inArray, lte, type SQL } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { deleteJobs, finish, lastJobId, postpone } from "#src/jobs/outbox.ts";
import { type OutboxRow, outbox } from "#src/jobs/table.ts";
import { emptyErasedEvent } from "./erased-event.ts";
import { queueOf, webhookOfQueue } from "./read.ts";
import { finishDelivery } from "./statements.ts";
import { deliveries, type Webhook } from "./table.ts";

/** Takes about ten milliseconds. */
const ENDED_TOGETHER = 100;

/** Returns how many deliveries were waiting. Those to the second address of `dev --forward` stay. */
export function endDeliveries(tx: Tx, webhook: Pick<Webhook, "id" | "workspaceId">): number {
  const queueKey = queueOf(webhook);
  const last = lastJobId(tx);
  const found = tx.db
    .select({ waiting: count() })
    .from(outbox)
    .where(ofAddress(tx, queueKey, last))
    .get();
  if (endSlice(tx, queueKey, last)) enqueue(tx, { kind: "end_deliveries", subject: last, queueKey, dueAt: tx.now });
  return found?.waiting ?? 0;
}

/** Ends the next deliveries of the job's address. */
export function continueEnding(tx: Tx, { id, queueKey, subject }: OutboxRow): void {
  if (endSlice(tx, queueKey, subject)) postpone(tx, id, tx.now);
  else finish(tx, id);
}

/** The waiting jobs of an address, up to the job `last`: later ones are of an address that was set again. */
function ofAddress(tx: Tx, queueKey: number, last: number): SQL | undefined {
  const webhook = webhookOfQueue(tx, queueKey);
  const ofQueue = and(eq(outbox.kind, "deliver_webhook"), eq(outbox.queueKey, queueKey), lte(outbox.id, last));
  if (webhook === undefined || !("forwardUrl" in webhook) || webhook.forwardUrl === null) return ofQueue;
  const isOwn = and(eq(deliveries.id, outbox.subject), eq(deliveries.isForwarded, false));
  return and(ofQueue, inArray(outbox.subject, tx.db.select({ id: deliveries.id }).from(deliveries).where(isOwn)));
}

/** Returns whether more may be left. */
function endSlice(tx: Tx, queueKey: number, last: number): boolean {
  const jobs = tx.db
    .select({ delivery: outbox.subject })
    .from(outbox)
    .where(ofAddress(tx, queueKey, last))
    .orderBy(asc(outbox.dueAt))
    .limit(ENDED_TOGETHER)
    .all();
  const ended = jobs.map(({ delivery }) => delivery);
  exhaust(tx, ended);
  // An attempt in flight finds its job gone, and only records itself.
  deleteJobs(tx, "deliver_webhook", ended);
  return ended.length === ENDED_TOGETHER;
}

/** Ends these deliveries, as far as they are waiting. */
export function exhaust(tx: Tx, ids: readonly number[]): void {
  for (const id of ids) {
    if (finishDelivery(tx).run({ id, status: "exhausted", finishedAt: tx.now }) === 1) emptyErasedEvent(tx, id);
  }
}
