/** Writes one HTTP/1.1 request to an open connection. */
import type { Socket } from "node:net";

/** A body that is not all in memory. */
export interface StreamedBody {
  bytes: number;
  /** Gives exactly `bytes`. */
  read(): AsyncIterable<Uint8Array>;
}

interface Written {
  method: "POST" | "HEAD" | "GET" | "DELETE";
  /** What follows the method, in complete lines: `startOf` an address and the lines of its headers. */
  head: string;
  body: string | StreamedBody;
}

/** Does not check them: values must not contain a line break. */
export function headerLines(headers: Iterable<[name: string, value: string]>): string {
  let lines = "";
  for (const [name, value] of headers) lines += `${name}: ${value}\r\n`;
  return lines;
}

/**
 * The length of a POST is added, and that of any other body. Null: the request is written. Otherwise the writing of its body, which ends with the
 * connection, and rejects with what `read` throws.
 */
export function writeRequest(socket: Socket, { method, head: given, body }: Written): Promise<void> | null {
  let head = method + given;
  if (method === "POST" || body !== "")
    head += `content-length: ${typeof body === "string" ? Buffer.byteLength(body) : body.bytes}\r\n`;
  head += "\r\n";
  if (typeof body !== "string") {
    socket.write(head, "latin1");
    return writeBody(socket, body);
  }
  // A header's letters beyond ASCII are Latin-1.
  socket.write(isAscii(head) ? head + body : Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body)]));
  return null;
}

async function writeBody(socket: Socket, body: StreamedBody): Promise<void> {
  let written = 0;
  for await (const piece of body.read()) {
    if (socket.destroyed) return;
    written += piece.byteLength;
    if (!socket.write(piece)) await drained(socket);
  }
  if (written !== body.bytes) throw new Error(`the body has ${written} bytes and was announced with ${body.bytes}`);
}

/** Resolves also when the connection has ended. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const finish = (): void => {
      socket.off("drain", finish);
      socket.off("close", finish);
      resolve();
    };
    socket.on("drain", finish);
    socket.on("close", finish);
    if (socket.destroyed) finish();
  });
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
