/**
 * What one person writes within a short time, as one event for an address that asked for it. The first message makes the
 * delivery, due when the time is over; what follows joins it, each in the transaction that records its event. So a crash
 * loses nothing, and each message is in one delivery of the address. The delivery's body is made from the bodies of its
 * events, which are fixed. Before the first attempt it is closed: what is written from then on begins another one.
 */
import { readDuration } from "#src/core/duration.ts";
import { invalidRequest } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { queueOf } from "./read.ts";
import {
  burstOfDelivery,
  closeBurst as deleteBurst,
  insertBurstEvent,
  joinableBurst,
  storeBurst,
} from "./statements.ts";
import type { Webhook } from "./table.ts";

/** Who wrote, and to which number. */
export interface Writer {
  contactId: number;
  numberId: number;
}

const SHORTEST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;
/** A delivery that has as much is full; the next message begins another one. */
const EVENTS_MAX = 50;
const CHARACTERS_MAX = 256 * 1_024;

/** Reads a duration such as `8s`; an empty text is null. Throws `invalid_request`. */
export function readGroupBursts(text: string): number | null {
  const given = text.trim();
  if (given === "" || given === "off") return null;
  const duration = readDuration(given);
  const isUsable = duration?.kind === "ms" && duration.ms >= SHORTEST_MS && duration.ms <= LONGEST_MS;
  if (isUsable && duration.ms % 1_000 === 0) return duration.ms;
  throw invalidRequest({ group_bursts: ["Give whole seconds from 1s to 5m, such as 8s, or off."] });
}

/** As it is shown. */
export function showGroupBursts({ groupBurstsMs: ms }: Pick<Webhook, "groupBurstsMs">): string | null {
  if (ms === null) return null;
  return ms % 60_000 === 0 ? `${ms / 60_000}m` : `${ms / 1_000}s`;
}

/** Adds an event to the delivery that is still gathered for its writer, or to a new one, which `begin` makes. */
export function addToBurst(
  tx: Tx,
  webhook: Webhook,
  eventSeq: number,
  { writer, until, begin }: { writer: Writer; until: number; begin: () => number },
): void {
  const key = { ...writer, queueKey: queueOf(webhook) };
  const known = joinableBurst(tx).get({ ...key, now: tx.now });
  if (known !== undefined && known.events < EVENTS_MAX && known.characters < CHARACTERS_MAX) {
    insertBurstEvent(tx).run({ deliveryId: known.deliveryId, eventSeq });
    return;
  }
  const deliveryId = begin();
  insertBurstEvent(tx).run({ deliveryId, eventSeq });
  storeBurst(tx).run({ ...key, workspaceId: webhook.workspaceId, deliveryId, until });
}

/** Whether further messages may join the delivery: its body is not fixed yet. */
export function isGathering(tx: ReadTx, deliveryId: number): boolean {
  return burstOfDelivery(tx).get({ deliveryId }) !== undefined;
}

/** What is written from now on begins another delivery. */
export function closeBurst(tx: Tx, deliveryId: number): void {
  deleteBurst(tx).run({ deliveryId });
}
