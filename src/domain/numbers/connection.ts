/**
 * What the network says about the connection of a number with this server: token, subscription, callback addresses, the
 * state of the number. Each account sync stores it; `doctor` asks for it anew. `health/find-connection.ts` finds what
 * is wrong with it.
 */
import { and, eq } from "drizzle-orm";
import { findRow, updateRows, upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { ConnectionFacts } from "./connection-facts.ts";
import { connections, type NumberNotice, numberNotices, numbers } from "./table.ts";

export function findConnection(tx: ReadTx, numberId: number): ConnectionFacts | null {
  return findRow(tx, connections, { numberId })?.facts ?? null;
}

/** What was learned, and whether requests of the number prove the app secret from now on. */
export function saveConnection(tx: Tx, numberId: number, facts: ConnectionFacts): void {
  const row = { facts, checkedAt: tx.now };
  upsertRow(tx, connections, ["numberId"], { numberId, ...row }, row);
}

export function setSendsProof(tx: Tx, numberId: number, sendsProof: boolean): void {
  updateRows(tx, numbers, { id: numberId }, { sendsProof });
}

/** How long a report counts that the network does not revoke. */
export const NOTICE_LASTS_MS = 3 * 24 * 60 * 60_000;

/** Keeps the latest report of each kind. `at`: the network's time. */
export function addNotice(tx: Tx, { numberId, kind, says, at }: NumberNotice): void {
  upsertRow(tx, numberNotices, ["numberId", "kind"], { numberId, kind, says, at }, { says, at });
}

/** A person has read the reports, or the network revoked the one of this `kind`. */
export function dropNotices(tx: Tx, numberId: number, kind: string | null = null): void {
  const ofKind = kind === null ? undefined : eq(numberNotices.kind, kind);
  tx.db
    .delete(numberNotices)
    .where(and(eq(numberNotices.numberId, numberId), ofKind))
    .run();
}
