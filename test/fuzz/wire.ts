/**
 * Requests over raw sockets. Ordinary ones share a connection as long as the server keeps it; each one that is cut
 * short or broken gets its own, and bytes that follow its answer are ignored.
 */
import { connect, type Socket } from "node:net";
import { bytesOf, type FuzzRequest } from "./request.ts";

export interface WireAnswer {
  status: number;
  headers: ReadonlyMap<string, string>;
  body: Buffer;
}

/** `closed`: the connection ended without an answer. */
export type Exchange = WireAnswer | "closed";

interface Connection {
  socket: Socket;
  received: Buffer;
  settle: ((exchange: Exchange) => void) | null;
  isHead: boolean;
}

export class Wire {
  readonly #port: number;
  readonly #hostname: string;
  #kept: Connection | null = null;

  constructor(url: string) {
    const { port, hostname } = new URL(url);
    this.#port = Number(port);
    this.#hostname = hostname;
  }

  async send(request: FuzzRequest): Promise<Exchange> {
    const isAlone = request.form === "broken" || request.form === "cut_short";
    const connection = isAlone ? await this.#open() : (this.#kept ?? (await this.#open()));
    this.#kept = null;
    const { promise, resolve } = Promise.withResolvers<Exchange>();
    connection.settle = resolve;
    connection.isHead = request.method === "HEAD";
    connection.socket.write(bytesOf(request));
    // End our side after half a request, so that the server does not wait for the rest.
    if (request.form === "broken") connection.socket.end();
    const exchange = await promise;
    connection.settle = null;
    const mayStay = !isAlone && exchange !== "closed" && exchange.headers.get("connection") !== "close";
    if (mayStay && connection.received.length === 0 && !connection.socket.destroyed) this.#kept = connection;
    else connection.socket.destroy();
    return exchange;
  }

  close(): void {
    this.#kept?.socket.destroy();
    this.#kept = null;
  }

  #open(): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#port, this.#hostname);
      const connection: Connection = { socket, received: Buffer.alloc(0), settle: null, isHead: false };
      socket.setNoDelay(true);
      socket.once("connect", () => resolve(connection));
      socket.on("data", (piece: Buffer) => {
        connection.received = connection.received.length === 0 ? piece : Buffer.concat([connection.received, piece]);
        const read = readAnswer(connection.received, connection.isHead);
        if (read === null || connection.settle === null) return;
        connection.received = connection.received.subarray(read.length);
        connection.settle(read.answer);
      });
      socket.on("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED") reject(error);
        else connection.settle?.("closed");
      });
      socket.on("close", () => {
        if (this.#kept === connection) this.#kept = null;
        connection.settle?.("closed");
      });
    });
  }
}

/** Null while the answer is incomplete. */
function readAnswer(bytes: Buffer, isHead: boolean): { answer: WireAnswer; length: number } | null {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd === -1) return null;
  const [line = "", ...rest] = bytes.toString("latin1", 0, headEnd).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? Number.NaN);
  if (Number.isNaN(status)) throw new Error(`this is no answer: ${line}`);
  const headers = new Map(
    rest.map((one) => {
      const colon = one.indexOf(":");
      return [one.slice(0, colon).toLowerCase(), one.slice(colon + 1).trim()] as const;
    }),
  );
  const from = headEnd + 4;
  if (status === 100) return readAnswer(bytes.subarray(from), isHead);
  if (isHead || status === 204 || status === 304) {
    return { answer: { status, headers, body: Buffer.alloc(0) }, length: from };
  }
  if (headers.get("transfer-encoding") === "chunked") {
    const read = readChunks(bytes, from);
    return read === null ? null : { answer: { status, headers, body: read.body }, length: read.end };
  }
  const end = from + Number(headers.get("content-length") ?? 0);
  if (bytes.length < end) return null;
  return { answer: { status, headers, body: Buffer.from(bytes.subarray(from, end)) }, length: end };
}

function readChunks(bytes: Buffer, from: number): { body: Buffer; end: number } | null {
  const pieces: Buffer[] = [];
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return null;
    if (size === 0) return { body: Buffer.concat(pieces), end };
    pieces.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}
