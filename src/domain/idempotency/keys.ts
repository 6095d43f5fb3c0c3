/**
 * Idempotency keys: the first answer under a key is kept for 24 hours and returned again, byte for byte. The answer is
 * committed together with the changes that it reports.
 */
import { and, inArray, lte, sql } from "drizzle-orm";
import { Problem } from "#src/core/problem.ts";
import { deleteRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { deleteOpenKey, insertAnswer, insertKey, keyByName, keyOrHidden, linkMessage } from "./statements.ts";
import { type IdempotencyKey, idempotencyKeys } from "./table.ts";

const KEY_RETENTION_MS = 24 * 60 * 60 * 1000;

export interface KeyUse {
  key: string;
  /** SHA-256 of method, path and canonical body. */
  fingerprint: Uint8Array;
}

interface StoredAnswer {
  status: number;
  body: string;
}

/**
 * Returns what is stored under the key; undefined if the key is free (never used, or last used over 24 hours ago).
 * Throws `idempotency_conflict` if it was used with another request.
 */
export function findKey(tx: ReadTx, workspaceId: number, use: KeyUse): IdempotencyKey | undefined {
  const found = findStored(tx, workspaceId, use.key);
  if (found === undefined || isExpired(found, tx.now)) return undefined;
  requireSameRequest(found.fingerprint, use.fingerprint);
  return found;
}

/** Workspaces without an erased person, which are most, pay for one look-up and no hash. */
function findStored(tx: ReadTx, workspaceId: number, key: string): IdempotencyKey | undefined {
  const found = keyOrHidden(tx).get({ workspaceId, key });
  if (found === undefined || found.key === key) return found;
  return (
    keyByName(tx).get({ workspaceId, key }) ?? keyByName(tx).get({ workspaceId, key: hiddenKey(tx, workspaceId, key) })
  );
}

const HIDDEN = /^erased:[0-9a-f]{64}$/;

/** Stands for a key that named an erased person, and is found by the same key. */
export function hiddenKey(tx: ReadTx, workspaceId: number, key: string): string {
  if (HIDDEN.test(key)) return key;
  const hash = tx.keyedHash(`erased_key:${workspaceId}:${key}`);
  return `erased:${Buffer.from(hash).toString("hex")}`;
}

/** Throws `idempotency_conflict`. */
export function requireSameRequest(stored: Uint8Array, requested: Uint8Array): void {
  if (Buffer.compare(stored, requested) === 0) return;
  throw usedBefore();
}

export function usedBefore(): Problem {
  return new Problem("idempotency_conflict", "This Idempotency-Key was used before with a different request.");
}

/** A key without an answer never expires: it protects an open dispatch from being repeated. */
function isExpired(found: IdempotencyKey, now: number): boolean {
  return found.status !== null && found.createdAt <= now - KEY_RETENTION_MS;
}

/** Claims a free key for this request. The caller has called `findKey` in the same transaction. */
export function claimKey(tx: Tx, workspaceId: number, use: KeyUse): number {
  return insertKey(tx).only({ workspaceId, key: use.key, fingerprint: use.fingerprint, createdAt: tx.now }).id;
}

/** Links the key to its message while the answer is open. */
export function bindKey(tx: Tx, keyId: number, messageId: number): void {
  linkMessage(tx).run({ id: keyId, messageId });
}

/** Keeps the answer for all repetitions. The first one stays. */
export function storeAnswer(tx: Tx, keyId: number, answer: StoredAnswer): void {
  insertAnswer(tx).run({ id: keyId, status: answer.status, body: answer.body });
}

/** The request had no final answer: the key may be used again. */
export function releaseKey(tx: Tx, keyId: number): void {
  deleteOpenKey(tx).run({ id: keyId });
}

export function releaseKeyOfMessage(tx: Tx, messageId: number): void {
  deleteRows(tx, idempotencyKeys, { messageId, status: null });
}

/** Problems that leave the key unused, because the same request may succeed later. */
const NOT_FINAL: readonly string[] = [
  "invalid_request",
  "unauthenticated",
  "api_not_enabled",
  "workspace_suspended",
  "idempotency_conflict",
  "thread_owned_elsewhere",
  "rate_limited",
  "internal_error",
  "unavailable",
];

/** Whether an answer is kept for 24 hours under its key. */
export function isFinal({ code }: Problem): boolean {
  return !NOT_FINAL.includes(code);
}

/** Refusals that are kept although the same request may succeed later: their sentence has to say what it takes. */
const PASSING: readonly string[] = ["insufficient_balance", "number_not_ready"];

/** The refusal as it is kept under its key. */
export function toKeptProblem(problem: Problem): Problem {
  if (!PASSING.includes(problem.code)) return problem;
  const message = `${problem.message} This answer is kept under its Idempotency-Key, so a new try needs a new key.`;
  return new Problem(problem.code, message, problem.details);
}

/**
 * The key of a caller's next try. `same`: the key is unused, or the outcome is unknown, and the same key never sends
 * twice. `new`: this answer is kept under the key and nothing was sent, or the key belongs to another request.
 */
export function retryKeyOf(problem: Problem): "same" | "new" {
  if (problem.code === "idempotency_conflict") return "new";
  if (problem.details.isKeyUnused === true) return "same";
  return isFinal(problem) && problem.details.outcome !== "unknown" ? "new" : "same";
}

/** Drops up to `limit` answers that are over 24 hours old; returns how many. */
export function purgeKeys(tx: Tx, limit: number): number {
  const expired = tx.db
    .select({ id: idempotencyKeys.id })
    .from(idempotencyKeys)
    .where(and(lte(idempotencyKeys.createdAt, tx.now - KEY_RETENTION_MS), sql`${idempotencyKeys.status} IS NOT NULL`))
    .orderBy(idempotencyKeys.createdAt)
    .limit(limit)
    .all()
    .map(({ id }) => id);
  if (expired.length > 0) deleteRows(tx, idempotencyKeys, inArray(idempotencyKeys.id, expired));
  return expired.length;
}
