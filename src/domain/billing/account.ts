/** The billing account of a charged workspace: opened, priced and credited. */
import { and, desc, eq, lt, sql } from "drizzle-orm";
import { formatMoney, type Micros } from "#src/core/money.ts";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { accountOfWorkspace } from "./statements.ts";
import { type BillingAccount, billingAccounts, ledgerEntries } from "./table.ts";

/** Most workspaces are not charged, and what every request asks has to be cheap. */
const hasAccount = remembered(
  (tx, workspaceId: number): boolean => accountOfWorkspace(tx).get({ workspaceId }) !== undefined,
);

/** Undefined: the workspace is not charged. */
export function findAccount(tx: ReadTx, workspaceId: number): BillingAccount | undefined {
  return hasAccount(tx, workspaceId) ? accountOfWorkspace(tx).get({ workspaceId }) : undefined;
}

/** What can still be spent; negative if messages were delivered after their hold had been released. */
export function available(account: BillingAccount): Micros {
  return account.credited - account.held - account.charged;
}

/** As the API and the commands show an account. Amounts are decimal texts. */
export function viewBalance(account: BillingAccount) {
  return {
    currency: account.currency,
    rate: formatMoney(account.rate),
    available: formatMoney(available(account)),
    held: formatMoney(account.held),
    charged: formatMoney(account.charged),
    credited: formatMoney(account.credited),
  };
}

/** Opens the account, or changes its currency and rate. Existing holds keep their rate. */
export function setPrice(tx: Tx, workspaceId: number, currency: string, rate: Micros): BillingAccount {
  if (!/^[A-Z]{3}$/.test(currency)) {
    throw invalidRequest({ currency: [`"${currency}" is not a currency code such as USD.`] });
  }
  if (rate < 0) throw invalidRequest({ rate: ["The rate cannot be negative."] });
  return tx.db
    .insert(billingAccounts)
    .values({ workspaceId, currency, rate, credited: 0, held: 0, charged: 0 })
    .onConflictDoUpdate({ target: billingAccounts.workspaceId, set: { currency, rate } })
    .returning()
    .get();
}

interface Credit {
  amount: Micros;
  note: string | null;
  /** A `ref` credits only once; a repeated credit changes nothing. */
  ref: string | null;
}

/** Credits the account; a negative amount debits it. Throws if the workspace is not charged. */
export function credit(tx: Tx, workspaceId: number, { amount, note, ref }: Credit): BillingAccount {
  const account = findAccount(tx, workspaceId);
  if (account === undefined) {
    throw new Problem(
      "invalid_request",
      "This workspace is not charged, so it has no balance: give it a currency and a rate first.",
      { fields: {} },
    );
  }
  const entry = tx.db
    .insert(ledgerEntries)
    .values({ workspaceId, kind: "credit", amount, note, ref, createdAt: tx.now })
    .onConflictDoNothing()
    .returning({ id: ledgerEntries.id })
    .get();
  if (entry === undefined) return account;
  return tx.db
    .update(billingAccounts)
    .set({ credited: sql`${billingAccounts.credited} + ${amount}` })
    .where(eq(billingAccounts.workspaceId, workspaceId))
    .returning()
    .get();
}

type LedgerEntry = typeof ledgerEntries.$inferSelect;

/** `before`: the last entry of the previous page; null for the first page. */
export function listLedger(tx: ReadTx, workspaceId: number, before: number | null, limit: number): LedgerEntry[] {
  return tx.db
    .select()
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.workspaceId, workspaceId), before === null ? undefined : lt(ledgerEntries.id, before)))
    .orderBy(desc(ledgerEntries.id))
    .limit(limit)
    .all();
}
