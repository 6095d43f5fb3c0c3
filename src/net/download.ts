/**
 * Downloads a file of any size with a GET, chunk by chunk: the next chunk is read when the last one was taken. It follows
 * no redirect. A download that stands still is given up after `idleMs`.
 */
import * as http from "node:http";
import * as https from "node:https";
import type { Clock, Timer } from "#src/core/clock.ts";
import { codeOf } from "./connect.ts";

interface Download {
  url: string;
  headers: Headers;
  /** Between two chunks, and until the first. */
  idleMs: number;
  stopping: AbortSignal;
  /** Called before the first chunk; `bytes` is null if the host does not state the length. False ends the download. */
  begin(bytes: number | null): Promise<boolean>;
  write(chunk: Uint8Array): Promise<boolean>;
}

type DownloadResult =
  | { kind: "complete" }
  | { kind: "declined" }
  /** Any status but 200, with its headers; the body is not read. */
  | { kind: "status"; status: number; headers: Headers }
  | { kind: "lost"; reason: string };

interface Exchange {
  sent: http.ClientRequest;
  response: http.IncomingMessage;
}

/** Few: files are fetched a few at a time. */
const POOL = { keepAlive: true, maxSockets: 64, maxFreeSockets: 8, timeout: 4_000 };

/** Thrown by `begin` and `write`, and not to be taken for a fault of the network. */
class SinkFailure extends Error {}

export class Downloader {
  readonly #clock: Clock;
  readonly #agents = { http: new http.Agent(POOL), https: new https.Agent(POOL) };

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rejects only with what `begin` or `write` throw. */
  async run(download: Download): Promise<DownloadResult> {
    const limit = new AbortController();
    const abort = (): void => limit.abort();
    let timer: Timer | null = null;
    const restart = (): void => {
      timer?.cancel();
      timer = this.#clock.setTimer(download.idleMs, abort);
    };
    download.stopping.addEventListener("abort", abort, { once: true });
    if (download.stopping.aborted) abort();
    restart();
    try {
      return await this.#receive(download, limit.signal, restart);
    } catch (error) {
      if (error instanceof SinkFailure) throw error.cause;
      const reason = limit.signal.aborted ? "the download stood still" : `the connection was lost (${codeOf(error)})`;
      return { kind: "lost", reason: download.stopping.aborted ? "the server is stopping" : reason };
    } finally {
      (timer as Timer | null)?.cancel();
      download.stopping.removeEventListener("abort", abort);
    }
  }

  async #receive(download: Download, signal: AbortSignal, onChunk: () => void): Promise<DownloadResult> {
    const { sent, response } = await this.#request(new URL(download.url), download.headers, signal);
    let isRead = false;
    try {
      const { statusCode: status = 0, headers } = response;
      if (status !== 200) return { kind: "status", status, headers: hintsOf(response) };
      const length = readLength(headers["content-length"]);
      if (!(await ofSink(download.begin(length)))) return { kind: "declined" };
      let received = 0;
      for await (const chunk of response as AsyncIterable<Buffer>) {
        onChunk();
        received += chunk.byteLength;
        if (!(await ofSink(download.write(chunk)))) return { kind: "declined" };
        if (signal.aborted) return { kind: "lost", reason: "the download was ended" };
      }
      isRead = true;
      const isWhole = response.complete && (length === null || received === length);
      return isWhole ? { kind: "complete" } : { kind: "lost", reason: "the connection was lost during the download" };
    } finally {
      // The request, not the response: that closes the connection.
      if (!isRead) sent.destroy();
    }
  }

  #request(url: URL, headers: Headers, signal: AbortSignal): Promise<Exchange> {
    return new Promise((resolve, reject) => {
      const isSecure = url.protocol === "https:";
      const options = {
        hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers: { accept: "*/*", ...Object.fromEntries(headers) },
        agent: isSecure ? this.#agents.https : this.#agents.http,
        signal,
      };
      const sent = (isSecure ? https : http).get(options, (response) => resolve({ sent, response }));
      sent.on("error", reject);
    });
  }
}

function hintsOf({ headers }: http.IncomingMessage): Headers {
  const retryAfter = headers["retry-after"];
  return new Headers(retryAfter === undefined ? {} : { "retry-after": retryAfter });
}

function readLength(text = ""): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

async function ofSink(result: Promise<boolean>): Promise<boolean> {
  try {
    return await result;
  } catch (error) {
    throw new SinkFailure("", { cause: error });
  }
}
