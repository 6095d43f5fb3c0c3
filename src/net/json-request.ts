/**
 * One HTTPS request to an address that the operator configured, with a limited answer and a limited duration. Nothing is
 * repeated, no redirect is followed, and no proxy of the environment is used.
 */
import * as http from "node:http";
import * as https from "node:https";
import type { Clock } from "#src/core/clock.ts";

interface RequestTo {
  url: string;
  method: "GET" | "HEAD" | "POST";
  headers?: Record<string, string>;
  body?: string;
  /** PEM of a private authority; undefined: the public ones. */
  ca?: string | undefined;
}

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: string;
}

/** No answer. The message is the end of a sentence for people. */
export class NoAnswer extends Error {
  override readonly name = "NoAnswer";
}

const BODY_BYTES_MAX = 256 * 1024;
const TIMEOUT_MS = 30_000;

/** Throws `NoAnswer`; also if `signal` is or becomes aborted. */
export function request(
  { url, method, headers = {}, body, ca }: RequestTo,
  clock: Pick<Clock, "setTimer">,
  signal: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(new NoAnswer("the server is stopping"));
    const isSecure = url.startsWith("https:");
    const sent = (isSecure ? https : http).request(url, {
      method,
      headers: body === undefined ? headers : { ...headers, "content-length": String(Buffer.byteLength(body)) },
      agent: false,
      ...(ca === undefined ? {} : { ca }),
    });
    let isComplete = false;
    const complete = (settle: () => void): void => {
      if (isComplete) return;
      isComplete = true;
      timer.cancel();
      signal.removeEventListener("abort", abort);
      settle();
      sent.destroy();
    };
    const fail = (reason: string): void => complete(() => reject(new NoAnswer(reason)));
    const abort = (): void => fail("the server is stopping");
    const timer = clock.setTimer(TIMEOUT_MS, () => fail(`no answer within ${TIMEOUT_MS / 1000} seconds`));
    signal.addEventListener("abort", abort);
    sent.on("error", (error) => fail(describe(error)));
    sent.on("response", (answer) => {
      const chunks: Buffer[] = [];
      let size = 0;
      answer.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > BODY_BYTES_MAX) return fail("its answer is too long");
        chunks.push(chunk);
      });
      answer.on("error", (error) => fail(describe(error)));
      answer.on("end", () =>
        complete(() =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(chunks).toString("utf8"),
          }),
        ),
      );
    });
    sent.end(body);
  });
}

function describe(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return "its name cannot be resolved";
  if (code === "ECONNREFUSED" || code === "ConnectionRefused") return "it refused the connection";
  const message = error instanceof Error ? error.message : String(error);
  return code === "" ? message : `${message} (${code})`;
}
