/**
 * What an upload is, by its bytes. A claim counts only where several types look the same: old Office files, and sound
 * alone in an MP4.
 */
import type { Recognized } from "#src/domain/media/upload.ts";
import { readContentType } from "./content-type.ts";

const OFFICE = "application/vnd.openxmlformats-officedocument";
/** By a name that the archive's list of entries has. */
const OFFICE_ENTRIES: Readonly<Record<string, string>> = {
  "word/document.xml": `${OFFICE}.wordprocessingml.document`,
  "xl/workbook.xml": `${OFFICE}.spreadsheetml.sheet`,
  "ppt/presentation.xml": `${OFFICE}.presentationml.presentation`,
};
/** An OpenDocument file begins with this entry, which says its type. */
const OPEN_DOCUMENT = /^mimetype(application\/vnd\.oasis\.opendocument\.[a-z-]{1,30})/;
const ENTRY_NAME_AT = 30;
const OLD_OFFICE: Readonly<Record<string, string>> = {
  doc: "application/msword",
  xls: "application/vnd.ms-excel",
  ppt: "application/vnd.ms-powerpoint",
};
/** Where an Ogg file names its codec: behind the header of its first page. */
const OGG_CODEC_AT = 28;
const OPUS = "OpusHead";
/** An extended WebP has its flags behind the name of its first part. */
const WEBP_EXTENDED = "VP8X";
const WEBP_FIRST_PART_AT = 12;
const WEBP_FLAGS_AT = 20;
const WEBP_ANIMATION = 0x02;

interface Claimed {
  /** Of the form's part. */
  contentType: string | null;
  filename: string | null;
}

/** `head` and `end`: the first and the last bytes. */
export function recognize(head: Buffer, end: Buffer, { contentType, filename }: Claimed): Recognized {
  const extension = /\.([a-z]{3})$/.exec(filename?.toLowerCase() ?? "")?.[1] ?? "";
  const found = readContentType(head, contentType);
  const plain = (mimeType: string): Recognized => ({ mimeType, isAnimated: false });
  if (found.startsWith("text/")) return plain("text/plain");
  switch (readContentType(head, null)) {
    case "application/zip":
      return plain(archiveType(head, end));
    case "application/x-cfb":
      return plain(found === "application/x-cfb" ? (OLD_OFFICE[extension] ?? found) : found);
    case "audio/ogg":
      return plain(textAt(head, OGG_CODEC_AT, OPUS.length) === OPUS ? found : "audio/ogg without Opus");
    case "image/webp": {
      const isExtended = textAt(head, WEBP_FIRST_PART_AT, WEBP_EXTENDED.length) === WEBP_EXTENDED;
      return { mimeType: found, isAnimated: isExtended && ((head[WEBP_FLAGS_AT] ?? 0) & WEBP_ANIMATION) !== 0 };
    }
    default:
      return plain(found);
  }
}

/** Whether the type depends on the end of the file. */
export function isArchive(head: Buffer): boolean {
  return readContentType(head, null) === "application/zip";
}

function archiveType(head: Buffer, end: Buffer): string {
  const openDocument = OPEN_DOCUMENT.exec(textAt(head, ENTRY_NAME_AT, 100))?.[1];
  if (openDocument !== undefined) return openDocument;
  const names = end.toString("latin1");
  return Object.entries(OFFICE_ENTRIES).find(([name]) => names.includes(name))?.[1] ?? "application/zip";
}

function textAt(bytes: Buffer, at: number, length: number): string {
  return bytes.subarray(at, at + length).toString("latin1");
}
