/** Writes `contact.updated` for contacts that have changed, at most one event a minute for each. */

import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import { tellContact } from "#src/domain/contacts/contact-updates.ts";
import { CONTACT_CHANGED } from "#src/domain/contacts/table.ts";
import { finish } from "#src/jobs/outbox.ts";
import { Worker } from "#src/jobs/worker.ts";

interface TellOptions {
  store: Store;
  clock: Clock;
  log: Log;
}

const CONCURRENCY = 32;

export function createTellWorker({ store, clock, log }: TellOptions): Worker {
  return new Worker({
    store,
    clock,
    kind: CONTACT_CHANGED,
    concurrency: () => CONCURRENCY,
    perform: (row) =>
      store.write((tx) => {
        // The contact's later changes enqueue a job of their own.
        finish(tx, row.id);
        tellContact(tx, row.queueKey, row.subject);
      }),
    onError: (error, row) =>
      log.error("contact.tell_failed", "Event of a changed contact could not be written", {
        contact: row?.subject,
        error,
      }),
  });
}
