/**
 * Compares every account with the network at intervals, and soon after an account update: one job for each account. A
 * comparison that failed temporarily is repeated sooner. Intervals vary, so that accounts are not compared all at once.
 */

import type { Log } from "#src/core/log.ts";
import type { Random } from "#src/core/random.ts";
import type { Tx } from "#src/db/transaction.ts";
import { listSiblings, nextSyncAt, scheduleSync } from "#src/domain/numbers/account-sync.ts";
import { findState } from "#src/domain/numbers/network-state.ts";
import { findNumber, findRemoved, listOnNetwork } from "#src/domain/numbers/read.ts";
import { finish, postpone } from "#src/jobs/outbox.ts";
import type { OutboxRow } from "#src/jobs/table.ts";
import { Worker } from "#src/jobs/worker.ts";
import { type SyncOptions, syncAccount } from "./sync-account.ts";

interface SyncWorkerOptions extends SyncOptions {
  random: Random;
  everyMs: number;
  log: Log;
}

const CONCURRENCY = 2;
const AFTER_FAILURE_MS = 5 * 60_000;

export function createSyncWorker(options: SyncWorkerOptions): Worker {
  const { store, clock, log } = options;
  return new Worker({
    store,
    clock,
    kind: "sync_account",
    concurrency: () => CONCURRENCY,
    perform: (row) => perform(options, row),
    onError: (error, row) =>
      log.error("account.sync_failed", "Account could not be synchronized", { number: row?.subject, error }),
  });
}

/** Schedules a comparison for every account that has none. */
export function planSyncs(tx: Tx): void {
  for (const number of listOnNetwork(tx, "whatsapp")) {
    if (listSiblings(tx, number)[0]?.id === number.id && nextSyncAt(tx, number.id) === null)
      scheduleSync(tx, number, 0);
  }
}

async function perform(options: SyncWorkerOptions, row: OutboxRow): Promise<void> {
  const { store, random, everyMs, log } = options;
  const number = store.read((tx) => findNumber(tx, row.subject));
  if (number === undefined) {
    await store.write((tx) => {
      finish(tx, row.id);
      const removed = findRemoved(tx, row.subject);
      // The account's other numbers are compared by a job of another number.
      if (removed !== undefined) scheduleSync(tx, removed, 0);
    });
    return;
  }
  const { problems, isTemporary } = await syncAccount(options, number);
  for (const problem of problems)
    log.warn("account.sync_problem", "Account synchronization found a problem", { account: number.accountId, problem });
  const waitMs = (isTemporary ? Math.min(AFTER_FAILURE_MS, everyMs) : everyMs) * (0.9 + 0.2 * random.fraction());
  await store.write((tx) => {
    const restrictionEnds = listSiblings(tx, number)
      .map(({ id }) => findState(tx, id)?.restrictedUntil ?? 0)
      .filter((until) => until > tx.now);
    // Another comparison was requested while this one ran, if the due time is another.
    const requestedAt = nextSyncAt(tx, row.subject);
    const isRequested = requestedAt !== null && requestedAt !== row.dueAt;
    postpone(
      tx,
      row.id,
      Math.min(tx.now + Math.round(waitMs), ...restrictionEnds, ...(isRequested ? [requestedAt] : [])),
    );
    tx.notify("sync_account");
  });
}
