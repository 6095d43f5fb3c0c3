/** A file: Meta's request has a member named like the type of the file. Pure. */
import type { MediaContent } from "#src/domain/messages/kinds/media.ts";
import { type NetworkKind, sourceOf } from "./kind.ts";

export const media: NetworkKind<MediaContent> = {
  payload: ({ media: { type, link, id: uploadId, isTypeOpen: _, ...more } }, known) => ({
    type,
    [type]: { ...sourceOf({ link, uploadId }, known), ...more },
  }),
  linkOf: ({ media: { link } }) => link,
};
