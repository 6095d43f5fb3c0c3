/** The hot statements of media: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
import { hotFind } from "#src/db/hot-table.ts";
import { media, mediaFiles } from "./table.ts";

const medium = getTableColumns(media);
const file = getTableColumns(mediaFiles);

export const insertMedia = hotQuery(
  `INSERT INTO media (workspace_id, number_id, inbound_id, network_media_id, mime_type, sha256, filename, state, is_silent, created_at)
  VALUES (:workspaceId, :numberId, :inboundId, :networkMediaId, :mimeType, :sha256, :filename, 'pending', :isSilent, :createdAt)
  RETURNING ${columns(medium)}`,
  medium,
  medium,
);

export const mediaById = hotFind(media, ["id"]);

export const mediaOfInbound = hotFind(media, ["inboundId"]);

/** Who sent the message with this id. */
export const senderOf = hotQuery(
  "SELECT contact_id AS contactId FROM inbounds WHERE id = +:id",
  { id: integer },
  { contactId: integer },
);

export const fileById = hotFind(mediaFiles, ["id"]);

/** One row for each file of a workspace; one more medium has it. */
export const addFileRef = hotQuery(
  `INSERT INTO media_files (workspace_id, hash, bytes, content_type, refs, created_at)
  VALUES (:workspaceId, :hash, :bytes, :contentType, 1, :createdAt)
  ON CONFLICT (workspace_id, hash) DO UPDATE SET refs = refs + 1 RETURNING ${columns(file)}`,
  file,
  file,
);

export const removeFileRef = hotWrite("UPDATE media_files SET refs = refs - 1 WHERE id = +:id", file);

export const setFile = hotWrite("UPDATE media SET file_id = :fileId WHERE id = +:id AND state = 'pending'", medium);

export const setStored = hotQuery(
  `UPDATE media SET state = 'stored', waiting_since = NULL WHERE id = +:id AND state = 'pending'
  RETURNING ${columns(medium)}`,
  medium,
  medium,
);

export const setFailed = hotQuery(
  `UPDATE media SET state = 'failed', reason = :reason, waiting_since = NULL WHERE id = +:id AND state = 'pending'
  RETURNING ${columns(medium)}`,
  medium,
  medium,
);

export const setTold = hotQuery(
  `UPDATE media SET is_silent = 0 WHERE inbound_id = +:inboundId RETURNING ${columns(medium)}`,
  medium,
  medium,
);

export const setEventSeq = hotWrite("UPDATE media SET event_seq = :eventSeq WHERE id = +:id", medium);
