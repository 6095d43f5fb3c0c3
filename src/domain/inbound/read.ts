/** Queries for received messages. */
import { and, eq } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { type Inbound, inbounds } from "./table.ts";

export function findInbound(tx: ReadTx, workspaceId: number, id: number): Inbound | undefined {
  return tx.db
    .select()
    .from(inbounds)
    .where(and(eq(inbounds.workspaceId, workspaceId), eq(inbounds.id, id)))
    .get();
}

export function findInboundByNetworkId(tx: ReadTx, workspaceId: number, networkMessageId: string): Inbound | undefined {
  return tx.db
    .select()
    .from(inbounds)
    .where(and(eq(inbounds.workspaceId, workspaceId), eq(inbounds.networkMessageId, networkMessageId)))
    .get();
}
