/** Ends the deliveries that waited for an address which was removed, cleared or disabled, a slice at a time. */
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { continueEnding } from "#src/domain/webhooks/end.ts";
import { Worker } from "#src/jobs/worker.ts";

interface EndOptions {
  store: Store;
  clock: Clock;
  log: Log;
}

export function createEndWorker({ store, clock, log }: EndOptions): Worker {
  return new Worker({
    store,
    clock,
    kind: "end_deliveries",
    concurrency: () => 1,
    perform: (row) => store.write((tx) => continueEnding(tx, row)),
    onError: (error, row) =>
      log.error("delivery.end_failed", "Deliveries to a removed webhook address could not be ended", {
        job: row?.id,
        error,
      }),
  });
}
