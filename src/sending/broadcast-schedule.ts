/** The two kinds of scheduled jobs of a broadcast: starting it at `send_at`, and reviewing whether it is complete. */

import type { Clock } from "#src/core/clock.ts";
import type { Log } from "#src/core/log.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import type { LatenessRules } from "#src/domain/broadcasts/lateness.ts";
import { type ReviewRules, reviewBroadcast } from "#src/domain/broadcasts/review.ts";
import { startBroadcast } from "#src/domain/broadcasts/start.ts";
import { finish, postpone } from "#src/jobs/outbox.ts";
import type { OutboxKind } from "#src/jobs/table.ts";
import { Worker } from "#src/jobs/worker.ts";

interface BroadcastWorkerOptions {
  store: Store;
  clock: Clock;
  log: Log;
}

const CONCURRENCY = 8;

/** While `isClockRight` is false, nothing starts. Notify the worker when the clock becomes right. */
export function createStartWorker(
  options: BroadcastWorkerOptions,
  rules: LatenessRules,
  isClockRight: () => boolean,
): Worker {
  const run = (tx: Tx, id: number): number | null => startBroadcast(tx, id, rules);
  return createWorker(options, "start_broadcast", run, () => (isClockRight() ? CONCURRENCY : 0));
}

export function createReviewWorker(options: BroadcastWorkerOptions, rules: ReviewRules): Worker {
  return createWorker(options, "review_broadcast", (tx, id) => reviewBroadcast(tx, id, rules));
}

/** `run` returns when the job is due again, or null when it is done. Both share the write that updates the job. */
function createWorker(
  { store, clock, log }: BroadcastWorkerOptions,
  kind: OutboxKind,
  run: (tx: Tx, id: number) => number | null,
  concurrency = () => CONCURRENCY,
): Worker {
  return new Worker({
    store,
    clock,
    kind,
    concurrency,
    perform: (row) =>
      store.write((tx) => {
        const nextAt = run(tx, row.subject);
        if (nextAt === null) finish(tx, row.id);
        else postpone(tx, row.id, nextAt);
      }),
    onError: (error, row) =>
      log.error("broadcast.job_failed", "Scheduled step of a broadcast failed", { broadcast: row?.subject, error }),
  });
}
