/** The hot statements of accounts and the ledger: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
import { billingAccounts, ledgerEntries } from "./table.ts";

const account = getTableColumns(billingAccounts);
const { workspaceId } = account;

export const accountOfWorkspace = hotQuery(
  `SELECT ${columns(account)} FROM billing_accounts WHERE workspace_id = +:workspaceId`,
  account,
  account,
);

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

export const insertLedgerEntry = hotWrite(
  `INSERT INTO ledger_entries (workspace_id, kind, amount, message_id, broadcast_id, created_at)
  VALUES (:workspaceId, :kind, :amount, :messageId, :broadcastId, :createdAt)`,
  getTableColumns(ledgerEntries),
);
