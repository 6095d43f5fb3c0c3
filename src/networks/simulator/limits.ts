/**
 * What Meta takes in `POST /messages`: the members of each type of message, and the limit of each. The simulator evaluates
 * by this table alone, which shares nothing with what the API checks, so that a mistake in either is found. `from` names
 * the page of Meta's documentation, below `whatsapp/` ("OpenAPI": Meta's own description, version 23). Lengths are in
 * code points.
 */
export type Shape =
  /** `isBlank`: spaces and invisible characters are taken. */
  | { is: "text"; max: number; code: string; isBlank: boolean; from: string }
  | { is: "flag" }
  | { is: "word"; words: readonly string[]; from: string }
  /** A number, or a text that is one. */
  | { is: "degrees"; max: number; from: string }
  | { is: "link"; file: FileKind | null; from: string }
  | { is: "object"; members: Readonly<Record<string, Member>>; from: string; oneOf?: readonly string[] };

interface Member {
  shape: Shape;
  isOptional: boolean;
}

/** Meta's codes: an unknown or wrong parameter, a missing one, one with a wrong value. */
export const PARAMETER_UNKNOWN = "100";
export const PARAMETER_MISSING = "131008";
export const PARAMETER_INVALID = "131009";

export type FileKind = "image" | "video" | "audio" | "document" | "sticker";

/** The extensions of the types that each kind of file takes, and those of types that none does. */
export const FITTING: Readonly<Record<FileKind, readonly string[]>> = {
  image: ["jpg", "jpeg", "png"],
  video: ["mp4", "3gp", "3gpp"],
  audio: ["aac", "amr", "mp3", "m4a", "ogg", "opus"],
  document: ["pdf", "txt", "csv", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf", "zip"],
  sticker: ["webp"],
};
export const UNFIT = [
  ...["gif", "svg", "bmp", "tif", "tiff", "heic", "heif", "avif"],
  ...["mov", "m4v", "webm", "mkv", "avi", "mpg", "mpeg", "flac", "wav"],
];

const needed = (shape: Shape): Member => ({ shape, isOptional: false });
const optional = (shape: Shape): Member => ({ shape, isOptional: true });

/** More than Meta takes anywhere, for texts without a limit of their own. */
const UNLIMITED = 32_768;

function words(max: number, from: string, code = PARAMETER_INVALID): Shape {
  return { is: "text", max, code, isBlank: false, from };
}

function object(from: string, members: Readonly<Record<string, Member>>, oneOf?: readonly string[]): Shape {
  return { is: "object", members, from, ...(oneOf === undefined ? {} : { oneOf }) };
}

function file(kind: FileKind, more: Readonly<Record<string, Member>> = {}): Shape {
  const from = `messages/${kind}-messages`;
  const members = { link: optional({ is: "link", file: kind, from }), id: optional(words(UNLIMITED, from)), ...more };
  return object(from, members, ["link", "id"]);
}

const caption = optional(words(1_024, "messages/image-messages"));

/** By the word in `type`, which is also the name of the member. */
export const shapes: Readonly<Record<string, Shape>> = {
  text: object("messages/text-messages", {
    body: needed(words(4_096, "messages/text-messages", PARAMETER_UNKNOWN)),
    preview_url: optional({ is: "flag" }),
  }),
  image: file("image", { caption }),
  video: file("video", { caption }),
  audio: file("audio"),
  document: file("document", { caption, filename: optional(words(UNLIMITED, "messages/document-messages")) }),
  sticker: file("sticker"),
  location: object("messages/location-messages", {
    latitude: needed({ is: "degrees", max: 90, from: "messages/location-messages" }),
    longitude: needed({ is: "degrees", max: 180, from: "messages/location-messages" }),
    name: optional(words(UNLIMITED, "messages/location-messages")),
    address: optional(words(UNLIMITED, "messages/location-messages")),
  }),
  interactive: object("messages/interactive-reply-buttons-messages", {
    type: needed({ is: "word", words: ["request_contact_info"], from: "business-scoped-user-ids" }),
    body: needed(object("OpenAPI", { text: needed(words(1_024, "OpenAPI", PARAMETER_UNKNOWN)) })),
    action: needed(
      object("business-scoped-user-ids", {
        name: needed({ is: "word", words: ["request_contact_info"], from: "business-scoped-user-ids" }),
      }),
    ),
  }),
};
