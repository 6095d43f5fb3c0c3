/**
 * Broadcasts and scheduled messages in a restored database. The original may have continued sending, so no broadcast continues without a
 * person. If it is not known what was sent since the backup, that person also decides about the recipients in the backup:
 * they are sent to, or they fail with this reason.
 */
import { and, eq, sql } from "drizzle-orm";
import { updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { countMove, getCounters } from "../messages/adjust-counters.ts";
import { totalOf } from "../messages/broadcast-counters.ts";
import { findMessageById } from "../messages/read.ts";
import { recordFailure } from "../messages/record-outcome.ts";
import { endRestored } from "../messages/scheduled.ts";
import { type Message, messages } from "../messages/table.ts";
import { recountPortfolios } from "../numbers/portfolio.ts";
import { trigger, update } from "./move.ts";
import { listOpen, listRecipientIds } from "./read.ts";
import type { Broadcast } from "./table.ts";

/**
 * Pauses every scheduled and active broadcast, and ends every scheduled message. `isComplete`: it is known what was sent
 * since the backup.
 */
export function holdRestored(tx: Tx, isComplete: boolean): void {
  recountPortfolios(tx);
  endRestored(tx);
  for (const broadcast of listOpen(tx, ["scheduled", "queueing", "running", "paused"])) {
    const counters = getCounters(tx, broadcast.id);
    const reason = `this copy was restored; ${counters.sent + counters.failed} of ${totalOf(counters)} already sent as far as it knows`;
    // An earlier gap that no person has decided about remains: rows merged since do not fill it.
    const isKnown = isComplete && broadcast.pauseCause !== "restored_gap";
    const changes = {
      pauseCause: isKnown ? ("restored" as const) : ("restored_gap" as const),
      statusReason: reason,
      waitsUntil: null,
      waitsFor: null,
    };
    // A broadcast paused for another cause could resume automatically, so its cause is replaced.
    if (trigger(tx, broadcast, "pause", changes) === null) update(tx, broadcast, changes);
  }
}

/** Of the recipients that may have been sent to, as many are named. */
const NAMED_MAX = 10;

/** Whether the outcome of all unsent recipients is unknown. A broadcast that has not started yet has sent nothing. */
function mayHaveBeenSent({ pauseCause, sendAt }: Broadcast, now: number): boolean {
  return pauseCause === "restored_gap" && (sendAt === null || sendAt <= now);
}

/**
 * The recipients that may have been sent to since the backup: how many, and the first of them. Null if there are none,
 * so that resuming needs no decision about them.
 */
export function nameUnknown(tx: ReadTx, broadcast: Broadcast): string | null {
  if (!mayHaveBeenSent(broadcast, tx.now)) return null;
  const { pending } = getCounters(tx, broadcast.id);
  const isGroupOpen = broadcast.groupId !== null && !broadcast.isBuilt;
  if (pending === 0) return isGroupOpen ? "everybody in the group" : null;
  const first = listRecipientIds(tx, broadcast, "pending", { offset: 0 }, NAMED_MAX)
    .flatMap(({ id }) => findMessageById(tx, id) ?? [])
    .filter(isUnsent);
  const rest = first.length < pending ? [`${pending - first.length} more`] : [];
  const people = `${pending} ${pending === 1 ? "recipient" : "recipients"} (${[...first.map(({ toPhone }) => toPhone), ...rest].join(", ")})`;
  return isGroupOpen ? `${people} and everybody in the group who was not listed yet` : people;
}

function isUnsent({ status }: Message): boolean {
  return status !== "sending";
}

const unknownAfterRestore = {
  code: "restored",
  message: "May already have been sent: the database was restored from a copy that does not know what was sent since.",
  outcomeUnknown: true,
};

/** Fails up to `limit` unsent recipients; returns how many. */
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
    updateRows(tx, messages, { id }, { status: "queued" });
    countMove(tx, broadcastId, id, before, queued);
  }
  recordFailure(tx, id, unknownAfterRestore);
}
