/** A file: Meta's request has a member named like the type of the file. Pure. */
import type { MediaContent } from "#src/domain/messages/kinds/media.ts";
import { type NetworkKind, sourceOf } from "./kind.ts";

export const media: NetworkKind<MediaContent> = {
  payload: ({ media: { type, link, id: _, isTypeOpen: __, ...more } }, { mediaId }) => ({
    type,
    [type]: { ...sourceOf(link, mediaId), ...more },
  }),
  linkOf: ({ media: { link } }) => link,
};
