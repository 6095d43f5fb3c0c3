/**
 * One post and its answer, over a kept connection or a new one. It settles once; from then on it no longer listens to
 * its connection.
 *
 * A receiver may close an idle connection just as it is used again, which says nothing about the receiver: a post whose
 * kept connection ends before any byte of an answer is repeated once, on a new connection. Receivers recognise an event
 * by its id.
 */
import type { Socket } from "node:net";
import { AnswerReader, type Reading } from "./answer-reader.ts";
import type { Connection, KeptConnections } from "./kept-connections.ts";
import { describeConnectFailure, describeLoss, isHangup, type PostFailure } from "./post-failure.ts";
import { writeRequest } from "./write-request.ts";

type Outcome =
  | { kind: "answered"; status: number; body: string }
  | { kind: "failed"; reason: PostFailure; message: string };

interface PostRequest {
  /** What follows the method: the lines of address and headers. */
  head: string;
  body: string;
}

/** How much of an answer is read and kept. A longer answer costs its connection. */
const READER = { isHead: false, headMax: 32 * 1024, bodyMax: 16 * 1024, isCut: true };

export class PostExchange {
  isSettled = false;
  readonly #connections: KeptConnections;
  readonly #request: PostRequest;
  readonly #onSettled: (outcome: Outcome) => void;
  #connecting: Socket | null = null;
  #connection: Connection | null = null;
  #reader: AnswerReader | null = null;

  constructor(connections: KeptConnections, request: PostRequest, onSettled: (outcome: Outcome) => void) {
    this.#connections = connections;
    this.#request = request;
    this.#onSettled = onSettled;
  }

  start(): void {
    const kept = this.#connections.take();
    if (kept === null) this.#open();
    else this.#giveTo(kept, true);
  }

  timeOut(timeoutMs: number): void {
    const within = `within ${timeoutMs / 1000} seconds`;
    const status = this.#reader?.status ?? null;
    if (status !== null) this.fail("timeout", `The answer (status ${status}) did not end ${within}.`);
    else if (this.#connection === null) this.fail("timeout", `There was no connection to the receiver ${within}.`);
    else this.fail("timeout", `The receiver did not answer ${within}.`);
  }

  fail(reason: PostFailure, message: string): void {
    this.#release();
    const connecting = this.#connecting;
    this.#settle({ kind: "failed", reason, message });
    connecting?.destroy();
  }

  #open(): void {
    this.#connecting = this.#connections.open((failure, connection) => {
      this.#connecting = null;
      if (this.isSettled) connection?.socket.destroy();
      else if (failure !== null) this.#failAs(describeConnectFailure(failure));
      else if (connection?.isUsable) this.#giveTo(connection, false);
      else this.#failAs(describeLoss(null));
    });
  }

  #giveTo(connection: Connection, isKept: boolean): void {
    const reader = new AnswerReader(READER);
    let isUntouched = true;
    const end = (code: string | null): void => {
      this.#release();
      if (isKept && isUntouched && isHangup(code)) this.#open();
      else this.#failAs(describeLoss(code));
    };
    connection.listener = {
      onData: (bytes) => {
        isUntouched = false;
        this.#hear(connection, reader.read(bytes));
      },
      onEnd: () => {
        const reading = reader.end();
        if (reading.kind === "complete") this.#hear(connection, reading);
        else end(null);
      },
      onClose: end,
    };
    this.#reader = reader;
    this.#connection = connection;
    const { head, body } = this.#request;
    writeRequest(connection.socket, { method: "POST", head, body });
  }

  #hear(connection: Connection, reading: Reading): void {
    if (reading.kind === "more") return;
    if (reading.kind === "unreadable") {
      this.fail("protocol", `The answer could not be read: ${reading.reason}.`);
      return;
    }
    // A receiver that answers before it has read the request reads the rest of it as the next one.
    if (reading.isReusable && connection.socket.writableLength === 0) {
      this.#connection = null;
      this.#connections.keep(connection);
    } else this.#release();
    this.#settle({ kind: "answered", status: reading.status, body: decode(reading.body) });
  }

  #release(): void {
    const connection = this.#connection;
    this.#connection = null;
    this.#reader = null;
    if (connection === null) return;
    connection.listener = null;
    connection.socket.destroy();
  }

  #failAs({ reason, message }: { reason: PostFailure; message: string }): void {
    this.fail(reason, message);
  }

  #settle(outcome: Outcome): void {
    if (this.isSettled) return;
    this.isSettled = true;
    this.#onSettled(outcome);
  }
}

/** Decodes as UTF-8 and drops an incomplete character at the end. */
function decode(body: Buffer): string {
  if (body.length === 0) return "";
  // An ASCII character at the end is complete.
  if ((body.at(-1) ?? 0) < 0x80) return DECODER.decode(body);
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(body, { stream: true });
}

const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
