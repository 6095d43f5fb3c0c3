/** The hot statements of workspaces, API keys and their requests: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { hotRows } from "#src/db/hot-rows.ts";
import { hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
import { hotFind, hotInsert } from "#src/db/hot-table.ts";
import { apiKeys, keyRequestDays, keyRequestRuns, keyRequests, workspaces } from "./table.ts";

const key = getTableColumns(apiKeys);
const { workspaceId } = key;

export const workspaceById = hotFind(workspaces, ["id"]);

export const validKeyByHash = hotFind(apiKeys, ["hash"], {
  rest: "AND revoked_at IS NULL",
  take: [
    ...(["id", "scopes", "isOfFirstVersion", "expiresAt", "dailyPeople", "lastUsedAt", "workspaceId", "name"] as const),
    ...(["isAutomation", "isAi", "groupId", "dailyMoney"] as const),
  ],
});

const request = getTableColumns(keyRequests);
const day = getTableColumns(keyRequestDays);

export const workspaceOfKey = hotQuery("SELECT workspace_id AS workspaceId FROM api_keys WHERE id = +:keyId", request, {
  workspaceId,
});

const { id: _, ...newRequest } = request;
export const insertKeyRequests = hotRows(keyRequests, newRequest);

export const keyRequestDay = hotFind(keyRequestDays, ["workspaceId", "day"], { take: ["listed"] });

export const addToKeyRequestDay = hotWrite(
  `INSERT INTO key_request_days (workspace_id, day, listed, unlisted)
  SELECT id, :day, :listed, :unlisted FROM workspaces WHERE id = +:workspaceId
  ON CONFLICT (workspace_id, day) DO UPDATE
    SET listed = listed + excluded.listed, unlisted = unlisted + excluded.unlisted`,
  day,
);

export const noteKeyRequestRun = hotInsert(
  keyRequestRuns,
  ["beganAt", "writtenAt", "endedAt"],
  `ON CONFLICT (began_at) DO UPDATE SET written_at = excluded.written_at, ended_at = excluded.ended_at`,
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
