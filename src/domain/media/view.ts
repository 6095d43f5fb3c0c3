/** The public JSON of a medium. */
import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { MediaView, StatedMedia } from "./schema.ts";
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
