/** Reads the `Range` header of a request for a file (RFC 9110, section 14). Pure. */

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
