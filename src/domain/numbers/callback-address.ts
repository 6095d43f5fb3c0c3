/**
 * Callback addresses for providers that do not sign. A number has one only if an operator said so. The address and the
 * secret of its header are shown once; the database holds their hashes.
 */
import { and, eq, gt, isNull, ne, or, sql } from "drizzle-orm";
import { randomText } from "#src/core/id.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { constantTimeEqual, hashToken } from "#src/core/secret.ts";
import { deleteRows, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { type CallbackAddress, callbackAddresses, numbers, type SendingNumber } from "./table.ts";

/** The header that carries the secret. Required as soon as the provider has sent it once. */
export const CALLBACK_SECRET_HEADER = "x-callback-secret";

/** How long an address works after its successor was made, unless the successor is called before. */
const OLD_ADDRESS_MS = 24 * 60 * 60 * 1000;
const TOKEN_LENGTH = 26;
/** Times of use are stored this exactly, so that most callbacks write nothing about their address. */
const USE_STEP_MS = 60 * 60 * 1000;

/** Shown once, never stored. */
export interface NewCallbackAddress {
  token: string;
  secret: string;
}

/** Allows callbacks without a signature, at a new address. An earlier address works on for a day, or until this one is called. */
export function createCallbackAddress(tx: Tx, number: SendingNumber): NewCallbackAddress {
  if (number.network !== "whatsapp") {
    throw invalidRequest({ unsigned_callbacks: ["Only a number on WhatsApp has callbacks."] });
  }
  const token = randomText(tx.random, TOKEN_LENGTH);
  const secret = randomText(tx.random, TOKEN_LENGTH);
  const ofNumber = eq(callbackAddresses.numberId, number.id);
  // An address that is never called has no provider that would have to change it.
  tx.db
    .delete(callbackAddresses)
    .where(and(ofNumber, isNull(callbackAddresses.usedAt)))
    .run();
  tx.db
    .update(callbackAddresses)
    .set({ expiresAt: tx.now + OLD_ADDRESS_MS })
    .where(and(ofNumber, isNull(callbackAddresses.expiresAt)))
    .run();
  tx.db
    .insert(callbackAddresses)
    .values({
      numberId: number.id,
      tokenHash: hashToken(token),
      secretHash: hashToken(secret),
      needsSecret: false,
      createdAt: tx.now,
    })
    .run();
  return { token, secret };
}

/** Callbacks of this number need a signature again. */
export function removeCallbackAddresses(tx: Tx, numberId: number): void {
  deleteRows(tx, callbackAddresses, { numberId });
}

interface FoundAddress {
  address: CallbackAddress;
  number: SendingNumber;
}

/** Undefined: no number has this address, or it has expired. */
export function findCallbackAddress(tx: ReadTx, token: string): FoundAddress | undefined {
  return tx.db
    .select({ address: callbackAddresses, number: numbers })
    .from(callbackAddresses)
    .innerJoin(numbers, eq(numbers.id, callbackAddresses.numberId))
    .where(
      and(
        eq(callbackAddresses.tokenHash, hashToken(token)),
        isNull(numbers.removedAt),
        or(isNull(callbackAddresses.expiresAt), gt(callbackAddresses.expiresAt, tx.now)),
      ),
    )
    .get();
}

/** Whether a call with this header may be accepted. `header`: null if there was none. */
export function isRightSecret({ needsSecret, secretHash }: CallbackAddress, header: string | null): boolean {
  if (header === null) return !needsSecret;
  return constantTimeEqual(hashToken(header), secretHash);
}

/** Records an accepted call. The first call of an address ends its predecessor; the first secret makes it required. */
export function recordUse(tx: Tx, { id, numberId, usedAt, needsSecret }: CallbackAddress, hadSecret: boolean): void {
  const isFirst = usedAt === null;
  if (!isFirst && needsSecret === (needsSecret || hadSecret) && tx.now - usedAt < USE_STEP_MS) return;
  updateRows(tx, callbackAddresses, { id }, { usedAt: tx.now, needsSecret: needsSecret || hadSecret });
  if (!isFirst) return;
  tx.db
    .delete(callbackAddresses)
    .where(and(eq(callbackAddresses.numberId, numberId), ne(callbackAddresses.id, id)))
    .run();
}

/** The addresses at which a number accepts callbacks without a signature, newest first. */
export function listCallbackAddresses(tx: ReadTx, numberId: number): CallbackAddress[] {
  return tx.db
    .select()
    .from(callbackAddresses)
    .where(
      and(
        eq(callbackAddresses.numberId, numberId),
        or(isNull(callbackAddresses.expiresAt), gt(callbackAddresses.expiresAt, tx.now)),
      ),
    )
    .orderBy(sql`${callbackAddresses.id} DESC`)
    .all();
}
