/**
 * A form with one file, as `multipart/form-data`. The file is read while the form is sent, so a large one is never all in
 * memory.
 */
import type { StreamedBody } from "#src/net/write-request.ts";
import type { UploadFile } from "../network.ts";

interface Multipart {
  contentType: string;
  body: StreamedBody;
}

export function encodeUpload(fields: Readonly<Record<string, string>>, file: UploadFile): Multipart {
  // A hash of the file is not in the file.
  const boundary = `waxwing-${file.hash}`;
  const texts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${quotable(name)}"\r\n\r\n${value}\r\n`,
  );
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${quotable(file.name)}"\r\ncontent-type: ${oneLine(file.contentType)}\r\n\r\n`;
  const first = Buffer.from(texts.join("") + head);
  const last = Buffer.from(`\r\n--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      bytes: first.byteLength + file.bytes + last.byteLength,
      async *read() {
        yield first;
        yield* file.read();
        yield last;
      },
    },
  };
}

/** As browsers write a name inside quotation marks. */
function quotable(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function oneLine(text: string): string {
  return text.replace(/[\r\n]/g, " ");
}
