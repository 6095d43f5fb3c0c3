/** Ends the wait for messages in doubt: a crash left them open, and no echo came in time. */

import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { settleInDoubt } from "#src/domain/messages/in-doubt.ts";
import { finish } from "#src/jobs/claim.ts";
import { Worker } from "#src/jobs/worker.ts";

export interface SettleOptions {
  store: Store;
  clock: Clock;
  boot: string;
  log: Log;
}

const CONCURRENCY = 32;

export function createSettleWorker({ store, clock, boot, log }: SettleOptions): Worker {
  return new Worker({
    store,
    clock,
    boot,
    kind: "settle_message",
    concurrency: () => CONCURRENCY,
    perform: (row) =>
      store.write((tx) => {
        settleInDoubt(tx, row.subject);
        finish(tx, row.id);
      }),
    onError: (error, row) => log.error("a message in doubt could not be settled", { message: row?.subject, error }),
  });
}
