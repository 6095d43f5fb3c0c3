/** The public JSON of media and uploads. */
import type { Static } from "@sinclair/typebox";
import { type Duration, durationAfter } from "#src/core/duration.ts";
import { formatInstant } from "#src/core/instant.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { StoredUpload } from "./record-upload.ts";
import type { MediaView, StatedMedia, UploadView } from "./schema.ts";
import type { Media, MediaFile } from "./table.ts";

/** A link that needs no key. */
export interface MediaLink {
  url: string;
  expiresAt: number;
}

/** Of a message whose file the network did not name, or that is not in the table: there is nothing to fetch. */
export function viewStated(stated: StatedMedia): Static<typeof MediaView> {
  return { ...stated, id: null, bytes: null, url: null, expires_at: null, state: "failed" };
}

export function viewMedia(
  { id, mimeType, sha256, filename, state }: Media,
  stored: { file: Pick<MediaFile, "hash" | "bytes" | "contentType">; link: MediaLink | null } | null,
  { timezone }: Pick<Workspace, "timezone">,
): Static<typeof MediaView> {
  const { file, link } = stored ?? { file: null, link: null };
  return {
    id,
    mime_type: file?.contentType ?? mimeType,
    bytes: file?.bytes ?? null,
    sha256: file === null ? sha256 : Buffer.from(file.hash, "hex").toString("base64"),
    filename,
    url: link?.url ?? null,
    expires_at: link === null ? null : formatInstant(link.expiresAt, timezone),
    state,
  };
}

/** `keptFor`: after the last use; null: for ever. */
export function viewUpload(
  { upload, file }: StoredUpload,
  keptFor: Duration | null,
  { timezone }: Pick<Workspace, "timezone">,
): Static<typeof UploadView> {
  const { id, mimeType, filename, createdAt, usedAt } = upload;
  return {
    id,
    mime_type: mimeType,
    bytes: file.bytes,
    sha256: Buffer.from(file.hash, "hex").toString("base64"),
    filename,
    created_at: formatInstant(createdAt, timezone),
    expires_at: keptFor === null ? null : formatInstant(durationAfter(usedAt, keptFor), timezone),
  };
}
