/**
 * Applies the statuses that the network reports. Statuses arrive twice, late, out of order, and for messages that this
 * server does not know (yet). Each status changes a message at most once. A status whose message is unknown is parked
 * for as long as the message may still appear.
 */
import { asc, inArray, lte } from "drizzle-orm";
import { parseSendToken } from "#src/core/id.ts";
import { deleteRows } from "#src/db/rows.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { Tx } from "#src/db/transaction.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { type BreakerSignal, countNetworkStatus, countStatus } from "./breaker.ts";
import type { CounterDeltas } from "./counter-deltas.ts";
import { noteDirectStatus } from "./direct-send.ts";
import { learnFromStatus } from "./learn-recipient.ts";
import { decideStatus, isContactErased, overtakenBy } from "./message.ts";
import { countChange, enter, move, noteClosedWindow } from "./move.ts";
import { UsageDeltas } from "./network-usage.ts";
import { refreshRecent } from "./portfolio-limit.ts";
import { findForStatus } from "./read.ts";
import { deleteParked, insertParked, latestParked, parkedCount, parkedForMessage } from "./statements.ts";
import type { Pricing, StatusItem } from "./status-item.ts";
import { stopForSingle } from "./stop.ts";
import { type Message, parkedStatuses } from "./table.ts";

/** How long a status waits for its message: with a send token of ours, and without one. */
const PARKED_WITH_TOKEN_MS = 24 * 60 * 60 * 1000;
const PARKED_WITHOUT_TOKEN_MS = 10 * 60 * 1000;
const PARKED_WITHOUT_TOKEN_MAX = 100_000;

const NO_REASON = "The network gave no reason.";

type StatusResult =
  /** Applied to `messageId`, perhaps without effect. `isContactErased`: the status still names an erased person. */
  { kind: "applied"; messageId: number; isContactErased: boolean } | { kind: "parked" } | { kind: "dropped" };

/** Applies one status of one of our numbers. With `deltas`, counters are collected there instead of written at once. */
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
  // An echoed send token may be the first to link the network's id to a message: apply the statuses parked under that
  // id.
  if (message.networkMessageId === null) applyParked(tx, number.id, item.networkMessageId, deltas);
  const isErased = isContactErased(message);
  if (!isErased) learnFromStatus(tx, message, item);
  return { kind: "applied", messageId: message.id, isContactErased: isErased };
}

/** Usually none is: then no message asks for its own. */
const isAnyParked = remembered((tx) => latestParked(tx).only().id !== null);

/** Applies the statuses that arrived before the answer that named the network's id. Returns whether there were any. */
export function applyParked(
  tx: Tx,
  numberId: number,
  networkMessageId: string,
  deltas: CounterDeltas | null = null,
): boolean {
  if (!isAnyParked(tx)) return false;
  const parked = parkedForMessage(tx).all({ networkMessageId, numberId });
  for (const { id, item } of parked) {
    deleteParked(tx).run({ id });
    const message = findForStatus(tx, numberId, item.sendToken, networkMessageId);
    if (message !== undefined) applyToMessage(tx, message, item, deltas);
  }
  return parked.length > 0;
}

function applyToMessage(tx: Tx, message: Message, item: StatusItem, deltas: CounterDeltas | null): void {
  const networkMessageId = message.networkMessageId ?? item.networkMessageId;
  switch (decideStatus(message.status, item.status, { outcomeUnknown: message.outcomeUnknown })) {
    case "ignore":
      // The status changes nothing else, but it names the network's id, and other statuses may be parked under that id.
      if (message.networkMessageId === null) move(tx, message, { networkMessageId });
      return;
    case "fill_in":
      fillIn(tx, message, item, deltas);
      return;
    case "fill_error": {
      const failed = move(tx, message, {
        networkMessageId,
        outcomeUnknown: false,
        errorCode: item.error?.code ?? message.errorCode,
        errorMessage: item.error?.message ?? message.errorMessage,
      });
      // As one that may have arrived it counted under the limits.
      if (failed !== undefined) {
        refreshRecent(tx, failed);
        noteClosedWindow(tx, failed);
      }
      hear(tx, message, item, deltas);
      return;
    }
    case "enter":
      enterStatus(tx, message, item, deltas);
      hear(tx, message, item, deltas);
  }
}

/** Usually nothing is missing: the answer arrived first, or the status arrived twice. */
function fillIn(tx: Tx, message: Message, item: StatusItem, deltas: CounterDeltas | null): void {
  const times = statusTimes(message, item, tx.now);
  const billed = billedBy(message, item);
  const heldBack = heldBackAfter(message, item);
  const isSame = heldBack === message.heldBack && !differs(message, times);
  if (message.networkMessageId !== null && isSame && billed === null) return;
  const networkMessageId = message.networkMessageId ?? item.networkMessageId;
  const filled = move(tx, message, { networkMessageId, ...times, pricing: billed ?? message.pricing, heldBack });
  if (filled !== undefined && heldBack !== message.heldBack) countChange(tx, message, filled, deltas);
  countUsage(tx, message, billed, item, deltas);
}

function enterStatus(tx: Tx, message: Message, item: StatusItem, deltas: CounterDeltas | null): void {
  const billed = billedBy(message, item);
  const isFailed = item.status === "failed";
  enter(
    tx,
    enterOvertaken(tx, message, item),
    {
      networkMessageId: message.networkMessageId ?? item.networkMessageId,
      status: item.status,
      outcomeUnknown: false,
      ...statusTimes(message, item, tx.now),
      errorCode: isFailed ? (item.error?.code ?? "unknown") : null,
      errorMessage: isFailed ? (item.error?.message ?? NO_REASON) : null,
      pricing: billed ?? message.pricing,
      heldBack: heldBackAfter(message, item),
    },
    deltas,
  );
  countUsage(tx, message, billed, item, deltas);
}

/**
 * Enters the states that this status has overtaken, oldest first, so that each has its event. Only for messages with
 * events: a recipient's states are counted, and the counters take a leap.
 */
function enterOvertaken(tx: Tx, message: Message, item: StatusItem): Message {
  if (message.origin !== "api") return message;
  const times = statusTimes(message, item, tx.now);
  let current = message;
  for (const status of overtakenBy(item.status, message)) {
    const entered = enter(tx, current, {
      networkMessageId: message.networkMessageId ?? item.networkMessageId,
      status,
      outcomeUnknown: false,
      sentAt: times.sentAt ?? null,
      ...(status === "delivered" ? { deliveredAt: times.deliveredAt ?? null } : {}),
      errorCode: null,
      errorMessage: null,
    });
    if (entered === undefined) throw new Error(`message ${message.id} was changed in the same transaction`);
    current = entered;
  }
  return current;
}

/**
 * What the network bills for a message that arrived; null if that is known already. The one on `sent` says the same, and
 * most statuses `sent` change nothing, so they cost no write.
 */
function billedBy(message: Message, { status, pricing }: StatusItem): Pricing | null {
  const isArrived = status === "delivered" || status === "read";
  return isArrived && message.pricing === null ? (pricing ?? null) : null;
}

/** A message is held back once: a report that arrives after its release, or twice, changes nothing. */
function heldBackAfter({ heldBack }: Message, { status, isHeldBack }: StatusItem): boolean | null {
  if (status !== "sent") return heldBack;
  if (isHeldBack === true) return heldBack ?? true;
  return heldBack === null ? null : false;
}

function countUsage(
  tx: Tx,
  message: Message,
  billed: Pricing | null,
  { at }: StatusItem,
  deltas: CounterDeltas | null,
): void {
  if (billed === null) return;
  const usage = deltas?.usage ?? new UsageDeltas(tx);
  usage.add(message, billed, Math.min(at, tx.now));
  if (deltas === null) usage.flush();
}

/** Tells what a status stops, the number's network health, and the circuit breaker of a recipient's broadcast. */
function hear(tx: Tx, message: Message, item: StatusItem, deltas: CounterDeltas | null): void {
  const heard = signalOf(message, item);
  if (heard.kind === "failed") stopForSingle(tx, message, heard.failure);
  noteDirectStatus(tx, message, item.error?.code);
  if (deltas !== null) {
    deltas.countStatus(message, heard);
    return;
  }
  countNetworkStatus(tx, message, heard);
  if (message.broadcastId !== null) countStatus(tx, message.broadcastId, heard);
}

function differs(message: Message, times: Partial<Message>): boolean {
  return Object.entries(times).some(([name, at]) => message[name as keyof Message] !== at);
}

function signalOf({ dispatchedAt }: Message, { status, error }: StatusItem): BreakerSignal {
  if (status !== "failed") return { kind: status === "sent" ? "accepted" : "delivered" };
  // Statuses parked by an older version have no scope.
  const failure = {
    ...error,
    code: error?.code ?? "unknown",
    message: error?.message ?? NO_REASON,
    scope: error?.scope ?? "network",
  };
  return { kind: "failed", failure, dispatchedAt };
}

/**
 * The time of the status, and missing times of earlier states. None lies in the future or before that of an earlier
 * state.
 */
function statusTimes(message: Message, item: StatusItem, now: number): Partial<Message> {
  const at = Math.min(item.at, now);
  if (item.status === "failed") return { failedAt: message.failedAt ?? Math.max(at, message.sentAt ?? 0) };
  const sentAt = message.sentAt ?? at;
  if (item.status === "sent") return { sentAt };
  const deliveredAt = message.deliveredAt ?? Math.max(at, sentAt);
  if (item.status === "delivered") return { sentAt, deliveredAt };
  return { sentAt, deliveredAt, readAt: message.readAt ?? Math.max(at, deliveredAt) };
}

function park(tx: Tx, number: Pick<SendingNumber, "id">, item: StatusItem, instanceId: string): StatusResult {
  const token = item.sendToken === null ? null : parseSendToken(item.sendToken);
  // Another copy of this database issued this send token, so the message will never appear here.
  if (token !== null && token.instanceId !== instanceId) return { kind: "dropped" };
  if (token === null && countParked(tx, number.id) >= PARKED_WITHOUT_TOKEN_MAX) return { kind: "dropped" };
  insertParked(tx).run({
    numberId: number.id,
    networkMessageId: item.networkMessageId,
    // Ignore a send token that another program issued: no message of ours carries it. It counts against the limit.
    sendToken: token === null ? null : item.sendToken,
    item,
    expiresAt: tx.now + (token === null ? PARKED_WITHOUT_TOKEN_MS : PARKED_WITH_TOKEN_MS),
  });
  return { kind: "parked" };
}

/**
 * Reads the number of parked statuses without a send token. Triggers keep it, because counting up to 100,000 rows for
 * each new status would take hours.
 */
function countParked(tx: Tx, numberId: number): number {
  return parkedCount(tx).get({ numberId })?.count ?? 0;
}

/** Drops up to `limit` parked statuses whose message never appeared; returns how many. */
export function purgeParked(tx: Tx, limit: number): number {
  const expired = tx.db
    .select({ id: parkedStatuses.id })
    .from(parkedStatuses)
    .where(lte(parkedStatuses.expiresAt, tx.now))
    .orderBy(asc(parkedStatuses.expiresAt))
    .limit(limit)
    .all()
    .map(({ id }) => id);
  if (expired.length > 0) deleteRows(tx, parkedStatuses, inArray(parkedStatuses.id, expired));
  return expired.length;
}
