/**
 * Outgoing HTTP/1.1 to a messaging network. Each exchange says what a failure proves: `unreachable` means that no byte
 * of the request was given to a socket; with `lost` the host may have read the request.
 *
 * A request is given only to a connection that is open, with its TLS handshake finished (`connect.ts`). That moment is
 * the border: a failure before it is `unreachable`, whatever its code, and a failure after it is `lost`. Nothing is sent
 * twice: no retry, no redirect. Nothing is added: no cookies, no compression, no proxy of the environment.
 *
 * Each pool (a number at a host) has its own connections. Idle ones are closed after 4 seconds, before common hosts
 * close them, because a request on a connection that the host is closing has an unknown outcome.
 */
import * as http from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "#src/core/clock.ts";
import { type ConnectFailure, codeOf, connect, type Origin, originOf } from "./connect.ts";
import { RequestQueue } from "./request-queue.ts";

export type Exchange =
  /** `at`: the time in the answer's `Date` header, milliseconds. */
  | { kind: "answered"; status: number; ok: boolean; headers: Headers; body: string; at: number | null }
  /** No byte of the request was given to a socket. */
  | { kind: "unreachable"; reason: string }
  /** The host may have read the request. */
  | { kind: "lost"; reason: string };

export interface ExchangeRequest {
  url: string;
  method: "POST" | "HEAD" | "GET";
  headers?: Headers;
  body?: string | Uint8Array;
  /** Part of the headers. Networks have been seen to repeat it in answers, so it is removed from them. */
  secret?: string | null;
  /** For the whole exchange: waiting for a connection, lookup, TLS, request and the complete answer. */
  timeoutMs: number;
  /** Requests of different pools share no connection. */
  pool: string;
  /** One of many: waits where a single request does not. */
  isBulk?: boolean;
  /** Bytes; a longer answer is `lost`. */
  answerMax?: number;
}

export interface Transport {
  /** Never rejects, and sends at most once. */
  exchange(request: ExchangeRequest): Promise<Exchange>;
}

/** Below the 5 s after which common hosts close idle connections. */
const IDLE_CONNECTION_MS = 4_000;
/** More than a number needs at its pace; the rest of a burst is closed at once. */
const IDLE_CONNECTIONS_MAX = 256;
/** Bounds file descriptors and memory. A number's queue keeps fewer requests in flight (`sending/in-flight-limit.ts`). */
const LIMITS = { poolMax: 2_000, totalMax: 4_000, reserve: 256 };
/** Idle pools beyond this many are forgotten, with their connections. */
const POOLS_MAX = 1_000;
/** Meta answers a message with some hundred bytes, a failing proxy with a page. */
const ANSWER_BYTES_MAX = 256 * 1024;
const HEAD_BYTES_MAX = 32 * 1024;
const SECRET_LENGTH_MIN = 8;

interface Attempt {
  connecting: Socket | null;
}

type PoolRequest = http.RequestOptions & { attempt: Attempt };

/** Keeps the open connections of one pool. New ones are opened by `connect`. */
class PoolAgent extends http.Agent {
  readonly #origin: Origin;
  inUse = 0;

  constructor(origin: Origin) {
    super({ keepAlive: true, maxFreeSockets: IDLE_CONNECTIONS_MAX, timeout: IDLE_CONNECTION_MS, scheduling: "lifo" });
    this.#origin = origin;
  }

  override createConnection(options: object, done?: (error: Error | null, socket: Socket) => void): undefined {
    const { attempt } = options as PoolRequest;
    const finish = (failure: ConnectFailure | null, socket: Socket): void => {
      attempt.connecting = null;
      if (failure === null) socket.setNoDelay(true);
      done?.(failure, socket);
    };
    attempt.connecting = connect(this.#origin, finish);
  }
}

export function createTransport(clock: Clock): Transport {
  const queue = new RequestQueue(LIMITS);
  const agents = new Map<string, PoolAgent>();

  function agentOf(name: string, origin: Origin): PoolAgent {
    const known = agents.get(name);
    if (known !== undefined) return known;
    if (agents.size >= POOLS_MAX) forgetIdlePools();
    const agent = new PoolAgent(origin);
    agents.set(name, agent);
    return agent;
  }

  function forgetIdlePools(): void {
    for (const [name, agent] of agents) {
      if (agent.inUse > 0) continue;
      agents.delete(name);
      agent.destroy();
    }
  }

  return {
    exchange(request) {
      const url = new URL(request.url);
      const name = `${url.origin} ${request.pool}`;
      const agent = agentOf(name, originOf(url));
      agent.inUse += 1;
      return new Promise<Exchange>((resolve) => {
        let abort: ((reason: string) => void) | null = null;
        let place: { leave(): void } | null = null;
        let isSettled = false;
        const settle = (result: Exchange): void => {
          if (isSettled) return;
          isSettled = true;
          timer.cancel();
          agent.inUse -= 1;
          place?.leave();
          resolve(result);
        };
        const timer = clock.setTimer(request.timeoutMs, () => {
          if (abort === null) settle({ kind: "unreachable", reason: "no connection was free within the time limit" });
          else abort("within the time limit");
        });
        place = queue.enter(name, request.isBulk === true, () => {
          abort = send({ agent, url, request, settle });
        });
        // It may have failed while it was started, before `place` existed.
        if (isSettled) place.leave();
      });
    },
  };
}

interface Sending {
  agent: PoolAgent;
  url: URL;
  request: ExchangeRequest;
  settle: (result: Exchange) => void;
}

/** Starts the request. The function that is returned ends it, with the failure that is proved by then. */
function send({ agent, url, request, settle }: Sending): (when: string) => void {
  const attempt: Attempt = { connecting: null };
  let isGiven = false;
  const fail = (lost: string, unreachable: string): void => {
    settle(isGiven ? { kind: "lost", reason: lost } : { kind: "unreachable", reason: unreachable });
    attempt.connecting?.destroy();
    sent?.destroy();
  };
  const options: PoolRequest = {
    agent,
    attempt,
    method: request.method,
    path: `${url.pathname}${url.search}`,
    headers: headersOf(url, request),
    maxHeaderSize: HEAD_BYTES_MAX,
  };
  let sent: http.ClientRequest | null = null;
  try {
    sent = http.request(options);
  } catch (error) {
    fail("", `the request cannot be sent (${codeOf(error)})`);
    return () => {};
  }
  sent.on("socket", (socket) => {
    // A kept connection that has ended since it was chosen: the request is not given to it.
    if (socket.destroyed || !socket.writable) fail("", "the connection had ended before the request was sent");
    else isGiven = true;
  });
  sent.on("error", (error) => fail(`the connection was lost before an answer (${codeOf(error)})`, error.message));
  sent.on("close", () => fail("the connection was closed without an answer", "the connection was closed"));
  const refuseSwitch = (): void => fail("the host tried to switch to another protocol (101)", "");
  sent.on("upgrade", refuseSwitch);
  sent.on("response", (answer) => {
    // Without the headers of a switch it arrives as an answer.
    if (answer.statusCode === 101) return refuseSwitch();
    read(answer, request, (result) => {
      settle(result);
      if (result.kind !== "answered") answer.destroy();
    });
  });
  sent.end(request.body);
  return (when) => fail(`no answer ${when}`, `no connection ${when}`);
}

function headersOf(url: URL, { method, headers, body = "" }: ExchangeRequest): Record<string, string> {
  const length = method === "POST" ? { "content-length": String(Buffer.byteLength(body)) } : {};
  return { host: url.host, accept: "*/*", ...Object.fromEntries(headers ?? []), ...length };
}

/** Reads the answer to its end. The head has arrived, so the host had read the request. */
function read(answer: http.IncomingMessage, request: ExchangeRequest, finish: (result: Exchange) => void): void {
  const { answerMax: bytesMax = ANSWER_BYTES_MAX, secret = null } = request;
  const chunks: Buffer[] = [];
  let size = 0;
  answer.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size > bytesMax) finish({ kind: "lost", reason: `the answer had more than ${bytesMax} bytes` });
    else chunks.push(chunk);
  });
  answer.on("end", () => {
    if (answer.complete) finish(answered(answer, withoutSecret(DECODER.decode(Buffer.concat(chunks)), secret)));
    else finish({ kind: "lost", reason: "the connection was lost during the answer" });
  });
  answer.on("error", (error) => {
    finish({ kind: "lost", reason: `the connection was lost during the answer (${codeOf(error)})` });
  });
}

function answered(answer: http.IncomingMessage, body: string): Exchange {
  const status = answer.statusCode ?? 0;
  const headers = new Headers();
  const { rawHeaders } = answer;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    try {
      headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
    } catch {
      // A value that no header may have: the answer is read without it.
    }
  }
  const date = Date.parse(headers.get("date") ?? "");
  const at = Number.isNaN(date) ? null : date;
  return { kind: "answered", status, ok: status >= 200 && status <= 299, headers, body, at };
}

/** Answers are stored, logged and quoted. The secret is looked for as it is, in JSON with escaped slashes, and in a URL. */
function withoutSecret(body: string, secret: string | null): string {
  const text = secret?.trim() ?? "";
  // A shorter one would be found in ordinary words, and no network issues such a token.
  if (text.length < SECRET_LENGTH_MIN) return body;
  const forms = new Set([text, text.replaceAll("/", "\\/"), encodeURIComponent(text)]);
  return [...forms].reduce((left, form) => left.replaceAll(form, "[token]"), body);
}

const DECODER = new TextDecoder();
