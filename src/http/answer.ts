/** What a request is answered with, before it becomes a response of the runtime. */
import type { Clock } from "#src/core/clock.ts";
import { notFound } from "#src/core/problem.ts";
import { SLICE_MS } from "#src/core/turns.ts";
import type { Store } from "#src/db/store.ts";
import { Pieces, type Rows } from "./rows.ts";

/** Prefix of every path of the API. */
export const PREFIX = "/api/v1";

export interface Answer {
  status: number;
  /** JSON text. */
  body: string;
  /** Replaces the body. It is read while it is sent, so its size does not matter. */
  file?: Blob | ReadableStream<Uint8Array>;
  /** What follows `body`, made while it is sent. */
  rest?: Pieces;
  /** How many entries the answer has. */
  rowCount?: number;
  headers?: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`. */
  cookies?: readonly string[];
  /** Ids of the rows that the answer is about, for the log. */
  logFields?: Readonly<Record<string, number>>;
}

declare const content: unique symbol;

/** An answer of which the compiler knows what its JSON holds. */
export interface AnswerWith<Body> extends Answer {
  readonly [content]: Body;
}

/** `body` becomes the JSON of the answer, so it is what the answer holds. */
export function answerJson<Body>(status: number, body: Body): AnswerWith<Body> {
  const answer: Answer = { status, body: JSON.stringify(body) };
  return answer as AnswerWith<Body>;
}

/** An answer of half a slice is made at once: finding the rows took the other half. */
export function answerRows<Body>(
  call: { store: Store; clock: Clock },
  rows: Rows<unknown>,
  meta: (() => object) | null,
): AnswerWith<Body> {
  const pieces = new Pieces(call, rows, meta);
  const body = pieces.next(SLICE_MS / 2);
  const answer: Answer = { status: 200, body, rowCount: rows.count, ...(pieces.isDone ? {} : { rest: pieces }) };
  return answer as AnswerWith<Body>;
}

export function answerData<Data>(status: number, data: Data): AnswerWith<{ data: Data }> {
  return answerJson(status, { data });
}

/**
 * An answer that was kept as text, for a repeated request. The code that kept it knows what it holds; in tests, it is compared
 * with the schema like every other one.
 */
export function keptAnswer<Body>(answer: Answer): AnswerWith<Body> {
  return answer as AnswerWith<Body>;
}

/** Parses an id from a path. Throws `not_found` if it is not a positive integer, because no row has such an id. */
export function requireId(text: string | undefined, resource: string): number {
  const id = Number(text);
  if (text === undefined || !/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(id)) throw notFound(resource);
  return id;
}
