/**
 * Looks at a network's account: when the next one is due, and how the last one went. One row of work for each account of
 * a workspace, named by the account's first number there.
 */
import { and, asc, eq, isNull } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { reschedule } from "#src/jobs/enqueue.ts";
import { outbox } from "#src/jobs/table.ts";
import { type AccountSync, accountSyncs, numbers, type SendingNumber } from "./table.ts";

/** All accounts are looked at in one lane: the network counts these calls, and none of them is urgent. */
const QUEUE_KEY = 0;

/** The numbers of one account in one workspace, the one that its work is named by first. */
export function listSiblings(tx: ReadTx, { workspaceId, accountId, network }: SendingNumber): SendingNumber[] {
  return tx.db
    .select()
    .from(numbers)
    .where(
      and(
        eq(numbers.workspaceId, workspaceId),
        eq(numbers.accountId, accountId),
        eq(numbers.network, network),
        isNull(numbers.removedAt),
      ),
    )
    .orderBy(asc(numbers.id))
    .all();
}

/** A look within `inMs`, or earlier if one is due; after the one that runs, if one does. On the simulator: nothing. */
export function scheduleSync(tx: Tx, number: SendingNumber, inMs: number): void {
  if (number.network === "simulator") return;
  const firstNumber = listSiblings(tx, number)[0];
  if (firstNumber === undefined) return;
  const scheduled = tx.db
    .select({ dueAt: outbox.dueAt, runId: outbox.runId })
    .from(outbox)
    .where(and(eq(outbox.kind, "sync_account"), eq(outbox.subject, firstNumber.id)))
    .get();
  const requestedAt = tx.now + inMs;
  const dueAt =
    scheduled === undefined || scheduled.runId !== null ? requestedAt : Math.min(scheduled.dueAt, requestedAt);
  reschedule(tx, { kind: "sync_account", subject: firstNumber.id, queueKey: QUEUE_KEY, dueAt });
}

/** When it is due; null where no look is planned. */
export function nextSyncAt(tx: ReadTx, firstNumberId: number): number | null {
  const row = tx.db
    .select({ dueAt: outbox.dueAt })
    .from(outbox)
    .where(and(eq(outbox.kind, "sync_account"), eq(outbox.subject, firstNumberId)))
    .get();
  return row?.dueAt ?? null;
}

export function findSync(tx: ReadTx, workspaceId: number, accountId: string): AccountSync | undefined {
  return tx.db
    .select()
    .from(accountSyncs)
    .where(and(eq(accountSyncs.workspaceId, workspaceId), eq(accountSyncs.accountId, accountId)))
    .get();
}

/** `error` is why it did not succeed, in words; null: it did. */
export function recordSync(tx: Tx, workspaceId: number, accountId: string, error: string | null): void {
  const changes = error === null ? { succeededAt: tx.now, failedAt: null, error } : { failedAt: tx.now, error };
  tx.db
    .insert(accountSyncs)
    .values({ workspaceId, accountId, ...changes })
    .onConflictDoUpdate({ target: [accountSyncs.workspaceId, accountSyncs.accountId], set: changes })
    .run();
}
