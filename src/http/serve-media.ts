/**
 * Answers with a stored file: whole, in part, or not at all if the caller has it already. Whatever the file is, a browser
 * shows or saves it, and runs nothing of it.
 */
import { notFound, Problem } from "#src/core/problem.ts";
import type { Media, MediaFile } from "#src/domain/media/table.ts";
import { contentDisposition } from "#src/media/content-type.ts";
import type { MediaFiles } from "#src/media/files.ts";
import type { Answer } from "./answer.ts";

const SAYS: Readonly<Record<string, string>> = {
  pending: "The file is still being fetched from WhatsApp: wait for media.stored.",
  failed: "The file could not be fetched from WhatsApp.",
  expired: "The file was deleted because its retention is over.",
  erased: "The file was deleted because its sender was erased.",
};

/** A received medium or an upload. */
export interface ShownFile {
  medium: Pick<Media, "id" | "filename" | "state">;
  /** Null unless it is stored. */
  file: MediaFile | null;
}

/** Throws `not_found`. */
export function answerMedia(files: MediaFiles, found: ShownFile | undefined, requested: Headers): Answer {
  if (found === undefined) throw notFound("file");
  const { medium, file } = found;
  if (file === null) throw new Problem("not_found", SAYS[medium.state] ?? "There is no such file.");
  if (!files.has(file)) throw new Problem("not_found", "The file is missing on this server's disk.");
  const { hash, bytes, contentType } = file;
  const etag = `"${hash}"`;
  const headers = {
    "content-type": contentType,
    "content-disposition": contentDisposition(contentType, medium.filename, medium.id),
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "private, no-cache",
    "accept-ranges": "bytes",
    etag,
  };
  if (matches(requested.get("if-none-match"), etag)) return { status: 304, body: "", headers };
  const ifRange = requested.get("if-range");
  const isRangeWanted = ifRange === null || ifRange === etag;
  const range = readByteRange(isRangeWanted ? requested.get("range") : null, bytes);
  if (range === "unsatisfiable") {
    return { status: 416, body: "", headers: { ...headers, "content-range": `bytes */${bytes}` } };
  }
  const whole = files.open(file);
  if (range === "whole") return { status: 200, body: "", file: whole, headers };
  const { first, last } = range;
  const part = whole.slice(first, last + 1);
  return {
    status: 206,
    body: "",
    file: part,
    headers: { ...headers, "content-range": `bytes ${first}-${last}/${bytes}` },
  };
}

function matches(header: string | null, etag: string): boolean {
  return (
    header !== null &&
    (header.trim() === "*" || header.split(",").some((one) => one.trim().replace(/^W\//, "") === etag))
  );
}

/** First and last byte, both inclusive; `whole`: everything is sent; `unsatisfiable`: 416. */
type ByteRange = { first: number; last: number } | "whole" | "unsatisfiable";

/** Several ranges at once, and what is no range of bytes, are answered with the whole file, as the standard allows. */
export function readByteRange(header: string | null, size: number): ByteRange {
  const match = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i.exec(header ?? "");
  if (match === null) return "whole";
  const [, from = "", to = ""] = match;
  if (from === "" && to === "") return "whole";
  if (from === "") {
    const length = Math.min(Number(to), size);
    return length === 0 ? "unsatisfiable" : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  const last = to === "" ? size - 1 : Math.min(Number(to), size - 1);
  if (to !== "" && Number(to) < first) return "whole";
  return first >= size ? "unsatisfiable" : { first, last };
}
