/** Expires messages in doubt: a crash left them in flight, and no status arrived in time. */

import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { expireInDoubt } from "#src/domain/messages/in-doubt.ts";
import { finish } from "#src/jobs/outbox.ts";
import { Worker } from "#src/jobs/worker.ts";

interface ExpireOptions {
  store: Store;
  clock: Clock;
  log: Log;
}

const CONCURRENCY = 32;

export function createExpireWorker({ store, clock, log }: ExpireOptions): Worker {
  return new Worker({
    store,
    clock,
    kind: "expire_message",
    concurrency: () => CONCURRENCY,
    perform: (row) =>
      store.write((tx) => {
        expireInDoubt(tx, row.subject);
        finish(tx, row.id);
      }),
    onError: (error, row) =>
      log.error("message.expire_failed", "In-doubt message could not be expired", { message: row?.subject, error }),
  });
}
