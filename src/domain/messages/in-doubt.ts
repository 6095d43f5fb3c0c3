/**
 * Messages that a crash left open. What was `sending` is in doubt: it is never sent again, and waits for the echo of its
 * reference. What was `queued` had proof that the network took nothing: it fails, and its caller may try again.
 */

import type { Tx } from "#src/db/transaction.ts";
import { reschedule } from "#src/jobs/enqueue.ts";
import { releaseKeyOfMessage } from "../idempotency/keys.ts";
import { findMessageById, listOpen } from "./read.ts";
import { type Failure, recordFailure } from "./record-outcome.ts";
import type { Message } from "./table.ts";

export const interrupted: Failure = {
  code: "interrupted",
  message:
    "The server was interrupted while it handed the message over. It may have arrived, so it was not repeated; if the network reports it, an event follows.",
  outcomeUnknown: true,
};

const interruptedUnsent: Failure = {
  code: "interrupted",
  message: "The server was interrupted before the message was sent. Nothing left; it can be sent again.",
  outcomeUnknown: false,
};

export const RECLAIM_BATCH = 200;

/**
 * Run at a start, batch by batch, before anything is handed over. `settleAt`: until when echoes are waited for. Returns
 * the last id that was looked at, or null when nothing is left.
 */
export function reclaimMessages(tx: Tx, afterId: number, expireAt: number): number | null {
  const open = listOpen(tx, afterId, RECLAIM_BATCH);
  for (const message of open) {
    if (message.status === "queued") {
      releaseKeyOfMessage(tx, message.id);
      recordFailure(tx, message.id, interruptedUnsent);
    } else {
      reschedule(tx, { kind: "expire_message", subject: message.id, queueKey: message.workspaceId, dueAt: expireAt });
    }
  }
  return open.at(-1)?.id ?? null;
}

/** No echo came in time: it failed, as far as anybody knows. A later status revives it like any unknown one. */
export function expireInDoubt(tx: Tx, messageId: number): Message | undefined {
  const message = findMessageById(tx, messageId);
  return message?.status === "sending" ? recordFailure(tx, messageId, interrupted) : message;
}
