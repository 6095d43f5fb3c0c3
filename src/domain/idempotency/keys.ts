/**
 * Idempotency keys: the first answer under a key is kept for 24 hours and returned again, byte for byte. The kept answer
 * is committed together with what it tells of.
 */
import { and, eq, inArray, isNull, lte, sql } from "drizzle-orm";
import { Problem } from "#src/core/problem.ts";
import { type Reading, statement, type Tx } from "#src/db/transaction.ts";
import { type IdempotencyKey, idempotencyKeys } from "./table.ts";

export const KEPT_MS = 24 * 60 * 60 * 1000;

export interface KeyUse {
  key: string;
  /** SHA-256 of method, path and canonical body. */
  fingerprint: Uint8Array;
}

export interface KeptAnswer {
  status: number;
  body: string;
}

const byKey = statement((db) =>
  db
    .select()
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.workspaceId, sql.placeholder("workspaceId")),
        eq(idempotencyKeys.key, sql.placeholder("key")),
      ),
    )
    .prepare(),
);

/**
 * What is stored under the key: undefined when it is free (never used, or over 24 hours ago). Throws
 * `idempotency_conflict` when it was used with another request.
 */
export function findKey(reading: Reading, workspaceId: number, use: KeyUse): IdempotencyKey | undefined {
  const found = byKey(reading).get({ workspaceId, key: use.key });
  if (found === undefined || isExpired(found, reading.now)) return undefined;
  requireSame(found.fingerprint, use.fingerprint);
  return found;
}

/** Throws `idempotency_conflict`. */
export function requireSame(known: Uint8Array, given: Uint8Array): void {
  if (Buffer.compare(known, given) === 0) return;
  throw new Problem("idempotency_conflict", "This Idempotency-Key was used before with a different request.");
}

/** An open hand-over keeps its key however old it is: the key is what protects it from being repeated. */
function isExpired(found: IdempotencyKey, now: number): boolean {
  return found.status !== null && found.createdAt <= now - KEPT_MS;
}

/** Takes a free key for this request. The caller has looked with `findKey` in the same transaction. */
export function claimKey(tx: Tx, workspaceId: number, use: KeyUse): number {
  return tx.db
    .insert(idempotencyKeys)
    .values({ workspaceId, key: use.key, fingerprint: use.fingerprint, createdAt: tx.now })
    .onConflictDoUpdate({
      target: [idempotencyKeys.workspaceId, idempotencyKeys.key],
      set: { fingerprint: use.fingerprint, messageId: null, status: null, body: null, createdAt: tx.now },
    })
    .returning({ id: idempotencyKeys.id })
    .get().id;
}

/** What the key stands for while its answer is open. */
export function bindKey(tx: Tx, keyId: number, messageId: number): void {
  tx.db.update(idempotencyKeys).set({ messageId }).where(eq(idempotencyKeys.id, keyId)).run();
}

/** The answer that every repetition gets. The first one kept stays. */
export function keepAnswer(tx: Tx, keyId: number, answer: KeptAnswer): void {
  tx.db
    .update(idempotencyKeys)
    .set({ status: answer.status, body: answer.body })
    .where(and(eq(idempotencyKeys.id, keyId), isNull(idempotencyKeys.status)))
    .run();
}

/** The request settled nothing: the key may be used again. */
export function freeKey(tx: Tx, keyId: number): void {
  tx.db
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.id, keyId), isNull(idempotencyKeys.status)))
    .run();
}

export function freeKeyOfMessage(tx: Tx, messageId: number): void {
  tx.db
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.messageId, messageId), isNull(idempotencyKeys.status)))
    .run();
}

/** Problems that leave the key unused, because the same request may well succeed later. */
const UNSETTLING: readonly string[] = [
  "invalid_request",
  "unauthenticated",
  "api_not_enabled",
  "workspace_suspended",
  "idempotency_conflict",
  "rate_limited",
  "internal_error",
  "unavailable",
];

/** Whether an answer stands for 24 hours under its key. */
export function isSettling({ code }: Problem): boolean {
  return !UNSETTLING.includes(code);
}

/** Drops up to `limit` answers that are over 24 hours old; returns how many. */
export function purgeKeys(tx: Tx, limit: number): number {
  const old = tx.db
    .select({ id: idempotencyKeys.id })
    .from(idempotencyKeys)
    .where(and(lte(idempotencyKeys.createdAt, tx.now - KEPT_MS), sql`${idempotencyKeys.status} IS NOT NULL`))
    .orderBy(idempotencyKeys.createdAt)
    .limit(limit)
    .all()
    .map(({ id }) => id);
  if (old.length > 0) tx.db.delete(idempotencyKeys).where(inArray(idempotencyKeys.id, old)).run();
  return old.length;
}
