/**
 * The files of the fake Cloud API, given as Meta gives them: an id leads to an address that works once or for a while, and
 * the address to the bytes, both only with the token. `refuse` makes the next requests go wrong.
 */
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { GRAPH_TOKEN, type Refusal } from "./graph.ts";

interface HeldFile {
  mimeType: string;
  size: number;
  sha256: string;
  /** The bytes from one position to another. */
  read: (from: number, to: number) => Uint8Array;
}

type Step = "query" | "download";

export interface MediaFault {
  step: Step;
  times: number;
  /** A Graph error under this status; `cut`: the connection ends in the middle. */
  answer: { status: number; code?: number; retryAfter?: string } | "cut";
}

const CHUNK = 64 * 1024;

export class GraphMedia {
  readonly #files = new Map<string, HeldFile>();
  readonly #faults: MediaFault[] = [];
  /** Replaces the origin of the addresses that are given. */
  origin: string | null = null;
  readonly requests: { step: Step; id: string }[] = [];

  /** Returns the id and what a callback says about the file. */
  add(id: string, mimeType: string, bytes: Uint8Array): { id: string; mime_type: string; sha256: string } {
    const sha256 = createHash("sha256").update(bytes).digest("base64");
    this.#files.set(id, { mimeType, size: bytes.byteLength, sha256, read: (from, to) => bytes.subarray(from, to) });
    return { id, mime_type: mimeType, sha256 };
  }

  /** A file of this many bytes that no one holds in memory. */
  addLarge(id: string, mimeType: string, size: number, head: Uint8Array): { id: string; mime_type: string } {
    const filler = Buffer.alloc(CHUNK, 7);
    const read = (from: number, to: number): Uint8Array =>
      from === 0 ? Buffer.concat([head, filler]).subarray(0, to) : filler.subarray(0, to - from);
    this.#files.set(id, { mimeType, size, sha256: "", read });
    return { id, mime_type: mimeType };
  }

  remove(id: string): void {
    this.#files.delete(id);
  }

  fault(fault: MediaFault): void {
    this.#faults.push(fault);
  }

  /** Whether the request was for a file. `unproven`: the answer to a query without the right proof of the app secret. */
  serve(request: IncomingMessage, response: ServerResponse, unproven: Refusal | null = null): boolean {
    const url = new URL(request.url ?? "/", "http://graph");
    const queried = /^\/v\d+\.\d\/(\w+)$/.exec(url.pathname)?.[1];
    const asked = /^\/files\/(\w+)$/.exec(url.pathname)?.[1];
    const id = queried ?? asked;
    const isOther =
      id === undefined || (!this.#files.has(id) && /^(\d+|debug_token|message_template_library)$/.test(id));
    if (request.method !== "GET" || isOther) return false;
    const step = queried === undefined ? "download" : "query";
    this.requests.push({ step, id });
    const file = this.#files.get(id);
    const fault = this.#faults.find((one) => one.step === step && one.times > 0);
    if (fault !== undefined) fault.times -= 1;
    if (request.headers.authorization !== `Bearer ${GRAPH_TOKEN}`) fail(response, 401, 190);
    else if (step === "query" && unproven !== null) fail(response, 400, unproven.code, undefined, unproven.message);
    else if (fault !== undefined && fault.answer !== "cut")
      fail(response, fault.answer.status, fault.answer.code, fault.answer.retryAfter);
    else if (file === undefined) fail(response, 400, 100);
    else if (step === "query") this.#describe(request, response, id, file);
    else send(response, file, fault?.answer === "cut");
    return true;
  }

  #describe(request: IncomingMessage, response: ServerResponse, id: string, file: HeldFile): void {
    const url = `${this.origin ?? `http://${request.headers.host}`}/files/${id}?ext=1`;
    const { mimeType: mime_type, size: file_size, sha256 } = file;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ messaging_product: "whatsapp", url, mime_type, sha256, file_size, id }));
  }
}

function fail(response: ServerResponse, status: number, code?: number, retryAfter?: string, message?: string): void {
  if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.end(
    code === undefined ? "gone" : JSON.stringify({ error: { code, message: message ?? `(#${code}) refused` } }),
  );
}

function send(response: ServerResponse, { size, mimeType, read }: HeldFile, isCut: boolean): void {
  response.writeHead(200, { "content-type": mimeType, "content-length": size });
  const end = isCut ? Math.floor(size / 2) : size;
  let at = 0;
  const next = (): void => {
    while (at < end) {
      const to = Math.min(at + CHUNK, end);
      const isRoom = response.write(read(at, to));
      at = to;
      if (!isRoom) return void response.once("drain", next);
    }
    if (isCut) response.socket?.destroy();
    else response.end();
  };
  next();
}
