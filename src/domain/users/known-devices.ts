/**
 * Known devices: browsers in which a user has signed in. Wrong guesses from elsewhere do not delay a sign-in from a
 * known device, so that a stranger cannot lock the owner of an account out. A device holds one random token per account
 * in a cookie; the token is stored as a hash and replaced at every sign-in.
 */
import { and, desc, eq, gt } from "drizzle-orm";
import { hashToken, newToken } from "#src/core/secret.ts";
import { deleteRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { type KnownDevice, knownDevices } from "./table.ts";
import { DEVICE_LIFETIME_MS } from "./user.ts";

const TOKEN_BYTES = 32;
/** Maximum number of devices per user. Another one replaces the device used least recently. */
const DEVICES_MAX = 20;

/** Undefined if this token is not of a device of this user, or has expired. */
export function findDevice(tx: ReadTx, userId: number, token: string): KnownDevice | undefined {
  return tx.db
    .select()
    .from(knownDevices)
    .where(
      and(eq(knownDevices.hash, hashToken(token)), eq(knownDevices.userId, userId), gt(knownDevices.expiresAt, tx.now)),
    )
    .get();
}

/**
 * Makes the browser that has just signed in a known device, and returns its new token in clear. `previous` is the token
 * that it had; it no longer works.
 */
export function rememberDevice(tx: Tx, userId: number, previous: string | null): string {
  const before = previous === null ? undefined : findDevice(tx, userId, previous);
  if (before !== undefined) deleteRows(tx, knownDevices, { id: before.id });
  const known = tx.db
    .select({ id: knownDevices.id })
    .from(knownDevices)
    .where(eq(knownDevices.userId, userId))
    .orderBy(desc(knownDevices.id))
    .all();
  for (const { id } of known.slice(DEVICES_MAX - 1)) deleteRows(tx, knownDevices, { id });
  const token = newToken(tx.random, "", TOKEN_BYTES);
  const values = { userId, hash: hashToken(token), expiresAt: tx.now + DEVICE_LIFETIME_MS };
  tx.db.insert(knownDevices).values(values).run();
  return token;
}

export function forgetDevices(tx: Tx, userId: number): void {
  deleteRows(tx, knownDevices, { userId });
}
