/**
 * What WhatsApp takes as an upload, and how long an upload is kept where. Limits are those of Meta's page "Media" of the
 * Cloud API. Pure.
 */
const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** How a message carries the file. */
export type UploadKind = "image" | "video" | "audio" | "document" | "sticker";

interface KindRow {
  maxBytes: number;
  /** In words, after "Images are". */
  says: string;
  /** By type, what people call it. */
  types: Readonly<Record<string, string>>;
}

const OFFICE = "application/vnd.openxmlformats-officedocument";
const OPEN_DOCUMENT = "application/vnd.oasis.opendocument";

const kinds: Readonly<Record<UploadKind, KindRow>> = {
  image: {
    maxBytes: 5 * MIB,
    says: "images are JPEG or PNG",
    types: { "image/jpeg": "a JPEG image", "image/png": "a PNG image" },
  },
  video: {
    maxBytes: 16 * MIB,
    says: "videos are MP4 or 3GP",
    types: { "video/mp4": "an MP4 video", "video/3gpp": "a 3GP video" },
  },
  audio: {
    maxBytes: 16 * MIB,
    says: "audio is AAC, AMR, MP3, M4A or Ogg with Opus",
    types: {
      "audio/aac": "an AAC file",
      "audio/amr": "an AMR file",
      "audio/mpeg": "an MP3 file",
      "audio/mp4": "an M4A file",
      "audio/ogg": "an Ogg file",
    },
  },
  document: {
    maxBytes: 100 * MIB,
    says: "documents are PDF, text, Word, Excel, PowerPoint, OpenDocument, RTF or ZIP",
    types: {
      "application/pdf": "a PDF",
      "text/plain": "a text file",
      "application/msword": "a Word file",
      "application/vnd.ms-excel": "an Excel file",
      "application/vnd.ms-powerpoint": "a PowerPoint file",
      [`${OFFICE}.wordprocessingml.document`]: "a Word file",
      [`${OFFICE}.spreadsheetml.sheet`]: "an Excel file",
      [`${OFFICE}.presentationml.presentation`]: "a PowerPoint file",
      [`${OPEN_DOCUMENT}.text`]: "an OpenDocument file",
      [`${OPEN_DOCUMENT}.spreadsheet`]: "an OpenDocument file",
      [`${OPEN_DOCUMENT}.presentation`]: "an OpenDocument file",
      "application/rtf": "an RTF file",
      "application/zip": "a ZIP archive",
    },
  },
  sticker: {
    maxBytes: 500 * KIB,
    says: "stickers are WebP",
    types: { "image/webp": "a WebP sticker" },
  },
};

const STILL_STICKER_MAX = 100 * KIB;
/** Larger than this is nothing that WhatsApp takes. */
export const UPLOAD_BYTES_MAX = Math.max(...Object.values(kinds).map(({ maxBytes }) => maxBytes));

const kindNames = Object.keys(kinds) as UploadKind[];

/** Null: WhatsApp takes no file of this type. */
export function uploadKindOf(mimeType: string): UploadKind | null {
  return kindNames.find((name) => Object.hasOwn(kinds[name].types, mimeType)) ?? null;
}

/** What the bytes of a file show. */
export interface Recognized {
  mimeType: string;
  /** Of a WebP. */
  isAnimated: boolean;
}

/** The largest size of a file of this type, at most `ofServer`; null: WhatsApp takes no file of this type. */
export function uploadBytesMax({ mimeType, isAnimated }: Recognized, ofServer: number): number | null {
  const kind = uploadKindOf(mimeType);
  if (kind === null) return null;
  const ofKind = kind === "sticker" && !isAnimated ? STILL_STICKER_MAX : kinds[kind].maxBytes;
  return Math.min(ofKind, ofServer);
}

/** As `core/fault.ts` has them; the browser shares this file, which therefore imports nothing. */
interface UploadFault {
  rule: "format" | "too_long";
  sentence: string;
  limit?: number;
}

/** In words: all that WhatsApp takes. */
export const takenTypes = kindNames.map((name) => kinds[name].says).join("; ");

export function wrongType({ mimeType }: Recognized): UploadFault {
  const found = mimeType === "application/octet-stream" ? "a file of an unknown type" : `a file of type ${mimeType}`;
  return { rule: "format", sentence: `By its bytes this is ${found}, which WhatsApp does not take: ${takenTypes}.` };
}

export function tooLarge(recognized: Recognized, limit: number): UploadFault {
  const { mimeType, isAnimated } = recognized;
  const kind = uploadKindOf(mimeType);
  const name = kind === null ? "A file" : capitalized(kinds[kind].types[mimeType] ?? "a file");
  const which = kind === "sticker" ? ` that is ${isAnimated ? "animated" : "not animated"}` : "";
  return { rule: "too_long", sentence: `${name}${which} may have at most ${inWords(limit)}.`, limit };
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** `2 GB`, `5 MB`, `100 kB`, `1,234 bytes`. */
export function inWords(bytes: number): string {
  if (bytes >= GIB && bytes % GIB === 0) return `${(bytes / GIB).toLocaleString("en")} GB`;
  if (bytes >= MIB && bytes % MIB === 0) return `${(bytes / MIB).toLocaleString("en")} MB`;
  if (bytes >= KIB && bytes % KIB === 0) return `${(bytes / KIB).toLocaleString("en")} kB`;
  return `${bytes.toLocaleString("en")} bytes`;
}

const DAY_MS = 24 * 60 * 60_000;

/** Uploads of a workspace at one time. */
export const AT_ONCE_MAX = 4;
/** Bytes that a key may upload on one day of its workspace. */
export const DAILY_BYTES_MAX = 2 * GIB;

/** How much of the quota a workspace's uploads may take: half of its share, which is the same for every workspace. */
export function uploadRoom(quotaBytes: number, workspaceCount: number): number {
  return Math.floor(quotaBytes / Math.max(1, workspaceCount) / 2);
}

/**
 * How long an id of the network is used. Meta keeps an uploaded file for 30 days; one day less ensures that no message
 * carries an id that has just expired.
 */
export const NETWORK_UPLOAD_LIFE_MS = 29 * DAY_MS;
/** A message that is sent so long before the end of the id's life uploads the file again. */
export const RENEW_BEFORE_MS = 2 * DAY_MS;
