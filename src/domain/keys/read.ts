/** Looking keys up, by the hash that a request presents or for a list. */
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { notFound } from "#src/primitives/problem.ts";
import { type Reading, statement, type Tx } from "#src/storage/transaction.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { type ApiKey, apiKeys } from "./table.ts";

const byHash = statement((db) =>
  db
    .select({ id: apiKeys.id, lastUsedAt: apiKeys.lastUsedAt, workspaceId: apiKeys.workspaceId })
    .from(apiKeys)
    .where(and(eq(apiKeys.hash, sql.placeholder("hash")), isNull(apiKeys.revokedAt)))
    .prepare(),
);

export interface Bearer {
  keyId: number;
  lastUsedAt: number | null;
  workspace: Workspace;
}

/** Whose key this is; undefined for an unknown or revoked one. `hash` is the SHA-256 of the whole key. */
export function findBearer(reading: Reading, hash: Uint8Array): Bearer | undefined {
  const found = byHash(reading).get({ hash });
  return (
    found && { keyId: found.id, lastUsedAt: found.lastUsedAt, workspace: getWorkspace(reading, found.workspaceId) }
  );
}

export function listKeys(reading: Reading, workspaceId: number): ApiKey[] {
  return reading.db.select().from(apiKeys).where(eq(apiKeys.workspaceId, workspaceId)).orderBy(asc(apiKeys.id)).all();
}

/** Throws `not_found` for another workspace's. */
export function getKey(reading: Reading, workspaceId: number, id: number): ApiKey {
  const key = reading.db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.id, id), eq(apiKeys.workspaceId, workspaceId)))
    .get();
  if (key === undefined) throw notFound("key");
  return key;
}

/** Notes that a key was used. The caller sees to it that this is written at most once a minute. */
export function touchKey(tx: Tx, keyId: number): void {
  tx.db.update(apiKeys).set({ lastUsedAt: tx.now }).where(eq(apiKeys.id, keyId)).run();
}
