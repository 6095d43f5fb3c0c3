/**
 * Answers a repeated request whose message is in doubt, because the server died or its disk failed while the message was in
 * flight. The message is not sent again: wait for its status for a while, then expire it.
 */

import { InDoubtError } from "#src/core/problem.ts";
import { StorageUnavailable } from "#src/db/failure.ts";
import type { Tx } from "#src/db/transaction.ts";
import { expireInDoubt } from "#src/domain/messages/in-doubt.ts";
import { findMessageById } from "#src/domain/messages/read.ts";
import { resultOf, type SendOptions, type SendResult } from "./send-message.ts";

/** `storeResult` keeps the answer, in the transaction that expires the message. */
export async function resolveInDoubt(
  { store, clock, watch, recorder, retryBudgetMs }: SendOptions,
  messageId: number | null,
  storeResult: (tx: Tx, result: SendResult) => void,
): Promise<SendResult> {
  if (messageId === null) throw new Error("an idempotency key is open but belongs to no message");
  if (recorder.isUnwritten(messageId)) {
    throw new InDoubtError(messageId, new StorageUnavailable("the outcome of this message could not be written yet"));
  }
  const deadline = clock.monotonic() + retryBudgetMs;
  for (;;) {
    const remainingMs = deadline - clock.monotonic();
    const message = store.read((tx) => findMessageById(tx, messageId));
    if (message?.status !== "sending" || remainingMs <= 0) break;
    await watch.waitForChange(messageId, remainingMs);
  }
  const expire = (tx: Tx): SendResult => {
    expireInDoubt(tx, messageId);
    const result = resultOf(tx, messageId);
    storeResult(tx, result);
    return result;
  };
  return store.write(expire).catch((error: unknown) => {
    throw new InDoubtError(messageId, error);
  });
}
