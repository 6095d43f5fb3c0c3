/**
 * The callers of `bench:peers`, on raw sockets: each connection sends a request with a key of its own and waits for the
 * answer. A request whose connection breaks, or whose server is not ready, is sent again under its key until it is
 * answered, as a caller does who must lose nothing.
 */
import type { Socket } from "bun";
import { answerJobs } from "../part.ts";
import { type CallerJob, type CallerResult, labelOf } from "../peers/protocol.ts";

const AGAIN_MS = 20;
/** After the last new request: for those that are still unanswered. */
const PATIENCE_MS = 90_000;

const now = (): number => performance.timeOrigin + performance.now();

answerJobs<CallerJob>(0, async (job) => {
  const startedAt = now();
  const result: CallerResult = { acknowledged: [], unknown: [], refused: [], repeated: 0 };
  let count = 0;
  /** The next request with the time at which it is due; null: no more. */
  const next = (): { label: string; index: number; dueAt: number } | null => {
    const dueAt = job.ratePerSecond === null ? now() : startedAt + (count * 1000) / job.ratePerSecond;
    // What a stack cannot keep up with is not sent later.
    if (Math.max(dueAt, now()) - startedAt >= job.durationMs) return null;
    const index = count++;
    return { label: labelOf(job.from + index), index, dueAt };
  };
  const giveUpAt = startedAt + job.durationMs + PATIENCE_MS;

  async function call(): Promise<void> {
    const line = new Line(job.port);
    for (let request = next(); request !== null; request = next()) {
      const waitMs = request.dueAt - now();
      if (waitMs > 1) await Bun.sleep(waitMs);
      const bytes = requestBytes(job, request.label, request.index);
      // Also the time that a request waits for a free connection counts.
      const sentAt = job.ratePerSecond === null ? now() : request.dueAt;
      for (;;) {
        const answer = await line.ask(bytes);
        if (answer !== null && isFinal(answer)) {
          note(result, request.label, sentAt, answer);
          break;
        }
        if (now() > giveUpAt) throw new Error(`${request.label} was never answered: ${JSON.stringify(answer)}`);
        result.repeated += 1;
        await Bun.sleep(AGAIN_MS);
      }
    }
    line.close();
  }
  await Promise.all(Array.from({ length: job.connections }, call));
  return result;
});

interface Answer {
  status: number;
  body: string;
}

function isUnknown({ status, body }: Answer): boolean {
  return status === 502 && body.includes('"unknown"');
}

function isFinal(answer: Answer): boolean {
  return answer.status < 500 ? answer.status !== 429 : isUnknown(answer);
}

function note(result: CallerResult, label: string, sentAt: number, answer: Answer): void {
  if (answer.status < 300) result.acknowledged.push([label, sentAt, now()]);
  else if (isUnknown(answer)) result.unknown.push(label);
  else result.refused.push([label, answer.status]);
}

function requestBytes({ path, headers, people }: CallerJob, label: string, index: number): Buffer {
  const body = JSON.stringify({ to: people[index % people.length], text: `Your table is ready. See you! ${label}` });
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\nidempotency-key: ${label}\r\n` +
      `${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** One connection, opened again when it is needed. */
class Line {
  readonly #port: number;
  #socket: Socket | null = null;
  #begun = "";
  #settle: (answer: Answer | null) => void = () => undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /** Null: the connection could not be opened, or it broke. */
  async ask(bytes: Buffer): Promise<Answer | null> {
    this.#socket ??= await this.#open();
    const socket = this.#socket;
    if (socket === null) return null;
    return new Promise((resolve) => {
      this.#begun = "";
      this.#settle = resolve;
      if (socket.write(bytes) !== bytes.length) socket.terminate();
    });
  }

  close(): void {
    this.#socket?.terminate();
  }

  #open(): Promise<Socket | null> {
    const broken = (socket: Socket): void => {
      if (this.#socket === socket) this.#socket = null;
      this.#settle(null);
    };
    return Bun.connect({
      hostname: "127.0.0.1",
      port: this.#port,
      socket: {
        data: (_, chunk) => this.#read(chunk.toString()),
        close: broken,
        error: broken,
      },
    }).catch(() => null);
  }

  #read(chunk: string): void {
    this.#begun += chunk;
    const end = this.#begun.indexOf("\r\n\r\n");
    if (end === -1) return;
    const head = this.#begun.slice(0, end);
    const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
    const body = this.#begun.slice(end + 4);
    if (Buffer.byteLength(body) >= length) this.#settle({ status: Number(head.slice(9, 12)), body });
  }
}
