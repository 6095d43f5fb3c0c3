/** A file: a picture, a video, a sound, a document or a sticker. Pure. */
import { type Static, Type } from "@sinclair/typebox";
import type { FieldProblems } from "#src/core/fault.ts";
import { inDocument, NOT_BLANK, OneOf } from "#src/core/schema.ts";
import type { NamedUpload } from "../../media/send-upload.ts";
import { checkLink, checkSource, extensionOf, FileSource, fileNameOf, Link } from "../link.ts";
import { checkAllShown } from "./check.ts";
import type { RequestedKind } from "./kind.ts";
import { limits } from "./limits.ts";

const FILENAME_LENGTH_MAX = 240;

const VOICE_TYPE = "audio/ogg";
const voiceOf = ({ voice }: { voice?: boolean }) => (voice === true ? { voice: true } : {});

/** The kinds of files, and the extensions by which a link tells them apart. */
const EXTENSIONS = {
  image: ["jpg", "jpeg", "png"],
  video: ["mp4", "3gp", "3gpp"],
  audio: ["aac", "amr", "mp3", "m4a", "ogg", "opus"],
  document: ["pdf", "txt", "csv", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf", "zip"],
  sticker: ["webp"],
} as const;
type FileType = keyof typeof EXTENSIONS;
export const fileTypes = Object.keys(EXTENSIONS) as FileType[];

const captioned: readonly FileType[] = ["image", "video", "document"];

const Caption = inDocument(
  Type.String({
    minLength: 1,
    maxLength: limits.caption,
    description: "The text below an image, a video or a document.",
    examples: ["Your table by the window"],
  }),
  NOT_BLANK,
);
const Filename = inDocument(
  Type.String({
    minLength: 1,
    maxLength: FILENAME_LENGTH_MAX,
    description:
      "For documents only: the file name that the recipient sees. Default: the last part of the link, or the name that came with the upload.",
    examples: ["Menu.pdf"],
  }),
  NOT_BLANK,
);
const Voice = (description: string) => Type.Optional(Type.Boolean({ description, examples: [true] }));
const Kind = (description: string) => OneOf(fileTypes, description);

const File = FileSource(
  { $id: "SentMedia", description: "A file: by a link, which is not stored, or by the id of an upload." },
  Link(
    "A public HTTPS URL, which the network fetches when the message is sent. Image: JPG or PNG up to 5 MB. Video: MP4 or 3GP up to 16 MB. Audio: AAC, AMR, MP3, M4A or Ogg Opus up to 16 MB. Document: up to 100 MB. Sticker: WebP up to 100 kB, animated up to 500 kB.",
    "https://files.example.com/table.jpg",
  ),
  {
    type: Type.Optional(
      Kind(
        "What the file is. Required with a link whose end does not show it: `.jpg`, `.mp4`, `.mp3`, `.pdf`, `.webp` do.",
      ),
    ),
    caption: Type.Optional(Caption),
    filename: Type.Optional(Filename),
    voice: Voice(
      "For audio alone: whether phones show it as a voice message. It has to be Ogg with Opus then. Default: false.",
    ),
  },
);

export const KeptMedia = Type.Object(
  {
    media: Type.Object({
      type: Kind("What the file is."),
      id: Type.Optional(
        Type.Integer({ description: "The id of the upload; absent for a link.", examples: [1_000_000_042] }),
      ),
      caption: Type.Optional(Caption),
      filename: Type.Optional(Filename),
      voice: Voice("True for audio that was sent as a voice message."),
    }),
  },
  { $id: "MediaContent", description: "The file that was sent, without its link." },
);

export interface MediaContent {
  type: "media";
  /** `link`: null with an `id`. `isTypeOpen`: the stored file will say what the upload is. */
  media: Static<typeof KeptMedia>["media"] & { link: string | null; isTypeOpen?: true };
}

export const media = {
  typeOf: ({ media }) => media.type,
  textOf: ({ media }) => media.caption ?? "",
  keptOf: ({ media: { link: _, ...kept } }) => ({ media: kept }),
  wordsOf: ({ media }) =>
    captioned.includes(media.type)
      ? {
          field: "media.caption",
          text: media.caption ?? "",
          max: limits.caption,
          replaced: (caption) => ({ type: "media", media: { ...media, caption } }),
        }
      : null,
  form: {
    $id: "SendMedia",
    description:
      "Sends an image, a video, audio, a document or a sticker, within 24 hours of the recipient's last message.",
    members: { media: File },
  },
  read(body, fields) {
    const { media } = body as { media: Static<typeof File> };
    const { link = null, id, caption, filename } = media;
    checkAllShown(fields, { caption, filename }, "media");
    checkSource(fields, media);
    if (link !== null) checkLink(fields, "media.link", link);
    const isReadable = link !== null && fields["media.link"] === undefined;
    const type = isReadable ? (media.type ?? typeByLink(link, fields)) : (media.type ?? "document");
    // What an upload is, the stored file says.
    if (id === undefined) checkTexts(fields, type, media);
    if (isReadable) checkVoice(fields, media, type, isVoiceLink(link));
    const name = type === "document" && isReadable ? (filename ?? fileNameOf(link)) : filename;
    return {
      type: "media",
      media: {
        type,
        link,
        ...(id === undefined ? {} : { id }),
        ...(id === undefined || media.type !== undefined ? {} : { isTypeOpen: true }),
        ...(caption === undefined ? {} : { caption }),
        ...(name === undefined ? {} : { filename: name }),
        ...voiceOf(media),
      },
    };
  },
} as const satisfies RequestedKind<MediaContent, Static<typeof KeptMedia>>;

const NAMES: Readonly<Record<FileType, string>> = {
  image: "an image",
  video: "a video",
  audio: "audio",
  document: "a document",
  sticker: "a sticker",
};

/** The content with what the upload is. */
export function withUpload(
  { media }: MediaContent,
  { kind, filename: stored, mimeType }: Pick<NamedUpload, "kind" | "filename"> & { mimeType: string },
  fields: FieldProblems,
): MediaContent {
  const { filename, isTypeOpen, ...rest } = media;
  if (isTypeOpen !== true && media.type !== kind) {
    const sentence = `The upload is ${NAMES[kind]}, not ${NAMES[media.type]}. Omit the type, or upload another file.`;
    fields["media.type"] = [{ rule: "conflict", sentence }];
  }
  checkTexts(fields, kind, media);
  checkVoice(fields, media, kind, mimeType === VOICE_TYPE);
  const name = kind === "document" ? (filename ?? stored) : null;
  return { type: "media", media: { ...rest, type: kind, ...(name === null ? {} : { filename: name }) } };
}

function checkTexts(
  fields: FieldProblems,
  type: FileType,
  { caption, filename }: Pick<Static<typeof File>, "caption" | "filename">,
): void {
  if (caption !== undefined && !captioned.includes(type)) {
    const sentence = `Only images, videos and documents have a caption; this is ${NAMES[type]}. Send a text of its own.`;
    fields["media.caption"] = [{ rule: "conflict", sentence }];
  }
  if (filename !== undefined && type !== "document") {
    const sentence = `Only a document has a file name; this is ${NAMES[type]}.`;
    fields["media.filename"] = [{ rule: "conflict", sentence }];
  }
}

/** `isOgg`: as far as it is known. */
function checkVoice(fields: FieldProblems, { voice }: { voice?: boolean }, type: FileType, isOgg: boolean): void {
  if (voice !== true || (type === "audio" && isOgg)) return;
  const sentence = `A voice message is Ogg with Opus; this is ${type === "audio" ? "other audio" : NAMES[type]}. Omit voice.`;
  fields["media.voice"] = [{ rule: "conflict", sentence }];
}

/** Where the end of the link says nothing, WhatsApp says it. */
function isVoiceLink(link: string): boolean {
  const extension = extensionOf(link);
  return extension === "ogg" || extension === "opus" || !EXTENSIONS.audio.some((known) => known === extension);
}

/** Adds a problem if the link does not show what the file is. */
function typeByLink(link: string, fields: FieldProblems): FileType {
  const extension = extensionOf(link);
  const type = fileTypes.find((one) => (EXTENSIONS[one] as readonly (string | null)[]).includes(extension));
  if (type !== undefined) return type;
  const sentence = `The end of the link does not show what the file is: say ${fileTypes.join(", ")}.`;
  fields["media.type"] = [{ rule: "required", sentence }];
  return "document";
}
