/** Opens conversations that are snoozed until a time, when it has come. */
import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { endSnooze } from "#src/domain/inbound/change-conversation.ts";
import { finish, postpone } from "#src/jobs/outbox.ts";
import { Worker } from "#src/jobs/worker.ts";

interface SnoozeOptions {
  store: Store;
  clock: Clock;
  log: Log;
}

const CONCURRENCY = 4;

export function createSnoozeWorker({ store, clock, log }: SnoozeOptions): Worker {
  return new Worker({
    store,
    clock,
    kind: "end_snooze",
    concurrency: () => CONCURRENCY,
    perform: (row) =>
      store.write((tx) => {
        const later = endSnooze(tx, row.subject);
        if (later === null) finish(tx, row.id);
        else postpone(tx, row.id, later);
      }),
    onError: (error, row) =>
      log.error("conversation.snooze_failed", "Snoozed conversation could not be opened", {
        conversation: row?.subject,
        error,
      }),
  });
}
