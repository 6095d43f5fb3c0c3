/**
 * A form with one file, as `multipart/form-data`. Built at once, unlike the runtime's own, so that the request starts in
 * the turn in which it is asked for.
 */
import { createHash } from "node:crypto";
import type { UploadFile } from "../network.ts";

export interface Multipart {
  contentType: string;
  bytes: Uint8Array;
}

export function encodeUpload(fields: Readonly<Record<string, string>>, file: UploadFile): Multipart {
  // A hash of the file is not in the file.
  const boundary = `waxwing-${createHash("sha256").update(file.bytes).digest("hex")}`;
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${quotable(name)}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${quotable(file.name)}"\r\ncontent-type: ${oneLine(file.contentType)}\r\n\r\n`;
  const parts = [texts.join(""), head].map((text) => Buffer.from(text));
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...parts, file.bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  };
}

/** As browsers write a name inside quotation marks. */
function quotable(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]/g, " ");
}
