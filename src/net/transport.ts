/**
 * Outgoing HTTP/1.1 to a messaging network. Each exchange says what a failure proves: `unreachable` means that no byte
 * of the request was given to a socket; with `lost` the host may have read the request.
 *
 * A request is given only to a connection that is open, with its TLS handshake finished (`connect.ts`). That moment is
 * the border: a failure before it is `unreachable`, whatever its code, and a failure after it is `lost`. Nothing is sent
 * twice: no retry, no redirect. Nothing is added: no cookies, no compression, no proxy of the environment.
 *
 * Each pool (a number at a host) has its own connections (`kept-connections.ts`). Their answers are read by
 * `answer-reader.ts`; one that cannot be read with certainty is `lost`.
 */
import type { Socket } from "node:net";
import type { Clock } from "#src/core/clock.ts";
import { type AnswerHeaders, AnswerReader, type Reading } from "./answer-reader.ts";
import { ConnectionPools } from "./connection-pools.ts";
import type { Connection, KeptConnections } from "./kept-connections.ts";
import { RequestQueue } from "./request-queue.ts";
import { type Target, withoutSecret } from "./target.ts";
import { type StreamedBody, writeRequest } from "./write-request.ts";

export type Exchange =
  /** `at`: the time in the answer's `Date` header, milliseconds. */
  | { kind: "answered"; status: number; ok: boolean; headers: AnswerHeaders; body: string; at: number | null }
  /** No byte of the request was given to a socket. */
  | { kind: "unreachable"; reason: string }
  /** The host may have read the request. */
  | { kind: "lost"; reason: string };

export interface ExchangeRequest {
  target: Target;
  method: "POST" | "HEAD" | "GET" | "DELETE";
  body?: string | StreamedBody;
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

/** Bounds file descriptors and memory. A number's queue keeps fewer requests in flight (`sending/in-flight-limit.ts`). */
const LIMITS = { poolMax: 2_000, totalMax: 4_000, reserve: 256 };
/** More than a number needs at its pace; the rest of a burst is closed at once. */
const IDLE_CONNECTIONS_MAX = 256;
/** Meta answers a message with some hundred bytes, a failing proxy with a page. */
const ANSWER_BYTES_MAX = 256 * 1024;
const HEAD_BYTES_MAX = 32 * 1024;

export function createTransport(clock: Clock): Transport {
  const queue = new RequestQueue(LIMITS);
  const pools = new ConnectionPools({ idleMax: IDLE_CONNECTIONS_MAX });

  return {
    exchange(request) {
      const { target } = request;
      const pool = pools.get(`${target.origin} ${request.pool}`, target.url);
      pool.inUse += 1;
      return new Promise<Exchange>((resolve) => {
        const sending = new Sending(pool.connections, request, (result) => {
          timer.cancel();
          pool.inUse -= 1;
          place?.leave();
          resolve(result);
        });
        let place: { leave(): void } | null = null;
        const timer = clock.setTimer(request.timeoutMs, () => sending.stop());
        place = queue.enter(pool.name, request.isBulk === true, () => sending.start());
        // It may have failed while it was started, before `place` existed.
        if (sending.isSettled) place.leave();
      });
    },
  };
}

/** One request and its answer. It settles once; from then on it no longer listens to its connection. */
class Sending {
  isSettled = false;
  readonly #connections: KeptConnections;
  readonly #request: ExchangeRequest;
  readonly #onSettled: (result: Exchange) => void;
  #connecting: Socket | null = null;
  /** The connection to which the request was given. */
  #connection: Connection | null = null;
  #isStarted = false;
  /** False while the request's body is still being written. */
  #isWritten = true;

  constructor(connections: KeptConnections, request: ExchangeRequest, onSettled: (result: Exchange) => void) {
    this.#connections = connections;
    this.#request = request;
    this.#onSettled = onSettled;
  }

  start(): void {
    this.#isStarted = true;
    const kept = this.#connections.take();
    if (kept !== null) {
      this.#giveTo(kept);
      return;
    }
    this.#connecting = this.#connections.open((failure, connection) => {
      this.#connecting = null;
      if (connection === null) return this.#settle({ kind: "unreachable", reason: failure?.message ?? "" });
      if (this.isSettled) connection.socket.destroy();
      else if (connection.isUsable) this.#giveTo(connection);
      else this.#settle({ kind: "unreachable", reason: "the connection had ended before the request was sent" });
    });
  }

  /** The time limit has passed. */
  stop(): void {
    const reason = this.#isStarted
      ? "no connection within the time limit"
      : "no connection was free within the time limit";
    if (this.#connection === null) this.#settle({ kind: "unreachable", reason });
    else this.#lose("no answer within the time limit");
    this.#connecting?.destroy();
  }

  #giveTo(connection: Connection): void {
    const { method, answerMax: bodyMax = ANSWER_BYTES_MAX } = this.#request;
    const reader = new AnswerReader({ isHead: method === "HEAD", headMax: HEAD_BYTES_MAX, bodyMax });
    connection.listener = {
      onData: (bytes) => this.#hear(connection, reader.read(bytes)),
      onEnd: () => this.#hear(connection, reader.end()),
      onClose: (code) => {
        const when = reader.hasHead ? "lost during the answer" : code === null ? "closed" : "lost before an answer";
        this.#lose(`the connection was ${when}${code === null ? "" : ` (${code})`}`);
      },
    };
    // From here on the host may have read the request.
    this.#connection = connection;
    const { target, body = "" } = this.#request;
    const writing = writeRequest(connection.socket, { method, head: target.head, body });
    if (writing === null) return;
    this.#isWritten = false;
    writing.then(
      () => {
        this.#isWritten = true;
      },
      (error: unknown) => this.#lose(`the request could not be written: ${String(error)}`),
    );
  }

  #hear(connection: Connection, reading: Reading): void {
    if (reading.kind === "more") return;
    if (reading.kind === "unreadable") {
      this.#lose(reading.reason);
      return;
    }
    // A host that answers before it has read the request reads the rest of it as the next one.
    if (reading.isReusable && this.#isWritten && connection.socket.writableLength === 0)
      this.#connections.keep(connection);
    else this.#release(connection);
    this.#settle(answered(reading, this.#request.target));
  }

  #lose(reason: string): void {
    if (this.isSettled) return;
    if (this.#connection !== null) this.#release(this.#connection);
    this.#settle({ kind: "lost", reason });
  }

  #release(connection: Connection): void {
    connection.listener = null;
    connection.socket.destroy();
  }

  #settle(result: Exchange): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.#onSettled(result);
  }
}

function answered({ status, headers, body }: Extract<Reading, { kind: "complete" }>, target: Target): Exchange {
  const date = Date.parse(headers.get("date") ?? "");
  return {
    kind: "answered",
    status,
    ok: status >= 200 && status <= 299,
    headers,
    body: withoutSecret(DECODER.decode(body), target),
    at: Number.isNaN(date) ? null : date,
  };
}

const DECODER = new TextDecoder();
