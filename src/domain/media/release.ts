/**
 * Ends the life of stored media and uploads: retention and erasure. A medium lets go of its file at once; the file itself is removed
 * from disk when no other medium or upload has it, by the code that calls `removeUnused` with access to the disk.
 */
import { and, asc, eq, inArray, lt, sql } from "drizzle-orm";
import { deleteRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { sourcesOf } from "./media.ts";
import { removeFileRef } from "./statements.ts";
import {
  type Media,
  type MediaFile,
  media,
  mediaFiles,
  networkUploads,
  type Upload,
  uploadPeople,
  uploads,
} from "./table.ts";
import { isInQuickReply, removeUploadRef, touchUpload } from "./upload-statements.ts";

/** The topic that notifies the code that removes files. */
export const UNUSED_MEDIA = "unused_media";

export function releaseFile(tx: Tx, fileId: number): void {
  removeFileRef(tx).run({ id: fileId });
  tx.notify(UNUSED_MEDIA);
}

/** SQL: how many files of a workspace retention would delete. Parameters: workspace; received before; the highest count. */
export const expirableMediaSql = `SELECT count(*) AS count FROM (SELECT 1 FROM media
  WHERE workspace_id = ? AND state = 'stored' AND created_at < ? LIMIT ?)`;

/**
 * Ends up to `limit` stored media received before `before`; returns how many. `workspaceId`: of one workspace, which keeps them
 * for a shorter time.
 */
export function expireMedia(tx: Tx, before: number, limit: number, workspaceId: number | null = null): number {
  const due = tx.db
    .select()
    .from(media)
    .where(
      and(
        // As text: an index of some rows serves no bound value.
        sql`${media.state} = 'stored'`,
        lt(media.createdAt, before),
        workspaceId === null ? undefined : eq(media.workspaceId, workspaceId),
      ),
    )
    .orderBy(asc(media.createdAt))
    .limit(limit)
    .all();
  for (const { id, fileId } of due) {
    tx.db
      .update(media)
      .set({ state: "expired", fileId: null })
      .where(and(eq(media.id, id), inArray(media.state, sourcesOf("expired"))))
      .run();
    if (fileId !== null) releaseFile(tx, fileId);
  }
  return due.length;
}

/** Ends these inbounds' media and removes the files. Returns the media as they were; the caller empties their rows. */
export function eraseMedia(tx: Tx, inboundIds: readonly number[]): Media[] {
  const found = tx.db
    .select()
    .from(media)
    .where(and(inArray(media.inboundId, [...inboundIds]), inArray(media.state, sourcesOf("erased"))))
    .all();
  for (const { id, fileId } of found) {
    tx.db
      .update(media)
      .set({ state: "erased", fileId: null, waitingSince: null })
      .where(and(eq(media.id, id), inArray(media.state, sourcesOf("erased"))))
      .run();
    if (fileId !== null) releaseFile(tx, fileId);
  }
  return found;
}

export function removeUpload(tx: Tx, { id, fileId }: Pick<Upload, "id" | "fileId">): void {
  deleteRows(tx, networkUploads, { uploadId: id });
  deleteRows(tx, uploadPeople, { uploadId: id });
  deleteRows(tx, uploads, { id });
  removeUploadRef(tx).run({ id: fileId });
  tx.notify(UNUSED_MEDIA);
}

/** Whether a quick reply has the upload, which is then kept. */
export function isKeptByReply(tx: Tx, uploadId: number): boolean {
  return isInQuickReply(tx).get({ uploadId }) !== undefined;
}

/** Rows of people to whom uploads were sent, any number for each, that one transaction deletes. */
const PEOPLE_AT_ONCE = 500;

/**
 * Removes up to `limit` uploads that were last used before `before`. Those of quick replies begin another life instead.
 * Returns how many were due, or `limit` if one is not removed yet because it was sent to very many people.
 */
export function expireUploads(tx: Tx, before: number, limit: number): number {
  const due = tx.db
    .select()
    .from(uploads)
    .where(and(sql`${uploads.state} = 'stored'`, lt(uploads.usedAt, before)))
    .orderBy(asc(uploads.usedAt))
    .limit(limit)
    .all();
  let left = PEOPLE_AT_ONCE;
  for (const upload of due) {
    if (isKeptByReply(tx, upload.id)) {
      touchUpload(tx).run({ id: upload.id, usedAt: tx.now });
      continue;
    }
    left -= removePeople(tx, upload.id, left);
    if (left === 0) return limit;
    removeUpload(tx, upload);
  }
  return due.length;
}

/** Returns how many. */
function removePeople(tx: Tx, uploadId: number, limit: number): number {
  return tx.db.run(sql`DELETE FROM upload_people WHERE upload_id = ${uploadId} AND contact_id IN
    (SELECT contact_id FROM upload_people WHERE upload_id = ${uploadId} LIMIT ${limit})`).changes;
}

/**
 * Removes up to `limit` files that no medium or upload has, with their rows. `remove` deletes a file from disk, if it is there.
 * Inside the transaction, so that nothing can claim the file between the two. Returns how many.
 */
export function removeUnused(tx: Tx, remove: (file: MediaFile) => void, limit: number): number {
  const unused = tx.db.select().from(mediaFiles).where(eq(mediaFiles.refs, 0)).limit(limit).all();
  for (const file of unused) {
    remove(file);
    deleteRows(tx, mediaFiles, { id: file.id });
  }
  return unused.length;
}
