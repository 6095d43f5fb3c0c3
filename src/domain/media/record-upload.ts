/**
 * Records an upload. The database names its file before the disk does (`claimUpload`), so that every named file is known
 * to it; the upload exists for callers only once the file has its name (`recordUploaded`). A crash between the two leaves
 * a pending row, which the next start removes together with the file.
 */
import { asc } from "drizzle-orm";
import { startOfDay } from "#src/core/instant.ts";
import { Problem } from "#src/core/problem.ts";
import { listSome } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { Workspace } from "../workspaces/table.ts";
import { removeUpload } from "./release.ts";
import { type MediaFile, type Upload, uploads } from "./table.ts";
import { DAILY_BYTES_MAX, inWords } from "./upload.ts";
import {
  addUploaded,
  addUploadedByUser,
  addUploadRef,
  insertUpload,
  setUploadStored,
  uploadedByUser,
  uploadedOn,
} from "./upload-statements.ts";

/** More than the longest day of any timezone. */
const LONGEST_DAY_MS = 36 * 60 * 60_000;

export interface StoredUpload {
  upload: Upload;
  file: MediaFile;
}

/** Whose day an upload counts in: an API key's, or that of a user of the console. */
export type Uploader = { keyId: number } | { userId: number };

/** How many bytes may still be uploaded today. */
export function remainingToday(tx: ReadTx, by: Uploader, { id, timezone }: UploadWorkspace): number {
  const beganAt = startOfDay(tx.now, timezone);
  const used =
    "keyId" in by
      ? uploadedOn(tx).get({ keyId: by.keyId, beganAt })
      : uploadedByUser(tx).get({ userId: by.userId, workspaceId: id, beganAt });
  return Math.max(0, DAILY_BYTES_MAX - (used?.bytes ?? 0));
}

type UploadWorkspace = Pick<Workspace, "id" | "timezone">;

export function dayIsOver(tx: ReadTx, by: Uploader, { timezone }: UploadWorkspace): Problem {
  const tomorrow = startOfDay(startOfDay(tx.now, timezone) + LONGEST_DAY_MS, timezone);
  const who = "keyId" in by ? "This API key" : "You";
  return new Problem("rate_limited", `${who} may upload ${inWords(DAILY_BYTES_MAX)} a day.`, {
    retryAfterMs: tomorrow - tx.now,
  });
}

/** Counts the bytes of the day. Throws `rate_limited` if they are too many. */
export function claimUpload(
  tx: Tx,
  workspace: Workspace,
  by: Uploader,
  given: Pick<MediaFile, "hash" | "bytes"> & Pick<Upload, "mimeType" | "filename">,
): StoredUpload {
  const { hash, bytes, mimeType, filename } = given;
  if (bytes > remainingToday(tx, by, workspace)) throw dayIsOver(tx, by, workspace);
  const beganAt = startOfDay(tx.now, workspace.timezone);
  if ("keyId" in by) addUploaded(tx).run({ keyId: by.keyId, beganAt, bytes });
  else addUploadedByUser(tx).run({ userId: by.userId, workspaceId: workspace.id, beganAt, bytes });
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
  const left = listSome(tx, uploads, { state: "pending" }, limit, asc(uploads.id));
  for (const upload of left) removeUpload(tx, upload);
  return left.length;
}
