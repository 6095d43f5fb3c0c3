/**
 * Looks at a network's account: when the next one is due, and how the last one went. One row of work for each account of
 * a workspace, named by the account's first number there.
 */
import { and, asc, eq, isNull } from "drizzle-orm";
import type { Reading, Tx } from "#src/db/transaction.ts";
import { enqueueAnew } from "#src/jobs/enqueue.ts";
import { outbox } from "#src/jobs/table.ts";
import { type AccountSync, accountSyncs, numbers, type SendingNumber } from "./table.ts";

/** All accounts are looked at in one lane: the network counts these calls, and none of them is urgent. */
const LANE = 0;

/** The numbers of one account in one workspace, the one that its work is named by first. */
export function listSiblings(reading: Reading, { workspaceId, accountId, network }: SendingNumber): SendingNumber[] {
  return reading.db
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
export function askForSync(tx: Tx, number: SendingNumber, inMs: number): void {
  if (number.network === "simulator") return;
  const lead = listSiblings(tx, number)[0];
  if (lead === undefined) return;
  const waiting = tx.db
    .select({ dueAt: outbox.dueAt, boot: outbox.boot })
    .from(outbox)
    .where(and(eq(outbox.kind, "sync_account"), eq(outbox.subject, lead.id)))
    .get();
  const wanted = tx.now + inMs;
  const dueAt = waiting === undefined || waiting.boot !== null ? wanted : Math.min(waiting.dueAt, wanted);
  enqueueAnew(tx, { kind: "sync_account", subject: lead.id, lane: LANE, dueAt });
}

/** When it is due; null where no look is planned. */
export function plannedSync(reading: Reading, leadId: number): number | null {
  const row = reading.db
    .select({ dueAt: outbox.dueAt })
    .from(outbox)
    .where(and(eq(outbox.kind, "sync_account"), eq(outbox.subject, leadId)))
    .get();
  return row?.dueAt ?? null;
}

export function findSync(reading: Reading, workspaceId: number, accountId: string): AccountSync | undefined {
  return reading.db
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
