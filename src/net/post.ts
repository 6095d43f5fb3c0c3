/**
 * The only place that posts to a URL that a customer chose. It connects only to addresses that it has checked itself (a
 * name's addresses in the lookup of that same connection, an IP literal before each post), follows no redirects, reads
 * a limited part of the answer and aborts the whole exchange after `timeoutMs` of the clock. `post` never rejects:
 * every result is a `PostResult`.
 */
import * as http from "node:http";
import * as https from "node:https";
import type { Clock } from "#src/core/clock.ts";
import { hostOf, requireWebhookUrl } from "./address.ts";
import { checkedLookup, LookupFailure, type ResolveName, resolveName } from "./checked-lookup.ts";

export interface WebhookPoster {
  /** Sends `body` once. `content-length` and `host` are added; all other headers come from the caller. */
  post(webhook: Webhook): Promise<PostResult>;
  /** Fails the posts in flight and closes every connection. Later posts fail. */
  close(): void;
}

interface Webhook {
  /** Whose it is; missing if it is the server's own. */
  workspaceId?: number;
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface WebhookPosterSettings {
  clock: Clock;
  allowHttp: boolean;
  allowPrivate: boolean;
  /** For the whole exchange: lookup, connection, TLS, request and the complete answer. */
  timeoutMs: number;
  lookup?: ResolveName | undefined;
}

export type PostResult =
  /** `body` is the beginning of the answer's body; invalid UTF-8 is replaced. */
  | { kind: "answered"; status: number; body: string; durationMs: number }
  /** `message` is a sentence for the operator. */
  | { kind: "failed"; reason: PostFailure; message: string; durationMs: number };

export type PostFailure = "timeout" | LookupFailure["reason"] | "connection" | "tls" | "protocol";

/** How much of an answer is read and kept. A longer answer costs its connection. */
const RESPONSE_BYTES_MAX = 16 * 1024;

/**
 * Per host and port. Many workspaces may share a host (an automation platform), each with a few attempts in flight. A
 * post that queues here uses up its own time limit, so the maximum only protects against running out of file
 * descriptors.
 */
const SOCKETS_PER_HOST_MAX = 256;
const IDLE_SOCKETS_PER_HOST_MAX = 32;

/**
 * Below the 5 s after which common servers close idle connections: a post must not use a socket that is being closed.
 */
const IDLE_SOCKET_MS = 4_000;

/** Error codes of the runtime's sockets when the other side has hung up. */
const HANGUP_CODES = new Set(["ECONNRESET", "EPIPE", "ERR_SOCKET_CLOSED", "ERR_STREAM_PREMATURE_CLOSE"]);
const CERTIFICATE_CODES =
  /^(CERT_|CRL_|DEPTH_ZERO|ERR_TLS_CERT|ERROR_IN_C|HOSTNAME_|INVALID_|PATH_LENGTH|SELF_SIGNED|UNABLE_TO_)/;
const TLS_CODES = /^(ERR_SSL_|ERR_TLS_|EPROTO$)/;
const PROTOCOL_CODES = /^(HPE_|ERR_HTTP_|ERR_INVALID_|ERR_UNESCAPED_)/;

export function createWebhookPoster(settings: WebhookPosterSettings): WebhookPoster {
  const { clock, timeoutMs, allowPrivate } = settings;
  const lookup = checkedLookup(settings.lookup ?? resolveName, allowPrivate);
  const pool = {
    keepAlive: true,
    maxSockets: SOCKETS_PER_HOST_MAX,
    maxFreeSockets: IDLE_SOCKETS_PER_HOST_MAX,
    timeout: IDLE_SOCKET_MS,
  };
  const agents = { http: new http.Agent(pool), https: new https.Agent(pool) };
  const abandonAll = new Set<() => void>();
  let isClosed = false;

  return {
    post({ url: text, headers, body }) {
      const startedAt = clock.monotonic();
      const elapsedMs = (): number => Math.round(clock.monotonic() - startedAt);
      const refuse = (reason: PostFailure, message: string): Promise<PostResult> =>
        Promise.resolve({ kind: "failed", reason, message, durationMs: elapsedMs() });
      if (isClosed) return refuse("connection", "The server is stopping.");
      // Checked here too and not only when the URL is stored, because the settings may have become stricter since.
      const checked = requireWebhookUrl(text, settings);
      if ("refusal" in checked) return refuse("refused_address", `The webhook address ${checked.refusal}.`);

      return new Promise((resolve) => {
        const { url } = checked;
        const isSecure = url.protocol === "https:";
        const bytes = Buffer.byteLength(body);
        let request: http.ClientRequest | null = null;
        let response: http.IncomingMessage | null = null;
        let isComplete = false;

        const complete = (result: PostResult): void => {
          isComplete = true;
          timer.cancel();
          abandonAll.delete(abandon);
          resolve(result);
        };
        const fail = (reason: PostFailure, message: string): void => {
          if (isComplete) return;
          complete({ kind: "failed", reason, message, durationMs: elapsedMs() });
          request?.destroy();
        };
        const failWith = (error: unknown): void => {
          const { reason, message } = describeError(error);
          fail(reason, message);
        };
        const abandon = (): void => fail("connection", "The server stopped before the receiver answered.");
        const timer = clock.setTimer(timeoutMs, () => fail("timeout", describeTimeout(timeoutMs, request, response)));
        abandonAll.add(abandon);

        const read = (answer: http.IncomingMessage): void => {
          response = answer;
          const chunks: Buffer[] = [];
          let size = 0;
          const finish = (): void => {
            if (isComplete) return;
            const text = decode(chunks);
            complete({ kind: "answered", status: answer.statusCode ?? 0, body: text, durationMs: elapsedMs() });
          };
          answer.on("data", (chunk: Buffer) => {
            if (isComplete) return;
            chunks.push(
              size + chunk.length > RESPONSE_BYTES_MAX ? chunk.subarray(0, RESPONSE_BYTES_MAX - size) : chunk,
            );
            size += chunk.length;
            if (size <= RESPONSE_BYTES_MAX) return;
            finish();
            answer.destroy();
          });
          answer.on("end", finish);
          answer.on("error", failWith);
        };

        const send = (agent: http.Agent | false): void => {
          const sent = (isSecure ? https : http).request({
            method: "POST",
            hostname: hostOf(url),
            port: url.port,
            path: `${url.pathname}${url.search}`,
            headers: { ...headers, "content-length": bytes },
            agent,
            // The same function for all posts: a queued request is connected with the options of the request before it.
            lookup,
          });
          request = sent;
          sent.on("response", read);
          sent.on("upgrade", () => fail("protocol", "The receiver tried to switch to another protocol (status 101)."));
          sent.on("error", (error) => {
            if (isComplete || request !== sent) return;
            // The receiver closed an idle connection just as it was reused, which says nothing about the receiver.
            // Repeating the post is harmless, because receivers recognise an event by its id.
            if (sent.reusedSocket && response === null && HANGUP_CODES.has(codeOf(error))) attempt(false);
            else failWith(error);
          });
          sent.on("close", () => {
            if (request === sent && response === null) fail("connection", "The connection closed without an answer.");
          });
          sent.end(body);
        };
        /** `request` throws for headers or a path that cannot be sent. */
        const attempt = (agent: http.Agent | false): void => {
          try {
            send(agent);
          } catch (error) {
            failWith(error);
          }
        };
        attempt(isSecure ? agents.https : agents.http);
      });
    },

    close() {
      isClosed = true;
      for (const abandon of abandonAll) abandon();
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** True if the webhook was delivered. A redirect does not count and is never followed. */
export function isSuccess(result: PostResult): boolean {
  return result.kind === "answered" && result.status >= 200 && result.status <= 299;
}

function describeError(error: unknown): { reason: PostFailure; message: string } {
  if (error instanceof LookupFailure) return { reason: error.reason, message: error.message };
  const code = codeOf(error);
  const detail = error instanceof Error && error.message !== "" ? error.message : code || "unknown error";
  if (HANGUP_CODES.has(code)) {
    return { reason: "connection", message: "The receiver closed the connection before its answer was complete." };
  }
  if (code === "ECONNREFUSED") {
    return { reason: "connection", message: "The receiver refused the connection: nothing listens there." };
  }
  if (PROTOCOL_CODES.test(code)) {
    return { reason: "protocol", message: `The answer was not valid HTTP: ${detail}.` };
  }
  if (CERTIFICATE_CODES.test(code)) {
    return { reason: "tls", message: `The receiver's certificate was not accepted: ${detail}.` };
  }
  if (TLS_CODES.test(code)) return { reason: "tls", message: `The TLS handshake failed: ${detail}.` };
  return { reason: "connection", message: `The connection failed: ${detail}.` };
}

function describeTimeout(
  timeoutMs: number,
  request: http.ClientRequest | null,
  response: http.IncomingMessage | null,
): string {
  const within = `within ${timeoutMs / 1000} seconds`;
  if (response !== null) return `The answer (status ${response.statusCode}) did not end ${within}.`;
  // Despite its type, `socket` is missing while the request waits for a free connection to the host.
  const socket = request?.socket ?? null;
  if (socket === null || socket.connecting) return `There was no connection to the receiver ${within}.`;
  return `The receiver did not answer ${within}.`;
}

/** Decodes as UTF-8 and drops an incomplete character at the end. */
function decode(chunks: Buffer[]): string {
  if (chunks.length === 0) return "";
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(chunks), { stream: true });
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
