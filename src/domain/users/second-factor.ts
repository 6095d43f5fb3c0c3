/**
 * The second factor: codes of an authenticator, each counting once, and recovery codes for a lost one. The secret is
 * sealed; one that was shown and not confirmed yet changes nothing.
 */
import { and, eq, isNull } from "drizzle-orm";
import { invalidRequest } from "#src/core/problem.ts";
import { hashToken, newToken, type SecretBox } from "#src/core/secret.ts";
import { findStep, newTotpSecret } from "#src/core/totp.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { updateUser } from "./change.ts";
import { getUser } from "./read.ts";
import { recoveryCodes, type User } from "./table.ts";

const RECOVERY_CODE_COUNT = 10;
const CODE_BYTES = 8;

/** A new secret, which asks for nothing until a code has confirmed it. Throws where there is a second factor already. */
export function startTotpSetup(tx: Tx, box: SecretBox, userId: number): { secret: string } {
  if (getUser(tx, userId).totpSecret !== null) {
    throw invalidRequest({ code: ["There is a second factor already. Switch it off first."] });
  }
  const secret = newTotpSecret(tx.random);
  updateUser(tx, userId, { totpPending: box.seal(secret, secretContext(userId)) });
  return { secret };
}

/** From now on signing in asks for a code. Returns the recovery codes, which are shown once. */
export function confirmTotp(tx: Tx, box: SecretBox, userId: number, code: string): string[] {
  const { totpPending } = getUser(tx, userId);
  if (totpPending === null) throw invalidRequest({ code: ["Begin again: there is no secret to confirm."] });
  const step = findStep(box.open(totpPending, secretContext(userId)), code, tx.now, 0);
  if (step === null) throw invalidRequest({ code: ["This code is not right. Look at the clock of the phone."] });
  updateUser(tx, userId, { totpSecret: totpPending, totpPending: null, totpStep: step });
  return createRecoveryCodes(tx, userId);
}

export function removeTotp(tx: Tx, userId: number): User {
  tx.db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)).run();
  return updateUser(tx, userId, { totpSecret: null, totpPending: null });
}

/** Earlier ones end. Letters and digits in two groups; dashes and case do not count when they are typed. */
function createRecoveryCodes(tx: Tx, userId: number): string[] {
  tx.db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)).run();
  return Array.from({ length: RECOVERY_CODE_COUNT }, () => {
    const code = newToken(tx.random, "", CODE_BYTES).toLowerCase().slice(0, 10);
    tx.db
      .insert(recoveryCodes)
      .values({ userId, hash: hashCode(userId, code) })
      .run();
    return `${code.slice(0, 5)}-${code.slice(5)}`;
  });
}

/** Takes a code of the authenticator, or a recovery code; true once for each. */
export function consumeCode(tx: Tx, box: SecretBox, user: User, code: string): boolean {
  if (user.totpSecret === null) return true;
  const step = findStep(box.open(user.totpSecret, secretContext(user.id)), code, tx.now, getUser(tx, user.id).totpStep);
  if (step !== null) {
    updateUser(tx, user.id, { totpStep: step });
    return true;
  }
  const consumed = tx.db
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
  return consumed === 1;
}

export function countRecoveryCodes(tx: ReadTx, userId: number): number {
  return tx.db
    .select()
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt)))
    .all().length;
}

function hashCode(userId: number, code: string): Uint8Array {
  return hashToken(`${userId} ${code.toLowerCase().replace(/[\s-]/g, "")}`);
}

function secretContext(userId: number): string {
  return `totp_secret:${userId}`;
}
