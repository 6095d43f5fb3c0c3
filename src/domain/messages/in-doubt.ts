/**
 * Handles single messages that a crash left open. A message in `sending` is in doubt: it is never sent again, and waits
 * for the network to echo its send token. A message in `queued` is known not to have been accepted: it fails, and its
 * caller may send it again.
 */

import type { Tx } from "#src/db/transaction.ts";
import { reschedule } from "#src/jobs/enqueue.ts";
import { releaseKeyOfMessage } from "../idempotency/keys.ts";
import { findMessageById, listOpen } from "./read.ts";
import { type Failure, recordFailure } from "./record-outcome.ts";
import type { Message } from "./table.ts";

const interrupted: Failure = {
  code: "interrupted",
  message:
    "The server was interrupted while it sent the message. It may have arrived, so it was not sent again; if the network reports it, an event follows.",
  outcomeUnknown: true,
};

const interruptedUnsent: Failure = {
  code: "interrupted",
  message: "The server was interrupted before the message was sent. Nothing was sent; it can be sent again.",
  outcomeUnknown: false,
};

const RECLAIM_BATCH = 200;

/**
 * Runs at startup, batch by batch, before anything is dispatched. `expireAt`: until when to wait for echoes. Returns
 * the last id that was examined, or null when none are left.
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

/** No echo arrived in time: the message fails, outcome unknown. A later status can still revive it. */
export function expireInDoubt(tx: Tx, messageId: number): Message | undefined {
  const message = findMessageById(tx, messageId);
  return message?.status === "sending" ? recordFailure(tx, messageId, interrupted) : message;
}
