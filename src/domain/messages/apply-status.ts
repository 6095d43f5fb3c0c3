/**
 * What the network says later. Statuses come twice, late, out of order and for messages that we do not know (yet); each
 * moves a message at most once, and none is lost while its message may still appear.
 */
import { and, asc, eq, inArray, lte, sql } from "drizzle-orm";
import { parseSendToken } from "#src/core/id.ts";
import { statement, type Tx } from "#src/db/transaction.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { type BreakerSignal, countStatus } from "./breaker.ts";
import type { CounterDeltas } from "./counter-deltas.ts";
import { decideStatus, isContactErased } from "./message.ts";
import { enter, move } from "./move.ts";
import { findForStatus } from "./read.ts";
import type { StatusItem } from "./status-item.ts";
import { type Message, parkedStatusCounts, parkedStatuses } from "./table.ts";

/** How long a status waits for its message: with a reference of ours, and without one. */
const PARKED_WITH_TOKEN_MS = 24 * 60 * 60 * 1000;
const PARKED_WITHOUT_TOKEN_MS = 10 * 60 * 1000;
const PARKED_WITHOUT_TOKEN_MAX = 100_000;

const NO_REASON = "The network gave no reason.";

export type StatusResult =
  /** `messageId` was moved or filled in; `isOfErased`: of somebody whom the report should not have named any more. */
  { kind: "applied"; messageId: number; isContactErased: boolean } | { kind: "parked" } | { kind: "dropped" };

/** Applies one status of one of our numbers. `tally`: where many are counted together. */
export function applyStatus(
  tx: Tx,
  number: Pick<SendingNumber, "id">,
  item: StatusItem,
  instanceId: string,
  deltas: CounterDeltas | null = null,
): StatusResult {
  const message = findForStatus(tx, number.id, item.sendToken, item.networkMessageId);
  if (message === undefined) return park(tx, number, item, instanceId);
  applyToMessage(tx, message, item, deltas);
  // The echo of our reference may be the first to name the network's id: what waited for that id belongs to it.
  if (message.networkMessageId === null) applyParked(tx, number.id, item.networkMessageId, deltas);
  return { kind: "applied", messageId: message.id, isContactErased: isContactErased(message) };
}

const parkedForMessage = statement((db) =>
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
export function applyParked(
  tx: Tx,
  numberId: number,
  networkMessageId: string,
  deltas: CounterDeltas | null = null,
): boolean {
  const parked = parkedForMessage(tx).all({ networkMessageId, numberId });
  for (const { id, item } of parked) {
    tx.db.delete(parkedStatuses).where(eq(parkedStatuses.id, id)).run();
    const message = findForStatus(tx, numberId, item.sendToken, networkMessageId);
    if (message !== undefined) applyToMessage(tx, message, item, deltas);
  }
  return parked.length > 0;
}

function applyToMessage(tx: Tx, message: Message, item: StatusItem, deltas: CounterDeltas | null): void {
  const networkMessageId = message.networkMessageId ?? item.networkMessageId;
  switch (decideStatus(message.status, item.status, { outcomeUnknown: message.outcomeUnknown })) {
    case "ignore":
      // Even so it names the network's id, by which other statuses may be waiting.
      if (message.networkMessageId === null) move(tx, message, { networkMessageId });
      return;
    case "fill_in": {
      // Most often there is nothing to fill in: the answer was faster, or the status came twice.
      const times = statusTimes(message, item, tx.now);
      const hasChanges = message.networkMessageId === null || differs(message, times);
      if (hasChanges) move(tx, message, { networkMessageId, ...times });
      return;
    }
    case "explain":
      move(tx, message, {
        networkMessageId,
        outcomeUnknown: false,
        errorCode: item.error?.code ?? message.errorCode,
        errorMessage: item.error?.message ?? message.errorMessage,
      });
      hear(tx, message, item, deltas);
      return;
    case "enter":
      enter(
        tx,
        message,
        {
          networkMessageId,
          status: item.status,
          outcomeUnknown: false,
          ...statusTimes(message, item, tx.now),
          errorCode: item.status === "failed" ? (item.error?.code ?? "unknown") : null,
          errorMessage: item.status === "failed" ? (item.error?.message ?? NO_REASON) : null,
        },
        deltas,
      );
      hear(tx, message, item, deltas);
  }
}

/** What a status of a recipient says to its broadcast's breaker. */
function hear(tx: Tx, message: Message, item: StatusItem, deltas: CounterDeltas | null): void {
  if (message.broadcastId === null) return;
  const heard = signalOf(message, item);
  if (deltas === null) countStatus(tx, message.broadcastId, heard);
  else deltas.countStatus(message.broadcastId, heard);
}

function differs(message: Message, times: Partial<Message>): boolean {
  return Object.entries(times).some(([name, at]) => message[name as keyof Message] !== at);
}

function signalOf({ dispatchedAt }: Message, { status, error }: StatusItem): BreakerSignal {
  if (status !== "failed") return { kind: status === "sent" ? "accepted" : "arrived" };
  // A status that an older version parked has no scope.
  const failure = {
    code: error?.code ?? "unknown",
    message: error?.message ?? NO_REASON,
    scope: error?.scope ?? "network",
  };
  return { kind: "failed", failure, dispatchedAt };
}

/** A state sets the earlier states' times too, where they are missing. Nothing lies in the future, or before the last. */
function statusTimes(message: Message, item: StatusItem, now: number): Partial<Message> {
  const at = Math.min(item.at, now);
  if (item.status === "failed") return { failedAt: message.failedAt ?? Math.max(at, message.sentAt ?? 0) };
  const sentAt = message.sentAt ?? at;
  if (item.status === "sent") return { sentAt };
  const deliveredAt = message.deliveredAt ?? Math.max(at, sentAt);
  if (item.status === "delivered") return { sentAt, deliveredAt };
  return { sentAt, deliveredAt, readAt: message.readAt ?? Math.max(at, deliveredAt) };
}

const insertParked = statement((db) =>
  db
    .insert(parkedStatuses)
    .values({
      numberId: sql.placeholder("numberId"),
      networkMessageId: sql.placeholder("networkMessageId"),
      sendToken: sql.placeholder("sendToken"),
      item: sql.placeholder("item"),
      expiresAt: sql.placeholder("expiresAt"),
    })
    .prepare(),
);

function park(tx: Tx, number: Pick<SendingNumber, "id">, item: StatusItem, instanceId: string): StatusResult {
  const token = item.sendToken === null ? null : parseSendToken(item.sendToken);
  // Another copy of a database made this reference: its messages are not ours to wait for.
  if (token !== null && token.instanceId !== instanceId) return { kind: "dropped" };
  if (token === null && countParked(tx, number.id) >= PARKED_WITHOUT_TOKEN_MAX) return { kind: "dropped" };
  insertParked(tx).run({
    numberId: number.id,
    networkMessageId: item.networkMessageId,
    // Another program's reference is none: what it is sent is no message of ours, and is counted with the rest.
    sendToken: token === null ? null : item.sendToken,
    item,
    expiresAt: tx.now + (token === null ? PARKED_WITHOUT_TOKEN_MS : PARKED_WITH_TOKEN_MS),
  });
  return { kind: "parked" };
}

const parkedCount = statement((db) =>
  db
    .select({ count: parkedStatusCounts.count })
    .from(parkedStatusCounts)
    .where(eq(parkedStatusCounts.numberId, sql.placeholder("numberId")))
    .prepare(),
);

/** Those without a reference, by the counter that triggers keep: to count a hundred thousand for each more takes hours. */
function countParked(tx: Tx, numberId: number): number {
  return parkedCount(tx).get({ numberId })?.count ?? 0;
}

/** Drops up to `limit` statuses whose message never appeared; returns how many. */
export function purgeParked(tx: Tx, limit: number): number {
  const expired = tx.db
    .select({ id: parkedStatuses.id })
    .from(parkedStatuses)
    .where(lte(parkedStatuses.expiresAt, tx.now))
    .orderBy(asc(parkedStatuses.expiresAt))
    .limit(limit)
    .all()
    .map(({ id }) => id);
  if (expired.length > 0) tx.db.delete(parkedStatuses).where(inArray(parkedStatuses.id, expired)).run();
  return expired.length;
}
