/**
 * The last peer that forwarded a request without being a trusted proxy. While a proxy is not trusted, all users behind
 * it are one client, and one stranger's guesses slow the sign-ins of all.
 */
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { untrustedProxies } from "./table.ts";

interface UntrustedProxy {
  address: string;
  seenAt: number;
}

export function noteUntrustedProxy(tx: Tx, address: string): void {
  const values = { address, seenAt: tx.now };
  tx.db
    .insert(untrustedProxies)
    .values({ id: 1, ...values })
    .onConflictDoUpdate({ target: untrustedProxies.id, set: values })
    .run();
}

export function findUntrustedProxy(tx: ReadTx): UntrustedProxy | undefined {
  return tx.db.select().from(untrustedProxies).get();
}
