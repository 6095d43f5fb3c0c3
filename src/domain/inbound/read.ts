/** Queries for received messages. */
import { and, eq, inArray, isNotNull } from "drizzle-orm";
import { findRow } from "#src/db/rows.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { type Inbound, inbounds } from "./table.ts";

export function findInbound(tx: ReadTx, workspaceId: number, id: number): Inbound | undefined {
  return findRow(tx, inbounds, { workspaceId, id });
}

/** Of any workspace. */
export function workspaceOfInbound(tx: ReadTx, id: number): number | undefined {
  return tx.db.select({ workspaceId: inbounds.workspaceId }).from(inbounds).where(eq(inbounds.id, id)).get()
    ?.workspaceId;
}

export function findInboundByNetworkId(tx: ReadTx, workspaceId: number, networkMessageId: string): Inbound | undefined {
  return findRow(tx, inbounds, { workspaceId, networkMessageId });
}

/** What a contact wrote at this time, to one of these numbers, or to any (null); null: nothing with a text. */
export function findTextAt(
  tx: ReadTx,
  contactId: number,
  at: number,
  numberIds: readonly number[] | null,
): string | null {
  const found = tx.db
    .select({ text: inbounds.text })
    .from(inbounds)
    .where(
      and(
        eq(inbounds.contactId, contactId),
        eq(inbounds.receivedAt, at),
        isNotNull(inbounds.text),
        numberIds === null ? undefined : inArray(inbounds.numberId, [...numberIds]),
      ),
    )
    .limit(1)
    .get();
  return found?.text ?? null;
}
