/**
 * Uploads in messages: which file an id means, that it was sent, and the network's id of it. A message is dispatched only
 * with an id of the network that lives.
 */
import { and, eq, inArray, notInArray } from "drizzle-orm";
import type { FieldProblems } from "#src/core/fault.ts";
import { Problem } from "#src/core/problem.ts";
import { findRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findNetworkUpload, findUpload } from "./read.ts";
import { isKeptByReply, removeUpload } from "./release.ts";
import { uploadPeople, uploads } from "./table.ts";
import { NETWORK_UPLOAD_LIFE_MS, type UploadKind, uploadKindOf } from "./upload.ts";
import { addUploadPerson, saveNetworkUpload, touchUpload, uploadById } from "./upload-statements.ts";

/** The file that a request names by its id. */
export interface NamedUpload {
  id: number;
  kind: UploadKind;
  filename: string | null;
}

interface FoundUpload {
  named: NamedUpload;
  mimeType: string;
}

/** Null without an id; and, with a problem at `path`, if the workspace has no such upload. */
export function findNamedUpload(
  tx: ReadTx,
  workspaceId: number,
  id: number | undefined,
  path: string,
  fields: FieldProblems,
): FoundUpload | null {
  if (id === undefined) return null;
  const found = findUpload(tx, workspaceId, id)?.upload;
  const kind = found === undefined ? null : uploadKindOf(found.mimeType);
  if (found !== undefined && kind !== null)
    return { named: { id, kind, filename: found.filename }, mimeType: found.mimeType };
  const sentence =
    "There is no such upload, or not any more: POST /media answers with the id, and expires_at says when it ends.";
  fields[path] = [{ rule: "not_found", sentence }];
  return null;
}

/** In the transaction that accepts the message. */
export function noteUploadSent(tx: Tx, id: number, contactId: number): void {
  touchUpload(tx).run({ id, usedAt: tx.now });
  addUploadPerson(tx).run({ uploadId: id, contactId });
}

/** A scheduled message sends the upload: it is kept as if it had been used then. */
export function keepUploadUntil(tx: Tx, id: number, sendAt: number): void {
  touchUpload(tx).run({ id, usedAt: Math.max(tx.now, sendAt) });
}

/** The network's ids of these uploads. Throws `unavailable`: one ended after it was looked for. */
export function requireNetworkUploads(tx: ReadTx, ids: readonly number[], numberId: number): Map<number, string> {
  return new Map(ids.map((id) => [id, requireNetworkUpload(tx, id, numberId)]));
}

function requireNetworkUpload(tx: ReadTx, id: number, numberId: number): string {
  const handed = findNetworkUpload(tx, id, numberId);
  if (handed !== undefined) return handed.networkMediaId;
  throw new Problem("unavailable", "The file is no longer with WhatsApp. Nothing was sent; try again.", {
    outcome: "not_sent",
  });
}

/** Does nothing if the upload was removed meanwhile. */
export function recordNetworkUpload(tx: Tx, uploadId: number, numberId: number, networkMediaId: string): void {
  if (uploadById(tx).get({ id: uploadId }) === undefined) return;
  saveNetworkUpload(tx).run({ uploadId, numberId, networkMediaId, expiresAt: tx.now + NETWORK_UPLOAD_LIFE_MS });
}

/**
 * Of up to `limit` uploads that were sent to these contacts: removes those that were sent to them alone. `removed`: how many; `kept`: the
 * ids of those that others got too, or that are of quick replies. None of them is these contacts' any more.
 */
export function eraseUploads(
  tx: Tx,
  contactIds: readonly number[],
  limit: number,
): { removed: number; kept: number[] } {
  const ids = [...contactIds];
  const isTheirs = inArray(uploadPeople.contactId, ids);
  const sent = tx.db
    .selectDistinct({ id: uploads.id, fileId: uploads.fileId, isShared: uploads.isShared })
    .from(uploadPeople)
    .innerJoin(uploads, eq(uploads.id, uploadPeople.uploadId))
    .where(isTheirs)
    .limit(limit)
    .all();
  const kept: number[] = [];
  for (const upload of sent) {
    const { id, isShared } = upload;
    const others = and(eq(uploadPeople.uploadId, id), notInArray(uploadPeople.contactId, ids));
    const isKept = isShared || isKeptByReply(tx, id) || findRow(tx, uploadPeople, others) !== undefined;
    if (!isKept) {
      removeUpload(tx, upload);
      continue;
    }
    kept.push(id);
    tx.db
      .delete(uploadPeople)
      .where(and(eq(uploadPeople.uploadId, id), isTheirs))
      .run();
  }
  return { removed: sent.length - kept.length, kept };
}
