/**
 * Records an upload. The database names its file before the disk does (`claimUpload`), so that every named file is known
 * to it; the upload exists for callers only once the file has its name (`recordUploaded`). A crash between the two leaves
 * a pending row, which the next start removes together with the file.
 */
import { asc, eq } from "drizzle-orm";
import { startOfDay } from "#src/core/instant.ts";
import { Problem } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import { removeUpload } from "./release.ts";
import { type MediaFile, type Upload, uploads } from "./table.ts";
import { DAILY_BYTES_MAX, inWords } from "./upload.ts";
import { addUploaded, addUploadRef, insertUpload, setUploadStored, uploadedOn } from "./upload-statements.ts";

/** More than the longest day of any timezone. */
const LONGEST_DAY_MS = 36 * 60 * 60_000;

export interface StoredUpload {
  upload: Upload;
  file: MediaFile;
}

/** How many bytes the key may still upload today. */
export function remainingToday(tx: ReadTx, keyId: number, { timezone }: Pick<Workspace, "timezone">): number {
  const used = uploadedOn(tx).get({ keyId, beganAt: startOfDay(tx.now, timezone) })?.bytes ?? 0;
  return Math.max(0, DAILY_BYTES_MAX - used);
}

export function dayIsOver(tx: ReadTx, { timezone }: Pick<Workspace, "timezone">): Problem {
  const tomorrow = startOfDay(startOfDay(tx.now, timezone) + LONGEST_DAY_MS, timezone);
  return new Problem("rate_limited", `This API key may upload ${inWords(DAILY_BYTES_MAX)} a day.`, {
    retryAfterMs: tomorrow - tx.now,
  });
}

/** Counts the bytes of the key's day. Throws `rate_limited` if they are too many. */
export function claimUpload(
  tx: Tx,
  workspace: Workspace,
  keyId: number,
  given: Pick<MediaFile, "hash" | "bytes"> & Pick<Upload, "mimeType" | "filename">,
): StoredUpload {
  const { hash, bytes, mimeType, filename } = given;
  if (bytes > remainingToday(tx, keyId, workspace)) throw dayIsOver(tx, workspace);
  addUploaded(tx).run({ keyId, beganAt: startOfDay(tx.now, workspace.timezone), bytes });
  const owned = { workspaceId: workspace.id, createdAt: tx.now };
  const file = addUploadRef(tx).only({ ...owned, hash, bytes, contentType: mimeType });
  const upload = insertUpload(tx).only({ ...owned, fileId: file.id, mimeType, filename, usedAt: tx.now });
  return { upload, file };
}

/** The claimed file has its name. */
export function recordUploaded(tx: Tx, id: number): Upload {
  return setUploadStored(tx).only({ id });
}

/** At the start: no upload is under way. Returns how many it removed, at most `limit`. */
export function removeUnfinishedUploads(tx: Tx, limit: number): number {
  const left = tx.db
    .select()
    .from(uploads)
    .where(eq(uploads.state, "pending"))
    .orderBy(asc(uploads.id))
    .limit(limit)
    .all();
  for (const upload of left) removeUpload(tx, upload);
  return left.length;
}
