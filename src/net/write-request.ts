/** Writes one HTTP/1.1 request to an open connection. */
import type { Socket } from "node:net";

interface Written {
  url: URL;
  method: "POST" | "HEAD" | "GET";
  /** Complete header lines, as `headerLines` makes them. */
  lines: string;
  body: string | Uint8Array;
}

/** Does not check them: values must not contain a line break. */
export function headerLines(headers: Iterable<[name: string, value: string]>): string {
  let lines = "";
  for (const [name, value] of headers) lines += `${name}: ${value}\r\n`;
  return lines;
}

/** `host`, `connection` and the length of a POST are added. */
export function writeRequest(socket: Socket, { url, method, lines, body }: Written): void {
  let head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\n${lines}`;
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
