/** Whether a number can send, as set by a person or by the network's reports; and the removal of a number. */
import { notFound } from "#src/core/problem.ts";
import { changeRow } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { removeCallbackAddresses } from "./callback-address.ts";
import { numbers, type SendingNumber } from "./table.ts";

export function markReady(tx: Tx, id: number): SendingNumber {
  return change(tx, id, { ready: true, unreadyReason: null, unreadyBy: null, readyAt: tx.now });
}

/** `reason` is shown when sending fails. A number that a `person` stopped is only started again by a person. */
export function markUnready(
  tx: Tx,
  id: number,
  reason: string,
  by: NonNullable<SendingNumber["unreadyBy"]> = "person",
): SendingNumber {
  return change(tx, id, { ready: false, unreadyReason: reason, unreadyBy: by });
}

/**
 * Applies the network's verdict: `problem` is why the number cannot send; null means that it can. A person's stop
 * stays.
 */
export function syncReadiness(tx: Tx, number: SendingNumber, problem: string | null): SendingNumber {
  if (number.unreadyBy === "person") return number;
  if (problem === null) return number.ready ? number : markReady(tx, number.id);
  if (!number.ready && number.unreadyReason === problem) return number;
  return markUnready(tx, number.id, problem, "network");
}

/** The row stays because messages refer to it; the phone number and the network's id can be used again. */
export function removeNumber(tx: Tx, id: number): SendingNumber {
  removeCallbackAddresses(tx, id);
  return change(tx, id, { removedAt: tx.now, ready: false, unreadyBy: null, accessToken: null, appSecret: null });
}

function change(tx: Tx, id: number, changes: Partial<SendingNumber>): SendingNumber {
  const changed = changeRow(tx, numbers, { id, removedAt: null }, changes);
  if (changed === undefined) throw notFound("number");
  return changed;
}
