/** Creates, finds and revokes API keys. The key in clear is returned once, at creation, and never stored. */
import { and, asc, eq, isNull } from "drizzle-orm";
import { invalidRequest, notFound } from "#src/core/problem.ts";
import { hashToken, newToken } from "#src/core/secret.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { type KeyLimits, NO_LIMITS } from "./key-limits.ts";
import { getWorkspace } from "./read.ts";
import type { Scope } from "./scopes.ts";
import { validKeyByHash } from "./statements.ts";
import { type ApiKey, apiKeys, type Workspace } from "./table.ts";

const KEY_PREFIX = "wx_";
const KEY_BYTES = 32;
/** Enough to tell keys apart, far too few to guess one. */
const SHOWN_CHARACTERS = 9;
const NAME_LENGTH_MAX = 100;

interface CreatedKey extends ApiKey {
  /** The bearer key in clear. */
  key: string;
}

/** Keys that a test chose. Only `waxwing dev` accepts them, because every reader of the test knows them. */
export const TEST_KEY = /^wx_test_[A-Za-z0-9_]{16,180}$/;
export const TEST_KEY_PREFIX = "wx_test_";

interface KeyOptions {
  limits?: Readonly<KeyLimits>;
  /** A key that a test chose. */
  fixed?: string;
}

export function createKey(
  tx: Tx,
  workspaceId: number,
  name: string,
  { limits = NO_LIMITS, fixed }: KeyOptions = {},
): CreatedKey {
  getWorkspace(tx, workspaceId);
  const shown = name.trim();
  if (shown === "" || [...shown].length > NAME_LENGTH_MAX) {
    throw invalidRequest({ name: [`A key's name has 1 to ${NAME_LENGTH_MAX} characters.`] });
  }
  const key = fixed ?? newToken(tx.random, KEY_PREFIX, KEY_BYTES);
  if (fixed !== undefined && validKeyByHash(tx).get({ hash: hashToken(fixed) }) !== undefined) {
    throw invalidRequest({ key: ["Another workspace has this key."] });
  }
  const row = tx.db
    .insert(apiKeys)
    .values({
      workspaceId,
      name: shown,
      prefix: key.slice(0, SHOWN_CHARACTERS),
      hash: hashToken(key),
      ...limits,
      createdAt: tx.now,
    })
    .returning()
    .get();
  return { ...row, key };
}

export interface Bearer {
  keyId: number;
  /** Null: everything. */
  scopes: readonly Scope[] | null;
  /** Null: never. The caller compares it with the clock. */
  expiresAt: number | null;
  /** Null: no limit. */
  dailyPeople: number | null;
  lastUsedAt: number | null;
  workspace: Workspace;
}

/** The key's limits and workspace; undefined for an unknown or revoked key. */
export function findBearer(tx: ReadTx, key: string): Bearer | undefined {
  return bearerByHash(tx, Buffer.from(hashToken(key)).toString("hex"));
}

/** By the hash, so that no key is kept in clear. */
const bearerByHash = remembered((tx, hash: string): Bearer | undefined => {
  const found = validKeyByHash(tx).get({ hash: Buffer.from(hash, "hex") });
  if (found === undefined) return undefined;
  const { id: keyId, workspaceId, ...limits } = found;
  return { keyId, ...limits, workspace: getWorkspace(tx, workspaceId) };
});

export function listKeys(tx: ReadTx, workspaceId: number): ApiKey[] {
  return tx.db.select().from(apiKeys).where(eq(apiKeys.workspaceId, workspaceId)).orderBy(asc(apiKeys.id)).all();
}

/** Throws `not_found` for a key of another workspace. */
export function getKey(tx: ReadTx, workspaceId: number, id: number): ApiKey {
  const key = tx.db
    .select()
    .from(apiKeys)
    .where(and(eq(apiKeys.id, id), eq(apiKeys.workspaceId, workspaceId)))
    .get();
  if (key === undefined) throw notFound("key");
  return key;
}

/** Stores that the key was used. The caller limits this to once a minute. */
export function touchKey(tx: Tx, keyId: number): void {
  tx.db.update(apiKeys).set({ lastUsedAt: tx.now }).where(eq(apiKeys.id, keyId)).run();
}

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
