/** Moves user ids to another portfolio, when the operator says to which portfolio their number belongs. */
import { and, asc, eq, gt, inArray, isNotNull } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { contactNetworkIds, contacts } from "./table.ts";

interface Relabelling {
  workspaceId: number;
  from: string;
  to: string;
}

/** Ids of up to `limit` contacts after an id whose user id is of this portfolio. */
export function listInPortfolio(tx: ReadTx, workspaceId: number, from: string, after: number, limit: number): number[] {
  const isOfIt = and(isNotNull(contacts.networkUserId), eq(contacts.networkPortfolio, from));
  return tx.db
    .select({ id: contacts.id })
    .from(contacts)
    .where(and(eq(contacts.workspaceId, workspaceId), gt(contacts.id, after), isOfIt))
    .orderBy(asc(contacts.id))
    .limit(limit)
    .all()
    .map(({ id }) => id);
}

export function relabelUserIds(tx: Tx, { workspaceId, from, to }: Relabelling, ids: readonly number[]): void {
  const isOfIt = and(eq(contacts.workspaceId, workspaceId), eq(contacts.networkPortfolio, from));
  tx.db
    .update(contacts)
    .set({ networkPortfolio: to })
    .where(and(inArray(contacts.id, [...ids]), isOfIt))
    .run();
}

/** The further user ids of contacts with several: few. */
export function relabelFurtherIds(tx: Tx, { workspaceId, from, to }: Relabelling): void {
  tx.db
    .update(contactNetworkIds)
    .set({ portfolio: to })
    .where(and(eq(contactNetworkIds.workspaceId, workspaceId), eq(contactNetworkIds.portfolio, from)))
    .run();
}
