/** What a network knows about a kind of message. Pure. */
import type { Content } from "#src/domain/messages/content.ts";

export interface NetworkKind<Kind extends Content> {
  /** The part of Meta's request that is about this kind. `mediaId`: Meta's id of the file if it was uploaded. */
  payload(content: Kind, mediaId: string | null): { type: string } & Readonly<Record<string, unknown>>;
  /** The file that goes with the content, as a link. Absent: never one. */
  linkOf?(content: Kind): string | null;
  /** Whether a user id does not do. Absent: it does. */
  needsPhone?(content: Kind): boolean;
}

/** Exactly one of the two. */
export type MediaSource = { link: string } | { id: string };

/** An upload goes by Meta's id of it, which lasts; any other file by its link. */
export function sourceOf(link: string | null, mediaId: string | null): MediaSource {
  if (mediaId !== null) return { id: mediaId };
  if (link === null) throw new Error("an upload is sent by Meta's id of it");
  return { link };
}
