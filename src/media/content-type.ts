/**
 * The type of a file, read from its first bytes, and how a browser may treat it. What the network or the sender claims
 * about the type counts only where the bytes agree. A type that a browser would run (HTML, SVG, XML) is never returned:
 * such a file is plain text.
 */
import { fileNameOf } from "#src/core/file-name.ts";

interface Signature {
  type: string;
  at?: number;
  bytes: string;
  /** What must stand somewhere else as well. */
  also?: { at: number; bytes: string };
}

/** `bytes` are Latin-1. */
const SIGNATURES: readonly Signature[] = [
  { type: "image/jpeg", bytes: "\xff\xd8\xff" },
  { type: "image/png", bytes: "\x89PNG\r\n\x1a\n" },
  { type: "image/gif", bytes: "GIF87a" },
  { type: "image/gif", bytes: "GIF89a" },
  { type: "image/webp", bytes: "RIFF", also: { at: 8, bytes: "WEBP" } },
  { type: "audio/wav", bytes: "RIFF", also: { at: 8, bytes: "WAVE" } },
  { type: "image/bmp", bytes: "BM", also: { at: 6, bytes: "\0\0\0\0" } },
  { type: "audio/ogg", bytes: "OggS" },
  { type: "audio/amr", bytes: "#!AMR" },
  { type: "audio/flac", bytes: "fLaC" },
  { type: "audio/mpeg", bytes: "ID3" },
  { type: "video/webm", bytes: "\x1a\x45\xdf\xa3" },
  { type: "application/pdf", bytes: "%PDF-" },
  { type: "application/zip", bytes: "PK\x03\x04" },
  { type: "application/zip", bytes: "PK\x05\x06" },
  { type: "application/gzip", bytes: "\x1f\x8b" },
  { type: "application/x-7z-compressed", bytes: "7z\xbc\xaf\x27\x1c" },
  { type: "application/vnd.rar", bytes: "Rar!\x1a\x07" },
  { type: "application/x-cfb", bytes: "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" },
  { type: "application/rtf", bytes: "{\\rtf" },
];

/** The brand of an MP4 file, at byte 8. */
const MP4_BRANDS: Readonly<Record<string, string>> = {
  "M4A ": "audio/mp4",
  "M4B ": "audio/mp4",
  "qt  ": "video/quicktime",
  heic: "image/heic",
  heix: "image/heic",
  mif1: "image/heic",
  avif: "image/avif",
  "3gp4": "video/3gpp",
  "3gp5": "video/3gpp",
  "3gp6": "video/3gpp",
};

/** Types that are containers of another one: the claim counts, if it is among these. */
const WITHIN: Readonly<Record<string, RegExp>> = {
  "application/zip":
    /^application\/(vnd\.openxmlformats-officedocument\.[a-z.]{1,60}|vnd\.oasis\.opendocument\.[a-z.]{1,30}|vnd\.android\.package-archive|epub\+zip)$/,
  "application/x-cfb": /^application\/(msword|vnd\.ms-excel|vnd\.ms-powerpoint|vnd\.ms-outlook)$/,
  // A voice message of WhatsApp is Ogg, and may be MP4 without a brand of its own.
  "video/mp4": /^audio\/mp4$/,
  "video/3gpp": /^audio\/3gpp$/,
  "video/webm": /^audio\/webm$/,
  "text/plain": /^text\/(csv|vcard|calendar)$/,
};

const UNKNOWN_TYPE = "application/octet-stream";

/** `claimed`: the type that the network states, with or without parameters. */
export function readContentType(head: Uint8Array, claimed: string | null): string {
  const found = bySignature(head) ?? (isText(head) ? "text/plain" : UNKNOWN_TYPE);
  const claim = (claimed ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return WITHIN[found]?.test(claim) === true ? claim : found;
}

function bySignature(head: Uint8Array): string | null {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, 64)).toString("latin1");
  if (text.slice(4, 8) === "ftyp") return MP4_BRANDS[text.slice(8, 12)] ?? "video/mp4";
  const match = SIGNATURES.find(
    ({ bytes, at = 0, also }) =>
      text.startsWith(bytes, at) && (also === undefined || text.startsWith(also.bytes, also.at)),
  );
  if (match !== undefined) return match.type;
  // Frames of MP3 and AAC begin with eleven or twelve set bits.
  const [first = 0, second = 0] = head;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return null;
  return (second & 0xf6) === 0xf0 ? "audio/aac" : (second & 0x06) === 0 ? null : "audio/mpeg";
}

function isText(head: Uint8Array): boolean {
  if (head.byteLength === 0 || head.includes(0)) return false;
  try {
    // The last character may be cut.
    new TextDecoder("utf-8", { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Types that every browser shows or plays without running anything. */
const SHOWN = /^(image\/(jpeg|png|gif|webp|bmp|avif)|audio\/[a-z0-9]+|video\/[a-z0-9]+)$/;

function isShown(contentType: string): boolean {
  return SHOWN.test(contentType);
}

/** `inline` only for what is shown; the file's name otherwise comes from its sender. */
export function contentDisposition(contentType: string, filename: string | null, id: number): string {
  const name = fileNameOf(contentType, filename, id);
  const ascii = name.replace(/[^\x20-\x7e]|["%]/g, "_");
  const utf8 = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${isShown(contentType) ? "inline" : "attachment"}; filename="${ascii}"; filename*=UTF-8''${utf8}`;
}
