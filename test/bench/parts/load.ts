/**
 * The load: a number of connections, each of which sends its next request as soon as the last was answered. It speaks
 * HTTP/1.1 on raw sockets with prepared requests, which uses far less of the machine than any client would.
 */
import type { Socket } from "bun";
import { answerJobs } from "../part.ts";

export interface LoadJob {
  port: number;
  /** Whole requests, head and body, sent in turn. */
  requests: string[];
  connections: number;
  /** Stops after this long, or after `count` answers. */
  durationMs?: number;
  count?: number;
  /** The only status that counts as an answer; null: any. */
  expectedStatus: number | null;
}

export interface LoadResult {
  answers: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

interface Connection {
  sentAt: number;
  /** The beginning of an answer whose rest has not arrived yet. */
  begun: Buffer | null;
}

answerJobs<LoadJob>(0, run);

async function run(job: LoadJob): Promise<LoadResult> {
  const requests = job.requests.map((request) => Buffer.from(request));
  const latencies: number[] = [];
  const limit = job.count ?? Number.POSITIVE_INFINITY;
  let sent = 0;
  let stopped = 0;
  let lastAt = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const startedAt = performance.now();
  const deadline = startedAt + (job.durationMs ?? Number.POSITIVE_INFINITY);

  const next = (socket: Socket<Connection>, now: number): void => {
    const request = requests[sent % requests.length];
    if (sent >= limit || now >= deadline || request === undefined) {
      stopped += 1;
      if (stopped === job.connections) resolve();
      return;
    }
    sent += 1;
    socket.data.sentAt = now;
    // A request is far smaller than a socket's buffer, and the connection carries nothing else meanwhile.
    if (socket.write(request) !== request.length) reject(new Error("a request did not fit into the socket's buffer"));
  };

  const sockets = await Promise.all(
    Array.from({ length: job.connections }, () =>
      Bun.connect<Connection>({
        hostname: "127.0.0.1",
        port: job.port,
        data: { sentAt: 0, begun: null },
        socket: {
          open(socket) {
            next(socket, performance.now());
          },
          data(socket, chunk) {
            const bytes = socket.data.begun === null ? chunk : Buffer.concat([socket.data.begun, chunk]);
            const answer = readAnswer(bytes);
            if (answer === null) {
              socket.data.begun = Buffer.from(bytes);
              return;
            }
            socket.data.begun = null;
            if (job.expectedStatus !== null && answer.status !== job.expectedStatus)
              return reject(new Error(`unexpected answer: ${bytes.toString()}`));
            lastAt = performance.now();
            latencies.push(lastAt - socket.data.sentAt);
            next(socket, lastAt);
          },
          close: () => reject(new Error("the server closed a connection")),
          error: (_, error) => reject(error),
        },
      }),
    ),
  );
  try {
    await promise;
  } finally {
    for (const socket of sockets) socket.terminate();
  }
  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.floor((latencies.length - 1) * share)] ?? 0;
  const perSecond = (latencies.length / (lastAt - startedAt)) * 1000;
  return { answers: latencies.length, perSecond, p50Ms: at(0.5), p99Ms: at(0.99) };
}

/** Null while the answer is incomplete. */
function readAnswer(bytes: Buffer): { status: number } | null {
  const headLength = bytes.indexOf("\r\n\r\n");
  if (headLength === -1) return null;
  const head = bytes.toString("latin1", 0, headLength);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error(`an answer without a length: ${head}`);
  return bytes.length < headLength + 4 + Number(length) ? null : { status: Number(head.slice(9, 12)) };
}
