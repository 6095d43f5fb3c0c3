/** Portfolios of numbers: the network's user ids are valid within one portfolio. */
import type { ReadTx } from "#src/db/transaction.ts";
import { listNumbers } from "./read.ts";
import type { SendingNumber } from "./table.ts";

/** Where no portfolio is known, the account stands for it. */
export function portfolioOf({ portfolio, accountId }: Pick<SendingNumber, "portfolio" | "accountId">): string {
  return portfolio ?? accountId;
}

/** The portfolio of all numbers of a workspace; null if there are several, or no number. */
export function onlyPortfolio(tx: ReadTx, workspaceId: number): string | null {
  const [portfolio, other] = new Set(listNumbers(tx, workspaceId).map(portfolioOf));
  return other === undefined ? (portfolio ?? null) : null;
}
