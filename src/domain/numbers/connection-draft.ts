/**
 * A connection that an owner began in the console: what was entered is kept, sealed, until the number is added or the
 * owner discards it. It reserves nothing. A workspace has one at most.
 */
import { eq } from "drizzle-orm";
import { findRow, upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { type ConnectionDraft, connectionDrafts } from "./table.ts";

export function findDraft(tx: ReadTx, workspaceId: number): ConnectionDraft | undefined {
  return findRow(tx, connectionDrafts, { workspaceId });
}

/** Replaces an earlier one. Secrets are passed sealed. */
export function saveDraft(
  tx: Tx,
  workspaceId: number,
  secrets: Pick<ConnectionDraft, "accessToken" | "appSecret">,
): void {
  const changes = { ...secrets, updatedAt: tx.now };
  upsertRow(tx, connectionDrafts, ["workspaceId"], { workspaceId, ...changes, createdAt: tx.now }, changes);
}

/** False: there is none. */
export function discardDraft(tx: Tx, workspaceId: number): boolean {
  const { changes } = tx.db.delete(connectionDrafts).where(eq(connectionDrafts.workspaceId, workspaceId)).run();
  return changes > 0;
}
