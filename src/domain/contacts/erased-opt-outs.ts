/** What is remembered of erased people who had opted out: a keyed hash of the number, so that nothing revives them. */
import { and, eq, sql } from "drizzle-orm";
import { type E164, otherSpelling } from "#src/core/phone.ts";
import { type Reading, statement, type Tx } from "#src/db/transaction.ts";
import { erasedOptOuts } from "./table.ts";

const anyOf = statement((db) =>
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
export function hasErasedOptOuts(reading: Reading, workspaceId: number): boolean {
  return anyOf(reading).get({ workspaceId }) !== undefined;
}

/** When the erased person of this number, in either spelling, had opted out; null: never, or nobody was erased. */
export function findErasedOptOut(reading: Reading, workspaceId: number, phone: E164): number | null {
  if (!hasErasedOptOuts(reading, workspaceId)) return null;
  for (const spelling of [phone, otherSpelling(phone)]) {
    if (spelling === null) continue;
    const found = byHash(reading).get({ workspaceId, phoneHash: phoneHash(reading, workspaceId, spelling) });
    if (found !== undefined) return found.at;
  }
  return null;
}

export function rememberErasedOptOut(tx: Tx, workspaceId: number, phone: E164, optedOutAt: number): void {
  tx.db
    .insert(erasedOptOuts)
    .values({ workspaceId, phoneHash: phoneHash(tx, workspaceId, phone), optedOutAt })
    .onConflictDoNothing()
    .run();
}

/** The person wrote START: the number may be written to again. */
export function forgetErasedOptOut(tx: Tx, workspaceId: number, phone: E164): void {
  if (findErasedOptOut(tx, workspaceId, phone) === null) return;
  for (const spelling of [phone, otherSpelling(phone)]) {
    if (spelling === null) continue;
    const hash = phoneHash(tx, workspaceId, spelling);
    tx.db
      .delete(erasedOptOuts)
      .where(and(eq(erasedOptOuts.workspaceId, workspaceId), eq(erasedOptOuts.phoneHash, hash)))
      .run();
  }
}

/** Bound to the workspace, so that equal numbers of two customers have nothing in common. */
function phoneHash(reading: Reading, workspaceId: number, phone: E164): Uint8Array {
  return new Uint8Array(reading.keyedHash(`erased_opt_out:${workspaceId}:${phone}`));
}
