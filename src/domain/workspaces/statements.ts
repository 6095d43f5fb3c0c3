/** The hot statements of workspaces, API keys and their requests: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { hotRows } from "#src/db/hot-rows.ts";
import { columns, hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
import { apiKeys, keyRequestDays, keyRequestRuns, keyRequests, workspaces } from "./table.ts";

const workspace = getTableColumns(workspaces);
const key = getTableColumns(apiKeys);
const { id, workspaceId, hash, scopes, isOfFirstVersion, expiresAt, dailyPeople, lastUsedAt } = key;
const { name, isAutomation, isAi, groupId, dailyMoney } = key;

export const workspaceById = hotQuery(
  `SELECT ${columns(workspace)} FROM workspaces WHERE id = +:id`,
  workspace,
  workspace,
);

export const validKeyByHash = hotQuery(
  `SELECT id, scopes, is_of_first_version AS isOfFirstVersion, expires_at AS expiresAt, daily_people AS dailyPeople, last_used_at AS lastUsedAt,
    workspace_id AS workspaceId, name, is_automation AS isAutomation, is_ai AS isAi, group_id AS groupId,
    daily_money AS dailyMoney
  FROM api_keys WHERE hash = +:hash AND revoked_at IS NULL`,
  { hash },
  {
    id,
    scopes,
    isOfFirstVersion,
    expiresAt,
    dailyPeople,
    lastUsedAt,
    workspaceId,
    name,
    isAutomation,
    isAi,
    groupId,
    dailyMoney,
  },
);

const request = getTableColumns(keyRequests);
const day = getTableColumns(keyRequestDays);

export const workspaceOfKey = hotQuery("SELECT workspace_id AS workspaceId FROM api_keys WHERE id = +:keyId", request, {
  workspaceId,
});

const { id: _, ...newRequest } = request;
export const insertKeyRequests = hotRows(keyRequests, newRequest);

export const keyRequestDay = hotQuery(
  "SELECT listed FROM key_request_days WHERE workspace_id = +:workspaceId AND day = +:day",
  day,
  { listed: day.listed },
);

export const addToKeyRequestDay = hotWrite(
  `INSERT INTO key_request_days (workspace_id, day, listed, unlisted)
  SELECT id, :day, :listed, :unlisted FROM workspaces WHERE id = +:workspaceId
  ON CONFLICT (workspace_id, day) DO UPDATE
    SET listed = listed + excluded.listed, unlisted = unlisted + excluded.unlisted`,
  day,
);

export const noteKeyRequestRun = hotWrite(
  `INSERT INTO key_request_runs (began_at, written_at, ended_at) VALUES (:beganAt, :writtenAt, :endedAt)
  ON CONFLICT (began_at) DO UPDATE SET written_at = excluded.written_at, ended_at = excluded.ended_at`,
  getTableColumns(keyRequestRuns),
);

const classes = { first: integer, second: integer, third: integer, fourth: integer };
const page = { ...request, ...classes, before: integer, limit: integer };

/** One list for each class of statuses, each ordered by its index. A class that is not wanted is 0. */
export const newestKeyRequests = hotQuery(
  `SELECT id FROM key_requests WHERE workspace_id = +:workspaceId AND status / 100 = +:first AND id < +:before
  UNION ALL SELECT id FROM key_requests WHERE workspace_id = +:workspaceId AND status / 100 = +:second AND id < +:before
  UNION ALL SELECT id FROM key_requests WHERE workspace_id = +:workspaceId AND status / 100 = +:third AND id < +:before
  UNION ALL SELECT id FROM key_requests WHERE workspace_id = +:workspaceId AND status / 100 = +:fourth AND id < +:before
  ORDER BY id DESC LIMIT +:limit`,
  page,
  { id: request.id },
);

/** The same of one key. */
export const newestRequestsOfKey = hotQuery(
  `SELECT id FROM key_requests WHERE key_id = +:keyId AND status / 100 = +:first AND id < +:before
  UNION ALL SELECT id FROM key_requests WHERE key_id = +:keyId AND status / 100 = +:second AND id < +:before
  UNION ALL SELECT id FROM key_requests WHERE key_id = +:keyId AND status / 100 = +:third AND id < +:before
  UNION ALL SELECT id FROM key_requests WHERE key_id = +:keyId AND status / 100 = +:fourth AND id < +:before
  ORDER BY id DESC LIMIT +:limit`,
  page,
  { id: request.id },
);
