/**
 * Unauthenticated clients on the server's port, as a separate process: `bun strangers-process.ts <json>`. They keep a
 * number of connections open. On each, a request's body either never ends (it arrives at full speed except for its last
 * byte, or a few bytes a second), or it ends, and the next request begins as soon as it is answered; or nothing is sent.
 * A connection that the server closes is opened again. Prints `under way` once every connection has been used, and on
 * SIGTERM the number of answers by status, as JSON.
 */
import { connect } from "node:net";

export interface Strangers {
  port: number;
  /** Clients of several kinds at the same time. */
  groups: readonly Group[];
}

export interface Group {
  connections: number;
  /** The request's first lines, each ended with CRLF; the length is added. */
  head: string;
  /** The body's length, announced in the head or sent in chunks. */
  bytes: number;
  isChunked: boolean;
  pace: "at once" | "trickling" | "to the end" | "idle";
}

/** Not the address of the probes, which send signed callbacks. */
const ADDRESS = "127.0.0.2";
const TRICKLE_EVERY_MS = 500;
const OPENED_AGAIN_AFTER_MS = 50;

const { port, groups }: Strangers = JSON.parse(process.argv[2] ?? "");
const filler = Buffer.alloc(64 * 1024, 97);
const counts: Record<string, number> = {};
/** Connections that were never used yet. */
let unused = groups.reduce((sum, { connections }) => sum + connections, 0);

for (const group of groups) {
  for (let count = 0; count < group.connections; count++) open(group, true);
}

process.on("SIGTERM", () => {
  console.log(JSON.stringify(counts));
  process.exit();
});

function open(group: Group, isFirst: boolean): void {
  const { head, bytes, isChunked, pace } = group;
  const socket = connect({ port, host: "127.0.0.1", localAddress: ADDRESS });
  let left = pace === "to the end" ? bytes : bytes - 1;
  const write = (size: number): boolean => {
    left -= size;
    const part = filler.subarray(0, size);
    return socket.write(
      isChunked ? Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), part, Buffer.from("\r\n")]) : part,
    );
  };
  const pour = (): void => {
    while (left > 0 && !socket.destroyed) {
      if (!write(Math.min(left, filler.length))) {
        socket.once("drain", pour);
        return;
      }
    }
  };
  const timer = setInterval(() => {
    if (pace === "trickling" && left > 0) write(1);
  }, TRICKLE_EVERY_MS);
  socket.on("error", () => undefined);
  socket.on("data", (data) => {
    const status = /^HTTP\/1\.1 (\d+)/.exec(data.toString("latin1"))?.[1] ?? "?";
    counts[status] = (counts[status] ?? 0) + 1;
    if (pace === "to the end") socket.destroy();
  });
  socket.on("close", () => {
    clearInterval(timer);
    setTimeout(() => open(group, false), OPENED_AGAIN_AFTER_MS);
  });
  const noteUse = (): void => {
    if (!isFirst) return;
    unused -= 1;
    if (unused === 0) console.log("under way");
  };
  if (pace === "idle") {
    socket.on("connect", noteUse);
    return;
  }
  socket.write(`${head}${isChunked ? "transfer-encoding: chunked" : `content-length: ${bytes}`}\r\n\r\n`, noteUse);
  if (pace === "trickling") write(1);
  else pour();
}
