/** Records the outcomes of a broadcast's messages. One that cannot be recorded does not hold up the others. */
import type { Log } from "#src/core/log.ts";
import { isStorageFailure } from "#src/db/failure.ts";
import type { Store } from "#src/db/store.ts";
import type { NotPromise, Tx } from "#src/db/transaction.ts";
import { recordRecipientOutcome } from "#src/domain/broadcasts/record-outcome.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";

export interface UnrecordedOutcome {
  id: number;
  broadcastId: number;
  outcome: Outcome;
}

interface RecordOptions {
  store: Store;
  log: Log;
  /** How long a message with an unknown outcome waits for a status. */
  inDoubtAfterMs: number;
}

/** Records them and runs `next` in the same transaction; both are repeatable (`Store.writeRepeatable`). */
export async function recordOutcomes<T>(
  options: RecordOptions,
  outcomes: readonly UnrecordedOutcome[],
  next: (tx: Tx) => NotPromise<T>,
): Promise<T> {
  const { store, inDoubtAfterMs } = options;
  try {
    return await store.writeRepeatable<T>((tx) => {
      for (const { id, outcome } of outcomes) recordRecipientOutcome(tx, id, outcome, inDoubtAfterMs);
      return next(tx);
    });
  } catch (error) {
    if (isStorageFailure(error)) throw error;
  }
  // One of them cannot be recorded: now each has a savepoint of its own.
  return store.write<T>((tx) => {
    for (const one of outcomes) recordApart(tx, one, options);
    return next(tx);
  });
}

function recordApart(tx: Tx, { id, outcome }: UnrecordedOutcome, { log, inDoubtAfterMs }: RecordOptions): void {
  try {
    tx.savepoint(() => recordRecipientOutcome(tx, id, outcome, inDoubtAfterMs));
  } catch (error) {
    if (isStorageFailure(error)) throw error;
    // The message stays `sending`; the next start treats it as in doubt.
    log.error("outcome.not_recorded", "Outcome of a recipient could not be recorded", { message: id, error });
  }
}
