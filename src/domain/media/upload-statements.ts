/** The hot statements of uploads: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
import { hotDelete, hotFind, hotInsert } from "#src/db/hot-table.ts";
import { mediaFiles, networkUploads, uploadDays, uploadPeople, uploads, userUploadDays } from "./table.ts";

const upload = getTableColumns(uploads);
const file = getTableColumns(mediaFiles);
const handed = getTableColumns(networkUploads);

export const insertUpload = hotQuery(
  `INSERT INTO uploads (workspace_id, file_id, mime_type, filename, state, created_at, used_at)
  VALUES (:workspaceId, :fileId, :mimeType, :filename, 'pending', :createdAt, :usedAt) RETURNING ${columns(upload)}`,
  upload,
  upload,
);

export const setUploadStored = hotQuery(
  `UPDATE uploads SET state = 'stored' WHERE id = +:id AND state = 'pending' RETURNING ${columns(upload)}`,
  upload,
  upload,
);

export const uploadById = hotFind(uploads, ["id"], { rest: "AND state = 'stored'" });

/** As `addFileRef` of media. */
export const addUploadRef = hotQuery(
  `INSERT INTO media_files (workspace_id, hash, bytes, content_type, refs, upload_refs, created_at)
  VALUES (:workspaceId, :hash, :bytes, :contentType, 1, 1, :createdAt)
  ON CONFLICT (workspace_id, hash) DO UPDATE SET refs = refs + 1, upload_refs = upload_refs + 1
  RETURNING ${columns(file)}`,
  file,
  file,
);

export const removeUploadRef = hotWrite(
  "UPDATE media_files SET refs = refs - 1, upload_refs = upload_refs - 1 WHERE id = +:id",
  file,
);

/** A scheduled message may use it later than now. */
export const touchUpload = hotWrite("UPDATE uploads SET used_at = max(used_at, :usedAt) WHERE id = +:id", upload);

/** One that is part of a quick reply is kept. */
export const isInQuickReply = hotQuery(
  "SELECT upload_id AS uploadId FROM quick_replies WHERE upload_id = +:uploadId LIMIT 1",
  handed,
  { uploadId: integer },
);

export const networkUploadOf = hotFind(networkUploads, ["uploadId", "numberId"]);

export const saveNetworkUpload = hotInsert(
  networkUploads,
  ["uploadId", "numberId", "networkMediaId", "expiresAt"],
  `ON CONFLICT (upload_id, number_id) DO UPDATE SET
    network_media_id = excluded.network_media_id, expires_at = excluded.expires_at`,
);

export const removeNetworkUpload = hotDelete(networkUploads, ["uploadId", "numberId"]);

export const addUploadPerson = hotInsert(uploadPeople, ["uploadId", "contactId"], "ON CONFLICT DO NOTHING");

export const uploadedOn = hotFind(uploadDays, ["keyId", "beganAt"], { take: ["bytes"] });

export const addUploaded = hotInsert(
  uploadDays,
  ["keyId", "beganAt", "bytes"],
  `ON CONFLICT (key_id, began_at) DO UPDATE SET bytes = bytes + excluded.bytes`,
);

export const uploadedByUser = hotFind(userUploadDays, ["userId", "workspaceId", "beganAt"], { take: ["bytes"] });

export const addUploadedByUser = hotInsert(
  userUploadDays,
  ["userId", "workspaceId", "beganAt", "bytes"],
  `ON CONFLICT (user_id, workspace_id, began_at) DO UPDATE SET bytes = bytes + excluded.bytes`,
);
