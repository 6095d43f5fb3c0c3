/** The hot statements of the index of the networks' ids: see `db/hot-statement.ts` and `network-ids.ts`. */
import { getTableColumns } from "drizzle-orm";
import { hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
import { hotDelete, hotFind, hotInsert } from "#src/db/hot-table.ts";
import { networkIds, recentNetworkIds } from "./table.ts";

const { id, hash, messageId } = getTableColumns(recentNetworkIds);

export const insertRecent = hotInsert(recentNetworkIds, ["hash", "messageId"]);

export const unseenByHash = hotQuery(
  "SELECT message_id AS messageId FROM recent_network_ids WHERE id > +:seen AND hash = +:hash",
  { seen: id, hash },
  { messageId },
);

export const recentAfter = hotQuery(
  `SELECT id, hash, message_id AS messageId FROM recent_network_ids
  WHERE id > +:seen ORDER BY id LIMIT +:limit`,
  { seen: id, limit: integer },
  { id, hash, messageId },
);

export const indexedByHash = hotFind(networkIds, ["hash"], { take: ["messageId"] });

/** Sorted, because neighbours share a page. */
export const moveSlice = hotWrite(
  `INSERT OR IGNORE INTO network_ids (hash, message_id) SELECT hash, message_id FROM recent_network_ids
  WHERE id <= +:until AND hash >= +:from AND hash < +:to ORDER BY hash, message_id`,
  { until: id, from: hash, to: hash },
);

export const deleteMoved = hotWrite("DELETE FROM recent_network_ids WHERE id <= +:until", { until: id });

export const deleteIndexed = hotDelete(networkIds, ["hash", "messageId"]);
