/**
 * Records the outcome of fetching a medium. A file is recorded before it gets its name on disk (`claimFile`), so that
 * every named file is known to the database; the medium is `stored` only afterwards. What no longer finds the medium
 * `pending` changes nothing: its person was erased meanwhile.
 */
import { updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { finish, postpone } from "#src/jobs/outbox.ts";
import { getContact } from "../contacts/find.ts";
import { viewContact } from "../contacts/view.ts";
import { numberById } from "../numbers/statements.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { publish } from "../webhooks/publish.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { FailureReason } from "./media.ts";
import { releaseFile } from "./release.ts";
import type { StatedMedia } from "./schema.ts";
import {
  addFileRef,
  fileById,
  insertMedia,
  mediaById,
  senderOf,
  setEventSeq,
  setFailed,
  setFile,
  setStored,
} from "./statements.ts";
import { type Media, type MediaFile, media as mediaTable } from "./table.ts";
import { type MediaLink, viewMedia } from "./view.ts";

type FetchedFile = Pick<MediaFile, "hash" | "bytes" | "contentType">;

/** The file that the medium gets. Null: the medium is not pending any more. */
export function claimFile(tx: Tx, id: number, fetched: FetchedFile): MediaFile | null {
  const medium = mediaById(tx).get({ id });
  if (medium?.state !== "pending") return null;
  // Fetched again after a crash, and the network gave other bytes.
  if (medium.fileId !== null) {
    const known = fileById(tx).get({ id: medium.fileId });
    if (known?.hash === fetched.hash) return known;
    releaseFile(tx, medium.fileId);
  }
  const file = addFileRef(tx).only({ ...fetched, workspaceId: medium.workspaceId, createdAt: tx.now });
  setFile(tx).run({ id, fileId: file.id });
  return file;
}

/** The claimed file has its name. False: the medium is not pending any more. */
export function recordStored(tx: Tx, jobId: number, id: number, link: MediaLink): boolean {
  finish(tx, jobId);
  const medium = setStored(tx).get({ id });
  const file = medium?.fileId == null ? undefined : fileById(tx).get({ id: medium.fileId });
  if (medium === undefined) return false;
  if (file === undefined) throw new Error(`medium ${id} has no file`);
  const workspace = getWorkspace(tx, medium.workspaceId);
  tell(tx, medium, "media.stored", { media: viewMedia(medium, { file, link }, workspace) });
  return true;
}

export function recordFailed(tx: Tx, jobId: number, id: number, reason: FailureReason): void {
  finish(tx, jobId);
  const medium = setFailed(tx).get({ id, reason });
  if (medium === undefined) return;
  dropClaimed(tx, medium);
  tell(tx, medium, "media.failed", { reason });
}

/** Another attempt at `dueAt`. `isRoomMissing`: not a network failure. */
export function recordRetry(tx: Tx, jobId: number, medium: Media, dueAt: number, isRoomMissing: boolean): void {
  postpone(tx, jobId, dueAt);
  updateRows(
    tx,
    mediaTable,
    { id: medium.id },
    isRoomMissing
      ? { waitingSince: medium.waitingSince ?? tx.now }
      : { attemptCount: medium.attemptCount + 1, waitingSince: null },
  );
  tx.notify("fetch_media");
}

function dropClaimed(tx: Tx, { id, fileId }: Media): void {
  if (fileId === null) return;
  updateRows(tx, mediaTable, { id }, { fileId: null });
  releaseFile(tx, fileId);
}

/** Names the message and its sender, as `message.received` did. */
function tell(tx: Tx, medium: Media, type: "media.stored" | "media.failed", data: Record<string, unknown>): void {
  if (medium.isSilent) return;
  const { workspaceId, inboundId, numberId } = medium;
  const sender = senderOf(tx).get({ id: inboundId });
  const number = numberById(tx).get({ id: numberId });
  if (sender === undefined || number === undefined) throw new Error(`medium ${medium.id} has no message`);
  const workspace = getWorkspace(tx, workspaceId);
  const contact = getContact(tx, workspaceId, sender.contactId);
  const { seq } = publish(tx, workspace, type, {
    ...data,
    inbound_id: inboundId,
    message_id: inboundId,
    from: contact.phone,
    to: number.phone,
    contact: viewContact(tx, contact, workspace),
  });
  setEventSeq(tx).run({ id: medium.id, eventSeq: seq });
}

/** In the transaction that stores the message. `isSilent`: no event will tell of the file. */
export function requestMedia(
  tx: Tx,
  number: Pick<SendingNumber, "id" | "workspaceId">,
  inboundId: number,
  networkMediaId: string,
  stated: StatedMedia,
  isSilent: boolean,
): Media {
  const { workspaceId, id: numberId } = number;
  const { mime_type: mimeType, sha256, filename } = stated;
  const named = { workspaceId, numberId, inboundId, networkMediaId, mimeType, sha256, filename, isSilent };
  const medium = insertMedia(tx).only({ ...named, createdAt: tx.now });
  enqueue(tx, { kind: "fetch_media", subject: medium.id, queueKey: workspaceId, dueAt: tx.now });
  return medium;
}
