/**
 * Throttles sign-in attempts per account and per client address, whether or not the account exists. An attempt is
 * counted before it is checked, so that a hundred concurrent attempts count as a hundred. A successful sign-in clears
 * the account's count.
 */
import { eq, lte } from "drizzle-orm";
import { Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { signInAttempts } from "./table.ts";
import { ATTEMPTS_RESET_AFTER_MS, emailKey, FREE_ATTEMPTS, waitAfterAttempts } from "./user.ts";

export interface Guess {
  email: string;
  address: string;
}

/** Counts an attempt that is about to be checked. Throws `rate_limited`, without counting it, if it comes too early. */
export function countSignInAttempt(tx: Tx, guess: Guess): void {
  const subjects = subjectsOf(tx, guess);
  const waitUntil = Math.max(...subjects.map(({ row }) => row?.blockedUntil ?? 0));
  if (waitUntil > tx.now) throw tooManyAttempts(waitUntil - tx.now);
  for (const { subject, free, row } of subjects) {
    const count = (row === undefined || row.lastAt <= tx.now - ATTEMPTS_RESET_AFTER_MS ? 0 : row.count) + 1;
    const values = { count, blockedUntil: tx.now + waitAfterAttempts(count, free), lastAt: tx.now };
    tx.db
      .insert(signInAttempts)
      .values({ subject, ...values })
      .onConflictDoUpdate({ target: signInAttempts.subject, set: values })
      .run();
  }
}

/**
 * The attempt succeeded: clears the account's count. The address loses only this attempt; others from it still count.
 */
export function clearSignInAttempts(tx: Tx, guess: Guess): void {
  uncountSignInAttempt(tx, guess);
  const [account] = subjectsOf(tx, guess);
  if (account !== undefined) tx.db.delete(signInAttempts).where(eq(signInAttempts.subject, account.subject)).run();
}

/** The password was right and a code is still required. This attempt no longer counts; earlier ones do. */
export function uncountSignInAttempt(tx: Tx, guess: Guess): void {
  for (const { subject, free, row } of subjectsOf(tx, guess)) {
    if (row === undefined) continue;
    const count = row.count - 1;
    tx.db
      .update(signInAttempts)
      .set({ count, blockedUntil: count < free ? 0 : row.blockedUntil })
      .where(eq(signInAttempts.subject, subject))
      .run();
  }
}

function subjectsOf(tx: Tx, { email, address }: Guess) {
  return (["account", "address"] as const).map((kind) => {
    const subject = tx.keyedHash(`sign-in ${kind} ${kind === "account" ? emailKey(email) : address}`);
    const row = tx.db.select().from(signInAttempts).where(eq(signInAttempts.subject, subject)).get();
    return { subject, free: FREE_ATTEMPTS[kind], row };
  });
}

function tooManyAttempts(waitMs: number): Problem {
  const seconds = Math.ceil(waitMs / 1000);
  const wait = seconds < 120 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`;
  return new Problem("rate_limited", `Too many attempts. Wait ${wait}.`, { retryAfterMs: waitMs });
}

/** Deletes up to `limit` rows whose attempts are forgiven; returns how many. */
export function purgeSignInAttempts(tx: Tx, limit: number): number {
  const old = tx.db
    .select({ subject: signInAttempts.subject })
    .from(signInAttempts)
    .where(lte(signInAttempts.lastAt, tx.now - ATTEMPTS_RESET_AFTER_MS))
    .limit(limit)
    .all();
  for (const { subject } of old) tx.db.delete(signInAttempts).where(eq(signInAttempts.subject, subject)).run();
  return old.length;
}
