/** The hot statements of workspaces and API keys: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery } from "#src/db/hot-statement.ts";
import { apiKeys, workspaces } from "./table.ts";

const workspace = getTableColumns(workspaces);
const { id, workspaceId, hash, scopes, isOfFirstVersion, expiresAt, dailyPeople, lastUsedAt } =
  getTableColumns(apiKeys);

export const workspaceById = hotQuery(
  `SELECT ${columns(workspace)} FROM workspaces WHERE id = +:id`,
  workspace,
  workspace,
);

export const validKeyByHash = hotQuery(
  `SELECT id, scopes, is_of_first_version AS isOfFirstVersion, expires_at AS expiresAt, daily_people AS dailyPeople, last_used_at AS lastUsedAt,
    workspace_id AS workspaceId
  FROM api_keys WHERE hash = +:hash AND revoked_at IS NULL`,
  { hash },
  { id, scopes, isOfFirstVersion, expiresAt, dailyPeople, lastUsedAt, workspaceId },
);
