/**
 * The business portfolio that a number belongs to at Meta. All numbers of a portfolio, of any workspace, share its
 * messaging limit. The account names its portfolio; where it does not, an operator may, and else the account itself
 * stands for it. The latest report of the limit, about any number of the portfolio, is the one that holds.
 */
import { isNotNull } from "drizzle-orm";
import { findRow, listRows, updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findSync } from "./account-sync.ts";
import { portfolioById } from "./statements.ts";
import { numbers, type Portfolio, portfolios, type SendingNumber } from "./table.ts";

/** Undefined on the simulator until test control reports a limit. */
export function findPortfolio(tx: ReadTx, { portfolioId }: Pick<SendingNumber, "portfolioId">): Portfolio | undefined {
  return portfolioId === null ? undefined : portfolioById(tx).get({ id: portfolioId });
}

/** Adds to `fields` what is wrong with the id of a portfolio. */
export function checkPortfolio(given: string | null, fields: Record<string, string[]>): void {
  if (given === null || /^\d{5,30}$/.test(given)) return;
  fields.portfolio = ["The id of a business portfolio consists of 5 to 30 digits."];
}

/** Puts the number into the portfolio that is known for it now. */
export function assignPortfolio(tx: Tx, number: SendingNumber, limit: string | null): SendingNumber {
  // A number of the simulator has none until a limit is reported.
  if (number.network === "simulator" && limit === null) return number;
  const name = portfolioName(tx, number);
  const before = findPortfolio(tx, number);
  if (before?.name === name) return number;
  const after = createIfMissing(tx, name);
  // Who was sent to by the number moves with it: both portfolios are counted anew.
  const limits = [before, after].map((one) => [one, one?.personLimit ?? null] as const);
  for (const [one] of limits) if (one !== undefined) setPersonLimit(tx, one.id, null);
  updateRows(tx, numbers, { id: number.id }, { portfolioId: after.id });
  for (const [one, personLimit] of limits) if (one !== undefined) setPersonLimit(tx, one.id, personLimit);
  const assigned = { ...number, portfolioId: after.id };
  if (after.personLimit === null && limit !== null) reportLimit(tx, assigned, limit);
  return assigned;
}

/** All numbers of the simulator have one account: a workspace's numbers are a portfolio of their own. */
function portfolioName(tx: ReadTx, { network, workspaceId, accountId, givenPortfolio }: SendingNumber): string {
  if (network === "simulator") return `simulator:${workspaceId}`;
  const known = findSync(tx, workspaceId, accountId)?.portfolio ?? givenPortfolio;
  return known === null ? `account:${accountId}` : `portfolio:${known}`;
}

/** The network's report about one number holds for its whole portfolio. `limit`: digits, or `unlimited`. */
export function reportLimit(tx: Tx, { portfolioId }: SendingNumber, limit: string): void {
  if (portfolioId === null) return;
  const personLimit = limit === "unlimited" ? null : Number(limit);
  if (portfolioById(tx).get({ id: portfolioId })?.personLimit !== personLimit) {
    setPersonLimit(tx, portfolioId, personLimit);
  }
}

/** Counts the people of the last 24 hours again, after messages were added by other means than sending. */
export function recountPortfolios(tx: Tx): void {
  for (const { id, personLimit } of listRows(tx, portfolios, isNotNull(portfolios.personLimit))) {
    setPersonLimit(tx, id, null);
    setPersonLimit(tx, id, personLimit);
  }
}

function createIfMissing(tx: Tx, name: string): Portfolio {
  tx.db.insert(portfolios).values({ name, updatedAt: tx.now }).onConflictDoNothing().run();
  const found = findRow(tx, portfolios, { name });
  if (found === undefined) throw new Error(`portfolio ${name} is gone`);
  return found;
}

/** Triggers count the people of the last 24 hours when a limit appears, and forget them when it ends. */
function setPersonLimit(tx: Tx, id: number, personLimit: number | null): void {
  updateRows(tx, portfolios, { id }, { personLimit, updatedAt: tx.now });
}
