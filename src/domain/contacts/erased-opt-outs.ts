/** What is remembered of erased people who had opted out: a keyed hash of the number, so that nothing revives them. */
import { and, eq, sql } from "drizzle-orm";
import { type E164, otherVariant } from "#src/core/phone.ts";
import { type ReadTx, statement, type Tx } from "#src/db/transaction.ts";
import { erasedOptOuts } from "./table.ts";

const anyInWorkspace = statement((db) =>
  db
    .select({ at: erasedOptOuts.optedOutAt })
    .from(erasedOptOuts)
    .where(eq(erasedOptOuts.workspaceId, sql.placeholder("workspaceId")))
    .limit(1)
    .prepare(),
);

const byHash = statement((db) =>
  db
    .select({ at: erasedOptOuts.optedOutAt })
    .from(erasedOptOuts)
    .where(
      and(
        eq(erasedOptOuts.workspaceId, sql.placeholder("workspaceId")),
        eq(erasedOptOuts.phoneHash, sql.placeholder("phoneHash")),
      ),
    )
    .prepare(),
);

/** Whether anybody of this workspace was erased after opting out: where nobody was, no number need be looked for. */
export function hasErasedOptOuts(tx: ReadTx, workspaceId: number): boolean {
  return anyInWorkspace(tx).get({ workspaceId }) !== undefined;
}

/** When the erased person of this number, in either spelling, had opted out; null: never, or nobody was erased. */
export function findErasedOptOut(tx: ReadTx, workspaceId: number, phone: E164): number | null {
  if (!hasErasedOptOuts(tx, workspaceId)) return null;
  for (const variant of [phone, otherVariant(phone)]) {
    if (variant === null) continue;
    const found = byHash(tx).get({ workspaceId, phoneHash: phoneHash(tx, workspaceId, variant) });
    if (found !== undefined) return found.at;
  }
  return null;
}

export function recordErasedOptOut(tx: Tx, workspaceId: number, phone: E164, optedOutAt: number): void {
  tx.db
    .insert(erasedOptOuts)
    .values({ workspaceId, phoneHash: phoneHash(tx, workspaceId, phone), optedOutAt })
    .onConflictDoNothing()
    .run();
}

/** The person wrote START: the number may be written to again. */
export function deleteErasedOptOut(tx: Tx, workspaceId: number, phone: E164): void {
  if (findErasedOptOut(tx, workspaceId, phone) === null) return;
  for (const variant of [phone, otherVariant(phone)]) {
    if (variant === null) continue;
    const hash = phoneHash(tx, workspaceId, variant);
    tx.db
      .delete(erasedOptOuts)
      .where(and(eq(erasedOptOuts.workspaceId, workspaceId), eq(erasedOptOuts.phoneHash, hash)))
      .run();
  }
}

/** Bound to the workspace, so that equal numbers of two customers have nothing in common. */
function phoneHash(tx: ReadTx, workspaceId: number, phone: E164): Uint8Array {
  return new Uint8Array(tx.keyedHash(`erased_opt_out:${workspaceId}:${phone}`));
}
