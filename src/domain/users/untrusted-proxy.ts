/**
 * The last peer that forwarded a request without being a trusted proxy. While a proxy is not trusted, all users behind
 * it are one client, and one stranger's guesses slow the sign-ins of all.
 */
import { upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { untrustedProxies } from "./table.ts";

interface UntrustedProxy {
  address: string;
  seenAt: number;
}

export function noteUntrustedProxy(tx: Tx, address: string): void {
  const values = { address, seenAt: tx.now };
  upsertRow(tx, untrustedProxies, ["id"], { id: 1, ...values }, values);
}

export function findUntrustedProxy(tx: ReadTx): UntrustedProxy | undefined {
  return tx.db.select().from(untrustedProxies).get();
}
