/**
 * The second factor: codes of an authenticator, each counting once, and recovery codes for a lost one. The secret is
 * sealed; one that was shown and not confirmed yet changes nothing.
 */
import { and, eq, isNull } from "drizzle-orm";
import { invalidRequest } from "#src/core/problem.ts";
import { hashToken, newToken, type SecretBox } from "#src/core/secret.ts";
import { findStep, newTotpSecret } from "#src/core/totp.ts";
import type { Reading, Tx } from "#src/db/transaction.ts";
import { update } from "./change.ts";
import { getUser } from "./read.ts";
import { recoveryCodes, type User } from "./table.ts";

const CODES = 10;
const CODE_BYTES = 8;

/** A new secret, which asks for nothing until a code has confirmed it. Throws where there is a second factor already. */
export function beginTotp(tx: Tx, box: SecretBox, userId: number): { secret: string } {
  if (getUser(tx, userId).totpSecret !== null) {
    throw invalidRequest({ code: ["There is a second factor already. Switch it off first."] });
  }
  const secret = newTotpSecret(tx.random);
  update(tx, userId, { totpPending: box.seal(secret, contextOf(userId)) });
  return { secret };
}

/** From now on signing in asks for a code. Returns the recovery codes, which are shown once. */
export function confirmTotp(tx: Tx, box: SecretBox, userId: number, code: string): string[] {
  const { totpPending } = getUser(tx, userId);
  if (totpPending === null) throw invalidRequest({ code: ["Begin again: there is no secret to confirm."] });
  const step = findStep(box.open(totpPending, contextOf(userId)), code, tx.now, 0);
  if (step === null) throw invalidRequest({ code: ["This code is not right. Look at the clock of the phone."] });
  update(tx, userId, { totpSecret: totpPending, totpPending: null, totpStep: step });
  return makeRecoveryCodes(tx, userId);
}

export function removeTotp(tx: Tx, userId: number): User {
  tx.db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)).run();
  return update(tx, userId, { totpSecret: null, totpPending: null });
}

/** Earlier ones end. Letters and digits in two groups; dashes and case do not count when they are typed. */
function makeRecoveryCodes(tx: Tx, userId: number): string[] {
  tx.db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)).run();
  return Array.from({ length: CODES }, () => {
    const code = newToken(tx.random, "", CODE_BYTES).toLowerCase().slice(0, 10);
    tx.db
      .insert(recoveryCodes)
      .values({ userId, hash: hashCode(userId, code) })
      .run();
    return `${code.slice(0, 5)}-${code.slice(5)}`;
  });
}

/** Takes a code of the authenticator, or a recovery code; true once for each. */
export function takeCode(tx: Tx, box: SecretBox, user: User, code: string): boolean {
  if (user.totpSecret === null) return true;
  const step = findStep(box.open(user.totpSecret, contextOf(user.id)), code, tx.now, getUser(tx, user.id).totpStep);
  if (step !== null) {
    update(tx, user.id, { totpStep: step });
    return true;
  }
  const taken = tx.db
    .update(recoveryCodes)
    .set({ usedAt: tx.now })
    .where(
      and(
        eq(recoveryCodes.userId, user.id),
        eq(recoveryCodes.hash, hashCode(user.id, code)),
        isNull(recoveryCodes.usedAt),
      ),
    )
    .run().changes;
  return taken === 1;
}

export function countRecoveryCodes(reading: Reading, userId: number): number {
  return reading.db
    .select()
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt)))
    .all().length;
}

function hashCode(userId: number, code: string): Uint8Array {
  return hashToken(`${userId} ${code.toLowerCase().replace(/[\s-]/g, "")}`);
}

function contextOf(userId: number): string {
  return `totp_secret:${userId}`;
}
