/** Writes one HTTP/1.1 request to an open connection. */
import type { Socket } from "node:net";

interface Written {
  method: "POST" | "HEAD" | "GET";
  /** What follows the method, in complete lines: `startOf` an address and the lines of its headers. */
  head: string;
  body: string | Uint8Array;
}

/** Does not check them: values must not contain a line break. */
export function headerLines(headers: Iterable<[name: string, value: string]>): string {
  let lines = "";
  for (const [name, value] of headers) lines += `${name}: ${value}\r\n`;
  return lines;
}

/** The length of a POST is added. */
export function writeRequest(socket: Socket, { method, head: given, body }: Written): void {
  let head = method + given;
  if (method === "POST") head += `content-length: ${Buffer.byteLength(body)}\r\n`;
  head += "\r\n";
  if (typeof body === "string") {
    // A header's letters beyond ASCII are Latin-1.
    socket.write(isAscii(head) ? head + body : Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]));
    return;
  }
  socket.write(head, "latin1");
  socket.write(body);
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
