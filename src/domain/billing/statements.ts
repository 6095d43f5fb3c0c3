/** The hot statements of accounts and the ledger: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { hotWrite, integer } from "#src/db/hot-statement.ts";
import { hotFind, hotInsert } from "#src/db/hot-table.ts";
import { billingAccounts, ledgerEntries } from "./table.ts";

const account = getTableColumns(billingAccounts);
const { workspaceId } = account;

export const accountOfWorkspace = hotFind(billingAccounts, ["workspaceId"]);

/** Changes nothing if the balance does not cover the amount. */
export const increaseHeld = hotWrite(
  `UPDATE billing_accounts SET held = held + :amount
  WHERE workspace_id = +:workspaceId AND credited - held - charged >= :amount`,
  { workspaceId, amount: integer },
);

export const decreaseHeld = hotWrite(
  "UPDATE billing_accounts SET held = held - :amount WHERE workspace_id = +:workspaceId",
  { workspaceId, amount: integer },
);

export const increaseCharged = hotWrite(
  "UPDATE billing_accounts SET charged = charged + :amount WHERE workspace_id = +:workspaceId",
  { workspaceId, amount: integer },
);

export const insertLedgerEntry = hotInsert(ledgerEntries, [
  ...(["workspaceId", "kind", "amount", "messageId", "broadcastId", "createdAt"] as const),
]);
