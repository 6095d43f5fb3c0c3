/** Uploads of sample files to the network: which file each number needs, and the network's id of an upload. */
import { and, eq, isNotNull } from "drizzle-orm";
import { deleteRows, listRows, updateRows, upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { NETWORK_UPLOAD_LIFE_MS } from "../media/upload.ts";
import { findByPhoneNumberId } from "../numbers/read.ts";
import { sampleUpload } from "./statements.ts";
import type { AccountKey } from "./sync.ts";
import { type SampleUpload, sampleUploads, templates } from "./table.ts";
import type { MediaKind } from "./template.ts";
import { shapeOf } from "./view.ts";

/** Upload the file again this long before it expires. */
const RENEW_BEFORE_MS = 5 * 24 * 60 * 60_000;
const AFTER_FAILURE_MS = 60 * 60_000;

export interface Sample {
  link: string;
  kind: MediaKind;
}

/** The samples of an account's templates, each link once. */
export function listSamples(tx: ReadTx, { workspaceId, accountId }: AccountKey): Sample[] {
  const rows = tx.db
    .select()
    .from(templates)
    .where(
      and(eq(templates.workspaceId, workspaceId), eq(templates.accountId, accountId), isNotNull(templates.sampleLink)),
    )
    .all();
  const samples = new Map<string, Sample>();
  for (const row of rows) {
    const kind = shapeOf(row).header?.type;
    if (row.sampleLink !== null && (kind === "image" || kind === "video" || kind === "document")) {
      samples.set(row.sampleLink, { link: row.sampleLink, kind });
    }
  }
  return [...samples.values()];
}

export function isUploadDue(tx: ReadTx, numberId: number, link: string): boolean {
  const upload = sampleUpload(tx).get({ numberId, link });
  if (upload === undefined) return true;
  if (upload.error !== null && tx.now < upload.attemptedAt + AFTER_FAILURE_MS) return false;
  return upload.mediaId === null || upload.error !== null || tx.now > upload.expiresAt - RENEW_BEFORE_MS;
}

/** The network's id of an uploaded sample while it is valid; null: send the link itself. */
export function findMediaId(tx: ReadTx, phoneNumberId: string, link: string): string | null {
  const number = findByPhoneNumberId(tx, phoneNumberId);
  const upload = number === undefined ? undefined : sampleUpload(tx).get({ numberId: number.id, link });
  return upload !== undefined && upload.expiresAt > tx.now ? upload.mediaId : null;
}

/** The id may be invalid: send the link from now on, and let the next account sync upload the file again. */
export function invalidateUpload(tx: Tx, phoneNumberId: string, link: string): void {
  const number = findByPhoneNumberId(tx, phoneNumberId);
  if (number === undefined) return;
  updateRows(tx, sampleUploads, { numberId: number.id, link }, { mediaId: null });
}

export function recordUpload(tx: Tx, numberId: number, link: string, mediaId: string): void {
  saveUpload(tx, {
    numberId,
    link,
    mediaId,
    expiresAt: tx.now + NETWORK_UPLOAD_LIFE_MS,
    error: null,
    attemptedAt: tx.now,
  });
}

/** An earlier id stays valid until it expires. */
export function recordUploadFailure(tx: Tx, numberId: number, link: string, error: string): void {
  const previous = sampleUpload(tx).get({ numberId, link });
  const { mediaId = null, expiresAt = 0 } = previous ?? {};
  saveUpload(tx, { numberId, link, mediaId, expiresAt, error, attemptedAt: tx.now });
}

/** Deletes a number's uploads of links that no template uses any more. */
export function deleteUnusedUploads(tx: Tx, numberId: number, samples: readonly Sample[]): void {
  const links = new Set(samples.map(({ link }) => link));
  for (const { link } of listUploads(tx, numberId)) {
    if (!links.has(link)) {
      deleteRows(tx, sampleUploads, { numberId, link });
    }
  }
}

function listUploads(tx: ReadTx, numberId: number): SampleUpload[] {
  return listRows(tx, sampleUploads, { numberId });
}

function saveUpload(tx: Tx, upload: SampleUpload): void {
  upsertRow(tx, sampleUploads, ["numberId", "link"], upload);
}
