/**
 * What the network says later. Statuses come twice, late, out of order and for messages that we do not know (yet); each
 * moves a message at most once, and none is lost while its message may still appear.
 */
import { and, asc, eq, inArray, lte, sql } from "drizzle-orm";
import { readReference } from "#src/core/id.ts";
import { statement, type Tx } from "#src/db/transaction.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { type Heard, hearStatus } from "./breaker.ts";
import type { Tally } from "./counter-deltas.ts";
import { decideStatus, isOfErased } from "./message.ts";
import { enter, move } from "./move.ts";
import { findReported } from "./read.ts";
import type { StatusReport } from "./status-item.ts";
import { type Message, parkedCounts, parkedStatuses } from "./table.ts";

/** How long a status waits for its message: with a reference of ours, and without one. */
const PARKED_WITH_REFERENCE_MS = 24 * 60 * 60 * 1000;
const PARKED_WITHOUT_MS = 10 * 60 * 1000;
const PARKED_WITHOUT_MAX = 100_000;

const NO_REASON = "The network gave no reason.";

export type Applied =
  /** `messageId` was moved or filled in; `isOfErased`: of somebody whom the report should not have named any more. */
  { kind: "applied"; messageId: number; isOfErased: boolean } | { kind: "parked" } | { kind: "dropped" };

/** Applies one status of one of our numbers. `tally`: where many are counted together. */
export function applyStatus(
  tx: Tx,
  number: Pick<SendingNumber, "id">,
  report: StatusReport,
  instanceId: string,
  tally: Tally | null = null,
): Applied {
  const message = findReported(tx, number.id, report.reference, report.networkMessageId);
  if (message === undefined) return park(tx, number, report, instanceId);
  applyTo(tx, message, report, tally);
  // The echo of our reference may be the first to name the network's id: what waited for that id belongs to it.
  if (message.networkMessageId === null) applyParked(tx, number.id, report.networkMessageId, tally);
  return { kind: "applied", messageId: message.id, isOfErased: isOfErased(message) };
}

const parkedOf = statement((db) =>
  db
    .select()
    .from(parkedStatuses)
    .where(
      and(
        eq(parkedStatuses.networkMessageId, sql.placeholder("networkMessageId")),
        eq(parkedStatuses.numberId, sql.placeholder("numberId")),
      ),
    )
    .orderBy(asc(parkedStatuses.id))
    .prepare(),
);

/** The statuses that were faster than the answer which named the network's id. Returns whether there were any. */
export function applyParked(tx: Tx, numberId: number, networkMessageId: string, tally: Tally | null = null): boolean {
  const parked = parkedOf(tx).all({ networkMessageId, numberId });
  for (const { id, report } of parked) {
    tx.db.delete(parkedStatuses).where(eq(parkedStatuses.id, id)).run();
    const message = findReported(tx, numberId, report.reference, networkMessageId);
    if (message !== undefined) applyTo(tx, message, report, tally);
  }
  return parked.length > 0;
}

function applyTo(tx: Tx, message: Message, report: StatusReport, tally: Tally | null): void {
  const networkMessageId = message.networkMessageId ?? report.networkMessageId;
  switch (decideStatus(message.status, report.status, { outcomeUnknown: message.outcomeUnknown })) {
    case "ignore":
      // Even so it names the network's id, by which other statuses may be waiting.
      if (message.networkMessageId === null) move(tx, message, { networkMessageId });
      return;
    case "fill_in": {
      // Most often there is nothing to fill in: the answer was faster, or the status came twice.
      const times = timesOf(message, report, tx.now);
      const isNews = message.networkMessageId === null || differs(message, times);
      if (isNews) move(tx, message, { networkMessageId, ...times });
      return;
    }
    case "explain":
      move(tx, message, {
        networkMessageId,
        outcomeUnknown: false,
        errorCode: report.error?.code ?? message.errorCode,
        errorMessage: report.error?.message ?? message.errorMessage,
      });
      hear(tx, message, report, tally);
      return;
    case "enter":
      enter(
        tx,
        message,
        {
          networkMessageId,
          status: report.status,
          outcomeUnknown: false,
          ...timesOf(message, report, tx.now),
          errorCode: report.status === "failed" ? (report.error?.code ?? "unknown") : null,
          errorMessage: report.status === "failed" ? (report.error?.message ?? NO_REASON) : null,
        },
        tally,
      );
      hear(tx, message, report, tally);
  }
}

/** What a status of a recipient says to its broadcast's breaker. */
function hear(tx: Tx, message: Message, report: StatusReport, tally: Tally | null): void {
  if (message.broadcastId === null) return;
  const heard = heardFrom(message, report);
  if (tally === null) hearStatus(tx, message.broadcastId, heard);
  else tally.hear(message.broadcastId, heard);
}

function differs(message: Message, times: Partial<Message>): boolean {
  return Object.entries(times).some(([name, at]) => message[name as keyof Message] !== at);
}

function heardFrom({ handedOverAt }: Message, { status, error }: StatusReport): Heard {
  if (status !== "failed") return { kind: status === "sent" ? "accepted" : "arrived" };
  // A status that an older version parked has no scope.
  const failure = {
    code: error?.code ?? "unknown",
    words: error?.message ?? NO_REASON,
    scope: error?.scope ?? "network",
  };
  return { kind: "failed", failure, dispatchedAt: handedOverAt };
}

/** A state sets the earlier states' times too, where they are missing. Nothing lies in the future, or before the last. */
function timesOf(message: Message, report: StatusReport, now: number): Partial<Message> {
  const at = Math.min(report.at, now);
  if (report.status === "failed") return { failedAt: message.failedAt ?? Math.max(at, message.sentAt ?? 0) };
  const sentAt = message.sentAt ?? at;
  if (report.status === "sent") return { sentAt };
  const deliveredAt = message.deliveredAt ?? Math.max(at, sentAt);
  if (report.status === "delivered") return { sentAt, deliveredAt };
  return { sentAt, deliveredAt, readAt: message.readAt ?? Math.max(at, deliveredAt) };
}

const insertParked = statement((db) =>
  db
    .insert(parkedStatuses)
    .values({
      numberId: sql.placeholder("numberId"),
      networkMessageId: sql.placeholder("networkMessageId"),
      reference: sql.placeholder("reference"),
      report: sql.placeholder("report"),
      expiresAt: sql.placeholder("expiresAt"),
    })
    .prepare(),
);

function park(tx: Tx, number: Pick<SendingNumber, "id">, report: StatusReport, instanceId: string): Applied {
  const made = report.reference === null ? null : readReference(report.reference);
  // Another copy of a database made this reference: its messages are not ours to wait for.
  if (made !== null && made.instanceId !== instanceId) return { kind: "dropped" };
  if (made === null && countParked(tx, number.id) >= PARKED_WITHOUT_MAX) return { kind: "dropped" };
  insertParked(tx).run({
    numberId: number.id,
    networkMessageId: report.networkMessageId,
    // Another program's reference is none: what it is sent is no message of ours, and is counted with the rest.
    reference: made === null ? null : report.reference,
    report,
    expiresAt: tx.now + (made === null ? PARKED_WITHOUT_MS : PARKED_WITH_REFERENCE_MS),
  });
  return { kind: "parked" };
}

const parkedCount = statement((db) =>
  db
    .select({ statuses: parkedCounts.statuses })
    .from(parkedCounts)
    .where(eq(parkedCounts.numberId, sql.placeholder("numberId")))
    .prepare(),
);

/** Those without a reference, by the counter that triggers keep: to count a hundred thousand for each more takes hours. */
function countParked(tx: Tx, numberId: number): number {
  return parkedCount(tx).get({ numberId })?.statuses ?? 0;
}

/** Drops up to `limit` statuses whose message never appeared; returns how many. */
export function purgeParked(tx: Tx, limit: number): number {
  const old = tx.db
    .select({ id: parkedStatuses.id })
    .from(parkedStatuses)
    .where(lte(parkedStatuses.expiresAt, tx.now))
    .orderBy(asc(parkedStatuses.expiresAt))
    .limit(limit)
    .all()
    .map(({ id }) => id);
  if (old.length > 0) tx.db.delete(parkedStatuses).where(inArray(parkedStatuses.id, old)).run();
  return old.length;
}
