/** The hot statements of numbers: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery } from "#src/db/hot-statement.ts";
import { accountSyncs, networkHealth, numbers, portfolios, unlistedRefusals } from "./table.ts";

const number = getTableColumns(numbers);
const { id, appSecret, phoneNumberId, accountId } = number;

export const numbersOfWorkspace = hotQuery(
  `SELECT ${columns(number)} FROM numbers WHERE workspace_id = +:workspaceId AND removed_at IS NULL ORDER BY id`,
  number,
  number,
);

/** Removed or not. */
export const numberById = hotQuery(`SELECT ${columns(number)} FROM numbers WHERE id = +:id`, number, number);

export const numberByNetworkId = hotQuery(
  `SELECT ${columns(number)} FROM numbers WHERE phone_number_id = +:phoneNumberId AND removed_at IS NULL`,
  number,
  number,
);

/** The workspaces that send from a phone number: one, but for those of a simulator. */
export const ownersOfPhone = hotQuery(
  `SELECT ${columns({ workspaceId: number.workspaceId })} FROM numbers WHERE phone = +:phone AND removed_at IS NULL LIMIT 100`,
  { phone: number.phone },
  { workspaceId: number.workspaceId },
);

/** Reads every number of the server, because any of them may have signed a callback. */
export const numbersWithSecret = hotQuery(
  `SELECT ${columns({ id, appSecret, phoneNumberId, accountId })} FROM numbers
  WHERE app_secret IS NOT NULL AND removed_at IS NULL`,
  {},
  { id, appSecret, phoneNumberId, accountId },
);

const health = getTableColumns(networkHealth);

export const healthOfNumber = hotQuery(
  `SELECT ${columns(health)} FROM network_health WHERE number_id = +:numberId`,
  health,
  health,
);

const unlisted = getTableColumns(unlistedRefusals);

export const unlistedOfNumber = hotQuery(
  `SELECT ${columns(unlisted)} FROM unlisted_refusals WHERE number_id = +:numberId`,
  unlisted,
  unlisted,
);

const { workspaceId, accountId: syncedAccountId, marketingStatus, directSend } = getTableColumns(accountSyncs);

export const marketingStatusOf = hotQuery(
  `SELECT marketing_status AS marketingStatus FROM account_syncs
  WHERE workspace_id = +:workspaceId AND account_id = +:accountId`,
  { workspaceId, accountId: syncedAccountId },
  { marketingStatus },
);

export const directSendOf = hotQuery(
  `SELECT direct_send AS directSend FROM account_syncs
  WHERE workspace_id = +:workspaceId AND account_id = +:accountId`,
  { workspaceId, accountId: syncedAccountId },
  { directSend },
);

const portfolio = getTableColumns(portfolios);

export const portfolioById = hotQuery(
  `SELECT ${columns(portfolio)} FROM portfolios WHERE id = +:id`,
  portfolio,
  portfolio,
);
