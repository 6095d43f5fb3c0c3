/** Queries for media and uploads. */
import { count } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { workspaces } from "../workspaces/table.ts";
import type { Usage } from "./media.ts";
import type { StoredUpload } from "./record-upload.ts";
import { fileById, mediaById, mediaOfInbound } from "./statements.ts";
import { type Media, type MediaFile, mediaUsage, type NetworkUpload } from "./table.ts";
import { networkUploadOf, uploadById } from "./upload-statements.ts";

export interface MediumWithFile {
  medium: Media;
  /** Null unless it is stored. */
  file: MediaFile | null;
}

/** Undefined for a medium of another workspace. */
export function findMedia(tx: ReadTx, workspaceId: number, id: number): MediumWithFile | undefined {
  const found = findMediaById(tx, id);
  return found?.medium.workspaceId === workspaceId ? found : undefined;
}

/** Of any workspace: for a caller that has proved in another way that they may see it. */
export function findMediaById(tx: ReadTx, id: number): MediumWithFile | undefined {
  const medium = mediaById(tx).get({ id });
  return medium === undefined ? undefined : withFile(tx, medium);
}

export function findMediaOfInbound(tx: ReadTx, inboundId: number): MediumWithFile | undefined {
  const medium = mediaOfInbound(tx).get({ inboundId });
  return medium === undefined ? undefined : withFile(tx, medium);
}

function withFile(tx: ReadTx, medium: Media): MediumWithFile {
  const { fileId, state } = medium;
  const isStored = state === "stored" && fileId !== null;
  return { medium, file: isStored ? (fileById(tx).get({ id: fileId }) ?? null) : null };
}

/** The bytes of the files of all workspaces, of one, and of its uploads. One row for each workspace is read. */
export function readUsage({ db }: ReadTx, workspaceId: number): Usage & { uploads: number } {
  const rows = db.select().from(mediaUsage).all();
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  const own = rows.find((row) => row.workspaceId === workspaceId);
  return {
    total,
    workspace: own?.bytes ?? 0,
    uploads: own?.uploadBytes ?? 0,
    workspaceCount: db.select({ total: count() }).from(workspaces).get()?.total ?? 0,
  };
}

/** Undefined for an upload of another workspace, and for one that is over. */
export function findUpload(tx: ReadTx, workspaceId: number, id: number): StoredUpload | undefined {
  const upload = uploadById(tx).get({ id });
  if (upload?.workspaceId !== workspaceId) return undefined;
  const file = fileById(tx).get({ id: upload.fileId });
  if (file === undefined) throw new Error(`upload ${id} has no file`);
  return { upload, file };
}

/** The network's id of the upload for this number, while the network keeps the file. */
export function findNetworkUpload(tx: ReadTx, uploadId: number, numberId: number): NetworkUpload | undefined {
  const handed = networkUploadOf(tx).get({ uploadId, numberId });
  return handed !== undefined && handed.expiresAt > tx.now ? handed : undefined;
}
