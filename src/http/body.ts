/** Reads a request body into a JSON object. Each way in which a body can be wrong has its own error message. */
import { type ParseError, parse as parseTolerantly } from "jsonc-parser";
import type { Clock } from "#src/core/clock.ts";
import { Problem } from "#src/core/problem.ts";
import {
  type BodyFault,
  BodyRefusal,
  NO_ROOM_RETRY_MS,
  type UnverifiedBodies,
  withUnverifiedBody,
} from "./unverified-body.ts";

const JSON_TYPE = /^application\/json *(;.*)?$/i;

/** Ten times deeper than any valid body. The limit keeps recursive code from overflowing the stack. */
const DEPTH_MAX = 100;

/**
 * Each entry costs time and memory when a body is checked. No object or list of a valid body has more of them than the
 * columns of an import. A whole body may have twenty times as many: 500 contacts with all of their fields have 60,000.
 */
export const ENTRIES_MAX = 5_000;
const ALL_ENTRIES_FACTOR = 20;

const [QUOTE, BACKSLASH, COMMA, OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = Buffer.from('"\\,{}[]');

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** Time limit of a body, so that a slow sender does not hold its connection for hours. */
const TIME_LIMIT_MS = 30_000;

/**
 * Reading a larger body can take longer than a slice of `Turns`: a megabyte with a different name for each member takes
 * fifty milliseconds.
 */
const PARSED_AT_ONCE_BYTES = 32 * 1024;

/**
 * `inTurn`: runs the parsing of a large body when its sender's turn comes. `max.entries`: of one object or list.
 * Throws `invalid_request`.
 */
export async function readBody(
  request: Request,
  max: { bytes: number; entries: number },
  clock: Clock,
  inTurn: <T>(work: () => T) => Promise<T>,
): Promise<Record<string, unknown>> {
  requireJsonType(request);
  const bytes = await withTimeout(readBytes(request, max.bytes), clock);
  refuseExcess(bytes, max.entries);
  return bytes.byteLength > PARSED_AT_ONCE_BYTES ? inTurn(() => parseObject(bytes)) : parseObject(bytes);
}

/** The same for a sender that is not authenticated yet. Throws `invalid_request` or `unavailable`. */
export async function readUnverifiedBody(
  request: Request,
  maxBytes: number,
  bodies: UnverifiedBodies,
): Promise<Record<string, unknown>> {
  requireJsonType(request);
  try {
    return await withUnverifiedBody(request, maxBytes, bodies, (body) => {
      refuseExcess(body, ENTRIES_MAX);
      return parseObject(body);
    });
  } catch (error) {
    throw error instanceof BodyRefusal ? problemOfFault(error.fault, maxBytes) : error;
  }
}

function problemOfFault(fault: BodyFault, maxBytes: number): Problem {
  if (fault === "too_large") return tooLarge(maxBytes);
  if (fault === "cut_short") return invalidBody("The body was cut short.");
  if (fault === "too_slow") return invalidBody("The body came too slowly.");
  return new Problem("unavailable", "The server is receiving too many requests right now. Try again.", {
    retryAfterMs: NO_ROOM_RETRY_MS,
  });
}

function requireJsonType(request: Request): void {
  const type = request.headers.get("content-type");
  if (type === null || !JSON_TYPE.test(type)) {
    throw invalidBody("Send the body as JSON, with the header `Content-Type: application/json`.");
  }
}

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    throw invalidBody("The body is not valid UTF-8.");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidBody(`The body is not valid JSON${describeJsonFault(text)}.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw invalidBody("The body has to be a JSON object.");
  }
  return value as Record<string, unknown>;
}

/** A fault after so many characters is not looked for: the parser continues after each, and a body may hold a million. */
const LOOKED_AT = 16_384;

/** Where the first fault is, such as ` (line 3, column 12)`; line and column count from 1. */
function describeJsonFault(body: string): string {
  const text = body.slice(0, LOOKED_AT);
  const errors: ParseError[] = [];
  parseTolerantly(text, errors, { disallowComments: true });
  const [first] = errors;
  if (first === undefined) return "";
  // The cut is a fault of its own, which is reported where the last value began or at the end.
  if (body.length > LOOKED_AT && first.offset + first.length >= LOOKED_AT) return "";
  const before = text.slice(0, first.offset).split("\n");
  return ` (line ${before.length}, column ${(before.at(-1) ?? "").length + 1})`;
}

/** Reads bytes, which need not be valid JSON: a body that is refused here is never parsed. */
function refuseExcess(bytes: Uint8Array, entriesMax: number): void {
  const levels = new Levels(entriesMax);
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfText(bytes, at + 1);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        levels.open();
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        levels.close();
        break;
      case COMMA:
        levels.separate();
    }
  }
}

function endOfText(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** By depth; of the one body that is looked at. */
const separatorsOf = new Uint32Array(DEPTH_MAX + 1);

/** The objects and lists that are open, each with the number of its entries. */
class Levels {
  readonly #max: number;
  #depth = 0;
  #all = 0;

  constructor(entriesMax: number) {
    this.#max = entriesMax;
    separatorsOf[0] = 0;
  }

  open(): void {
    this.#depth += 1;
    if (this.#depth > DEPTH_MAX) throw invalidBody(`The body is nested more than ${DEPTH_MAX} levels deep.`);
    separatorsOf[this.#depth] = 0;
  }

  close(): void {
    this.#depth = Math.max(0, this.#depth - 1);
  }

  separate(): void {
    const separators = (separatorsOf[this.#depth] ?? 0) + 1;
    separatorsOf[this.#depth] = separators;
    if (separators >= this.#max) {
      throw invalidBody(`An object or a list in the body has more than ${this.#max} entries.`);
    }
    this.#all += 1;
    const allMax = ALL_ENTRIES_FACTOR * this.#max;
    if (this.#all >= allMax) throw invalidBody(`The body has more than ${allMax} entries.`);
  }
}

/** Reports a connection that breaks off within the body, or malformed chunks, as `invalid_request`. */
async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  try {
    return await readAll(request, maxBytes);
  } catch (error) {
    throw error instanceof Problem ? error : invalidBody("The body was cut short.");
  }
}

/** Never reads more than `maxBytes`, whatever `Content-Length` says. */
async function readAll(request: Request, maxBytes: number): Promise<Uint8Array> {
  const contentLength = request.headers.get("content-length");
  if (contentLength !== null && Number(contentLength) > maxBytes) throw tooLarge(maxBytes);
  if (contentLength !== null) return new Uint8Array(await request.arrayBuffer());
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Rejects with `invalid_request` when no more of a body has come within 30 seconds. Most bodies arrive together with the head. */
export function withTimeout<T>(work: Promise<T>, clock: Clock): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.setTimer(TIME_LIMIT_MS, () => {
      reject(invalidBody(`The body did not come within ${TIME_LIMIT_MS / 1000} seconds.`));
    });
    // After the time limit, neither has an effect.
    work.then(
      (value) => {
        timer.cancel();
        resolve(value);
      },
      (error: unknown) => {
        timer.cancel();
        reject(error);
      },
    );
  });
}

function tooLarge(maxBytes: number): Problem {
  return invalidBody(`The body is larger than ${maxBytes} bytes.`);
}

/** No single field is wrong; `invalid_request` always carries `fields`, so it is empty. */
function invalidBody(message: string): Problem {
  return new Problem("invalid_request", message, { fields: {} });
}
