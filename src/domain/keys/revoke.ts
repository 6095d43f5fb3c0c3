/** Ends a key at once and for ever; ending it twice keeps the first time. */
import { and, eq, isNull } from "drizzle-orm";
import { notFound } from "#src/primitives/problem.ts";
import type { Tx } from "#src/storage/transaction.ts";
import { type ApiKey, apiKeys } from "./table.ts";

export function revokeKey(tx: Tx, id: number): ApiKey {
  tx.db
    .update(apiKeys)
    .set({ revokedAt: tx.now })
    .where(and(eq(apiKeys.id, id), isNull(apiKeys.revokedAt)))
    .run();
  const key = tx.db.select().from(apiKeys).where(eq(apiKeys.id, id)).get();
  if (key === undefined) throw notFound("key");
  return key;
}
