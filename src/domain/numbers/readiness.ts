/** Whether a number can send now, set by a person or by what the network says of it; and taking a number away. */
import { and, eq, isNull } from "drizzle-orm";
import { notFound } from "#src/primitives/problem.ts";
import type { Tx } from "#src/storage/transaction.ts";
import { numbers, type SendingNumber } from "./table.ts";

export function makeReady(tx: Tx, id: number): SendingNumber {
  return change(tx, id, { ready: true, unreadyReason: null });
}

/** `reason` is told to whoever tries to send. */
export function makeUnready(tx: Tx, id: number, reason: string): SendingNumber {
  return change(tx, id, { ready: false, unreadyReason: reason });
}

/** The row stays, for its messages refer to it; the phone and the network's id are free again. */
export function removeNumber(tx: Tx, id: number): SendingNumber {
  return change(tx, id, { removedAt: tx.now, ready: false, accessToken: null, appSecret: null });
}

function change(tx: Tx, id: number, changes: Partial<SendingNumber>): SendingNumber {
  const changed = tx.db
    .update(numbers)
    .set(changes)
    .where(and(eq(numbers.id, id), isNull(numbers.removedAt)))
    .returning()
    .get();
  if (changed === undefined) throw notFound("number");
  return changed;
}
