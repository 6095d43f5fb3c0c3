/**
 * Messages that a crash left open. What was `sending` is in doubt: it is never sent again, and waits for the echo of its
 * reference. What was `queued` had proof that the network took nothing: it fails, and its caller may try again.
 */

import type { Tx } from "#src/db/transaction.ts";
import { enqueueAnew } from "#src/jobs/enqueue.ts";
import { freeKeyOfMessage } from "../idempotency/keys.ts";
import { findForWork, listOpen } from "./read.ts";
import { type Failure, recordFailure } from "./record-outcome.ts";
import type { Message } from "./table.ts";

export const interrupted: Failure = {
  code: "interrupted",
  message:
    "The server was interrupted while it handed the message over. It may have arrived, so it was not repeated; if the network reports it, an event follows.",
  outcomeUnknown: true,
};

const interruptedBefore: Failure = {
  code: "interrupted",
  message: "The server was interrupted before the message was sent. Nothing left; it can be sent again.",
  outcomeUnknown: false,
};

export const RECOVERY_BATCH = 200;

/**
 * Run at a start, batch by batch, before anything is handed over. `settleAt`: until when echoes are waited for. Returns
 * the last id that was looked at, or null when nothing is left.
 */
export function recoverOpen(tx: Tx, afterId: number, settleAt: number): number | null {
  const open = listOpen(tx, afterId, RECOVERY_BATCH);
  for (const message of open) {
    if (message.status === "queued") {
      freeKeyOfMessage(tx, message.id);
      recordFailure(tx, message.id, interruptedBefore);
    } else {
      enqueueAnew(tx, { kind: "settle_message", subject: message.id, lane: message.workspaceId, dueAt: settleAt });
    }
  }
  return open.at(-1)?.id ?? null;
}

/** No echo came in time: it failed, as far as anybody knows. A later status revives it like any unknown one. */
export function settleInDoubt(tx: Tx, messageId: number): Message | undefined {
  const message = findForWork(tx, messageId);
  return message?.status === "sending" ? recordFailure(tx, messageId, interrupted) : message;
}
