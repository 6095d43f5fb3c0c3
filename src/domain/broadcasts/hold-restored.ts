/**
 * Broadcasts in a copy of a database: another copy may have gone on sending, so none goes on without a person. Where it is
 * not known what was sent since, resuming sends to nobody who was in the copy: they become failed, and are told so.
 */
import { and, eq, sql } from "drizzle-orm";
import type { Tx } from "#src/db/transaction.ts";
import { countMove, getCounters } from "../messages/adjust-counters.ts";
import { totalOf } from "../messages/broadcast-counters.ts";
import { findMessageById } from "../messages/read.ts";
import { recordFailure } from "../messages/record-outcome.ts";
import { messages } from "../messages/table.ts";
import { trigger, update } from "./move.ts";
import { listOpen } from "./read.ts";
import type { Broadcast } from "./table.ts";

/** Holds whatever is scheduled or under way. `isComplete`: what was sent since the copy is known. */
export function holdRestored(tx: Tx, isComplete: boolean): void {
  for (const broadcast of listOpen(tx, ["scheduled", "queueing", "running", "paused"])) {
    const counters = getCounters(tx, broadcast.id);
    const reason = `this copy was restored; ${counters.sent + counters.failed} of ${totalOf(counters)} already sent as far as it knows`;
    // A gap of before, about which nobody has decided yet, stays one: what was taken over since does not fill it.
    const isKnown = isComplete && broadcast.pauseCause !== "restored_gap";
    const changes = {
      pauseCause: isKnown ? ("restored" as const) : ("restored_gap" as const),
      statusReason: reason,
      waitsUntil: null,
    };
    // One that rests for another reason would go on by itself when that is over.
    if (trigger(tx, broadcast, "pause", changes) === null) update(tx, broadcast, changes);
  }
}

/** Whether resuming it must leave out everybody who was in the copy. One that is still to start has sent to nobody. */
export function mayHaveBeenSent({ pauseCause, sendAt }: Broadcast, now: number): boolean {
  return pauseCause === "restored_gap" && (sendAt === null || sendAt <= now);
}

const unknownAfterRestore = {
  code: "restored",
  message: "May already have been sent: the database was restored from a copy that does not know what was sent since.",
  outcomeUnknown: true,
};

/** Fails up to `limit` of those who are not sent yet; returns how many. */
export function failUnsent(tx: Tx, broadcast: Broadcast, limit: number): number {
  let failed = 0;
  for (const status of ["pending", "queued"] as const) {
    const rows = tx.db
      .select({ id: messages.id })
      .from(messages)
      .where(and(eq(messages.broadcastId, broadcast.id), sql`${messages.status} = ${sql.raw(`'${status}'`)}`))
      .limit(limit - failed)
      .all();
    for (const { id } of rows) failOne(tx, broadcast.id, id);
    failed += rows.length;
    if (failed === limit) break;
  }
  return failed;
}

function failOne(tx: Tx, broadcastId: number, id: number): void {
  const before = findMessageById(tx, id);
  if (before === undefined) return;
  if (before.status === "pending") {
    const queued = { ...before, status: "queued" as const };
    tx.db.update(messages).set({ status: "queued" }).where(eq(messages.id, id)).run();
    countMove(tx, broadcastId, id, before, queued);
  }
  recordFailure(tx, id, unknownAfterRestore);
}
