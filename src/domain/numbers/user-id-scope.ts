/**
 * Where a user id of the network is valid: in all accounts of one portfolio. It is stored with the account whose number
 * learned it, because the portfolio of an account may become known later.
 */
import type { ReadTx } from "#src/db/transaction.ts";
import { listNumbers } from "./read.ts";
import type { SendingNumber } from "./table.ts";

type Scoped = Pick<SendingNumber, "workspaceId" | "accountId" | "portfolioId">;

/** The accounts of the workspace in the portfolio of this number, its own among them; the first stands for all. */
export function accountsBeside(tx: ReadTx, { workspaceId, accountId, portfolioId }: Scoped): string[] {
  if (portfolioId === null) return [accountId];
  const beside = listNumbers(tx, workspaceId).filter((one) => one.portfolioId === portfolioId);
  return [...new Set([...beside.map((one) => one.accountId), accountId])];
}

/** The account with which an id that this number learns is stored. */
export function portfolioOf(tx: ReadTx, number: Scoped): string {
  return accountsBeside(tx, number)[0] ?? number.accountId;
}

/** The same for all numbers of a workspace; null if there are several portfolios, or no number. */
export function onlyPortfolio(tx: ReadTx, workspaceId: number): string | null {
  const [portfolio, other] = new Set(listNumbers(tx, workspaceId).map((number) => portfolioOf(tx, number)));
  return other === undefined ? (portfolio ?? null) : null;
}
