/** The hot statements of callbacks and inbound messages: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite, integer, integerOrNull } from "#src/db/hot-statement.ts";
import { callbacks, inbounds } from "./table.ts";

const callback = getTableColumns(callbacks);
const inbound = getTableColumns(inbounds);

export const insertCallback = hotWrite(
  `INSERT INTO callbacks (network, body, received_at, due_at, trust)
  VALUES (:network, :body, :receivedAt, :dueAt, :trust)`,
  callback,
);

export const dueCallbacks = hotQuery(
  `SELECT id, octet_length(body) AS size FROM callbacks WHERE done_at IS NULL AND due_at <= :now
  ORDER BY due_at, id LIMIT +:limit`,
  { now: integer, limit: integer },
  { id: callback.id, size: integer },
);

export const callbackById = hotQuery(`SELECT ${columns(callback)} FROM callbacks WHERE id = +:id`, callback, callback);

export const firstDueAt = hotQuery(
  "SELECT min(due_at) AS dueAt FROM callbacks WHERE done_at IS NULL",
  {},
  { dueAt: integerOrNull },
);

export const setCallbackDone = hotWrite(
  "UPDATE callbacks SET done_at = :doneAt, note = :note, state = :state WHERE id = +:id",
  callback,
);

/** Stores nothing and returns no row if the inbound is stored already. */
export const insertInbound = hotQuery(
  `INSERT INTO inbounds (workspace_id, number_id, contact_id, network_message_id, type, text, received_at, created_at)
  VALUES (:workspaceId, :numberId, :contactId, :networkMessageId, :type, :text, :receivedAt, :createdAt)
  ON CONFLICT DO NOTHING RETURNING ${columns(inbound)}`,
  inbound,
  inbound,
);

export const knownInbound = hotQuery(
  "SELECT id FROM inbounds WHERE workspace_id = +:workspaceId AND network_message_id = +:networkMessageId",
  inbound,
  { id: inbound.id },
);
