/** Answers to console forms, kept for 24 hours under an idempotency key: the same key with the same form acts once. */
import { Problem } from "#src/core/problem.ts";
import { findRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { formAnswers } from "./table.ts";

export interface FormUse {
  userId: number;
  key: string;
  /** SHA-256 of method, path and canonical body. */
  fingerprint: Uint8Array;
}

/** Returns undefined if the key is free. Throws `idempotency_conflict` if it was used with another form. */
export function findFormAnswer(tx: ReadTx, use: FormUse): { status: number; body: string } | undefined {
  const found = findRow(tx, formAnswers, { userId: use.userId, key: use.key });
  if (found === undefined) return undefined;
  if (Buffer.compare(found.fingerprint, use.fingerprint) !== 0) {
    throw new Problem("idempotency_conflict", "This form was already sent with other values. Reload the page.");
  }
  return { status: found.status, body: found.body };
}

/** Stores the answer. Call it in the transaction of the change that it reports. `body` must hold no secret. */
export function saveFormAnswer(tx: Tx, { userId, key, fingerprint }: FormUse, status: number, body: string): void {
  tx.db.insert(formAnswers).values({ userId, key, fingerprint, status, body, createdAt: tx.now }).run();
}
