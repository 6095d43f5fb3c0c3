/**
 * The second factor: authenticator codes, each valid once, and recovery codes for a lost authenticator. The secret is
 * stored sealed. A secret that was shown but not confirmed has no effect.
 */
import { and, eq, isNull } from "drizzle-orm";
import { invalidRequest } from "#src/core/problem.ts";
import { hashToken, newToken, type SecretBox } from "#src/core/secret.ts";
import { findStep, newTotpSecret } from "#src/core/totp.ts";
import { deleteRows, listRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { updateUser } from "./change.ts";
import { getUser } from "./read.ts";
import { recoveryCodes, type User } from "./table.ts";

const RECOVERY_CODE_COUNT = 10;
const CODE_BYTES = 8;

/**
 * Creates a pending secret; sign-in asks for no code until `confirmTotp`. Throws `invalid_request` if a second factor
 * is active.
 */
export function startTotpSetup(tx: Tx, box: SecretBox, userId: number): { secret: string } {
  if (getUser(tx, userId).totpSecret !== null) {
    throw invalidRequest({ code: ["A second factor is already set up. Turn it off first."] });
  }
  const secret = newTotpSecret(tx.random);
  updateUser(tx, userId, { totpPending: box.seal(secret, totpContext(userId)) });
  return { secret };
}

/**
 * Activates the pending secret: sign-in asks for a code from now on. Returns the recovery codes, which are shown only
 * once. Throws `invalid_request` if there is no pending secret or the code is wrong.
 */
export function confirmTotp(tx: Tx, box: SecretBox, userId: number, code: string): string[] {
  const { totpPending } = getUser(tx, userId);
  if (totpPending === null) throw invalidRequest({ code: ["Start again: there is no secret to confirm."] });
  const step = findStep(box.open(totpPending, totpContext(userId)), code, tx.now, 0);
  if (step === null) throw invalidRequest({ code: ["This code is not right. Check the clock of the phone."] });
  updateUser(tx, userId, { totpSecret: totpPending, totpPending: null, totpStep: step });
  return createRecoveryCodes(tx, userId);
}

export function removeTotp(tx: Tx, userId: number): User {
  deleteRows(tx, recoveryCodes, { userId });
  return updateUser(tx, userId, { totpSecret: null, totpPending: null });
}

/**
 * Replaces all recovery codes. A code is ten letters and digits in two groups; dashes and case do not matter when it is
 * entered.
 */
function createRecoveryCodes(tx: Tx, userId: number): string[] {
  deleteRows(tx, recoveryCodes, { userId });
  return Array.from({ length: RECOVERY_CODE_COUNT }, () => {
    const code = newToken(tx.random, "", CODE_BYTES).toLowerCase().slice(0, 10);
    tx.db
      .insert(recoveryCodes)
      .values({ userId, hash: hashCode(userId, code) })
      .run();
    return `${code.slice(0, 5)}-${code.slice(5)}`;
  });
}

/**
 * Consumes an authenticator or recovery code; each is accepted once. Returns true for a user without a second factor.
 */
export function consumeCode(tx: Tx, box: SecretBox, user: User, code: string): boolean {
  if (user.totpSecret === null) return true;
  const step = findStep(box.open(user.totpSecret, totpContext(user.id)), code, tx.now, getUser(tx, user.id).totpStep);
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
  return listRows(tx, recoveryCodes, { userId, usedAt: null }).length;
}

function hashCode(userId: number, code: string): Uint8Array {
  return hashToken(`${userId} ${code.toLowerCase().replace(/[\s-]/g, "")}`);
}

/** What the secret of a user is sealed for. */
export function totpContext(userId: number): string {
  return `totp_secret:${userId}`;
}
