/** The hot statements of numbers: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery } from "#src/db/hot-statement.ts";
import { hotFind } from "#src/db/hot-table.ts";
import { accountSyncs, networkHealth, numbers, portfolios, unlistedRefusals } from "./table.ts";

const number = getTableColumns(numbers);
const { id, appSecret, phoneNumberId, accountId } = number;

export const numbersOfWorkspace = hotFind(numbers, ["workspaceId"], { rest: "AND removed_at IS NULL ORDER BY id" });

/** Removed or not. */
export const numberById = hotFind(numbers, ["id"]);

export const numberByNetworkId = hotFind(numbers, ["phoneNumberId"], { rest: "AND removed_at IS NULL" });

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

export const healthOfNumber = hotFind(networkHealth, ["numberId"]);

export const unlistedOfNumber = hotFind(unlistedRefusals, ["numberId"]);

export const marketingStatusOf = hotFind(accountSyncs, ["workspaceId", "accountId"], { take: ["marketingStatus"] });

export const directSendOf = hotFind(accountSyncs, ["workspaceId", "accountId"], { take: ["directSend"] });

export const portfolioById = hotFind(portfolios, ["id"]);
