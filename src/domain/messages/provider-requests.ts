/**
 * The provider request log: the network's raw answers, recorded beside the outcome and kept as long as raw callbacks.
 * An attempt that was accepted without a raw answer (by the simulator) is not recorded, because the message's row says
 * it all.
 */
import { asc, inArray } from "drizzle-orm";
import { deleteRows, listRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { ProviderRequestRecord } from "./outcome.ts";
import { insertProviderRequest } from "./statements.ts";
import { type ProviderRequest, providerRequests } from "./table.ts";

const LONGEST_ANSWER = 4_000;
const LONGEST_REASON = 500;

export function recordProviderRequest(tx: Tx, sendToken: string, request: ProviderRequestRecord): void {
  insertProviderRequest(tx).run({
    ...request,
    sendToken,
    reason: request.reason.slice(0, LONGEST_REASON),
    answer: request.answer?.slice(0, LONGEST_ANSWER) ?? null,
  });
}

/** In the order in which the requests were made. */
export function listProviderRequests(tx: ReadTx, sendToken: string): ProviderRequest[] {
  return listRows(tx, providerRequests, { sendToken }, asc(providerRequests.id));
}

/** Drops up to `limit` requests older than `before`; returns how many. */
export function purgeProviderRequests(tx: Tx, before: number, limit: number): number {
  // Ids follow time, so the oldest rows come first without an index on time.
  const oldest = tx.db
    .select({ id: providerRequests.id, requestedAt: providerRequests.requestedAt })
    .from(providerRequests)
    .orderBy(asc(providerRequests.id))
    .limit(limit)
    .all()
    .filter(({ requestedAt }) => requestedAt < before)
    .map(({ id }) => id);
  if (oldest.length > 0) deleteRows(tx, providerRequests, inArray(providerRequests.id, oldest));
  return oldest.length;
}
