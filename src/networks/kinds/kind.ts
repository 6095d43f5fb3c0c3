/** What a network knows about a kind of message. Pure. */
import type { Content } from "#src/domain/messages/content.ts";

export interface NetworkKind<Kind extends Content> {
  /** The part of Meta's request that is about this kind. */
  payload(content: Kind, known: NetworkIds): { type: string } & Readonly<Record<string, unknown>>;
  /** Whether the payload names the message that it is about, so that the request does not. Absent: the request does. */
  namesAbout?: true;
  /** The file that goes with the content, as a link. Absent: never one. */
  linkOf?(content: Kind): string | null;
  /** Whether a user id does not do. Absent: it does. */
  needsPhone?(content: Kind): boolean;
}

/** Meta's ids of what the content refers to. */
export interface NetworkIds {
  /** Of the uploads that the content sends, by their ids here. */
  uploads: ReadonlyMap<number, string>;
  /** Of the file behind the content's link if it was uploaded as a template's sample. */
  sampleId: string | null;
  /** Of the message that this one answers or reacts to. */
  about: string | null;
  /** The message goes out with a category. Absent: it does not. */
  isDirect?: boolean;
}

/** Exactly one of the two. */
export type MediaSource = { link: string } | { id: string };

/** An upload goes by Meta's id of it, which lasts; any other file by its link. `uploadId`: absent for a link. */
export function sourceOf(
  { link, uploadId }: { link: string | null; uploadId?: number | undefined },
  { uploads, sampleId }: Pick<NetworkIds, "uploads" | "sampleId">,
): MediaSource {
  const id = uploadId === undefined ? sampleId : uploads.get(uploadId);
  if (id != null) return { id };
  if (link === null) throw new Error("an upload is sent by Meta's id of it");
  return { link };
}
