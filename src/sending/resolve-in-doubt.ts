/**
 * A caller asks again about a message whose end was never told, because the server died or its disk failed while the
 * message was under way. It is never sent again: its echo is waited for a while, and then it is settled as failed.
 */

import { StorageUnavailable } from "#src/db/failure.ts";
import type { Tx } from "#src/db/transaction.ts";
import { settleInDoubt } from "#src/domain/messages/in-doubt.ts";
import { findForWork } from "#src/domain/messages/read.ts";
import { type HandOverOptions, resultOf, type SendResult } from "./send-message.ts";

/** `keep` writes the answer down in the transaction that settles the message. */
export async function resolveInDoubt(
  { store, clock, watch, recorder, retryBudgetMs }: HandOverOptions,
  messageId: number | null,
  keep: (tx: Tx, result: SendResult) => void,
): Promise<SendResult> {
  if (messageId === null) throw new Error("an idempotency key is open although it stands for no message");
  if (recorder.isUnwritten(messageId)) {
    throw new StorageUnavailable("what became of this message could not be written yet");
  }
  const deadline = clock.monotonic() + retryBudgetMs;
  for (;;) {
    const leftMs = deadline - clock.monotonic();
    const message = store.read((reading) => findForWork(reading, messageId));
    if (message?.status !== "sending" || leftMs <= 0) break;
    await watch.next(messageId, leftMs);
  }
  return store.write((tx) => {
    settleInDoubt(tx, messageId);
    const result = resultOf(tx, messageId);
    keep(tx, result);
    return result;
  });
}
