/**
 * The declaration of an API endpoint: method and path, texts for the reference, the problems that it may answer with,
 * and its handler. An endpoint is a constant; everything that belongs to a running server comes with the call. The
 * routes and the OpenAPI document are both made from it, so they cannot disagree.
 */
import type { TObject, TSchema } from "@sinclair/typebox";
import type { Clock } from "#src/core/clock.ts";
import { notFound, type ProblemCode } from "#src/core/problem.ts";
import type { Reader } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import type { BudgetedKey } from "#src/domain/messages/key-budget.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { MediaFiles } from "#src/media/files.ts";
import type { SendOptions } from "#src/sending/send-message.ts";
import type { EventWaiters } from "./event-waiters.ts";
import type { KeyQueue } from "./key-queue.ts";

/** Prefix of every path of the API. */
export const PREFIX = "/api/v1";

export interface Answer {
  status: number;
  /** JSON text. */
  body: string;
  /** Replaces the body. It is read while it is sent, so its size does not matter. */
  file?: Blob;
  headers?: Readonly<Record<string, string>>;
  /** Values of `Set-Cookie`. */
  cookies?: readonly string[];
  /** Ids of the rows that the answer is about, for the log. */
  logFields?: Readonly<Record<string, number>>;
}

export interface LongPoll {
  waiters: EventWaiters;
  /** Fires when the server begins to stop. */
  stopping: AbortSignal;
  /** Returns the signal that fires when the caller closes the connection. */
  disconnected: () => AbortSignal;
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

/**
 * An answer that was kept as text, for a repeated request. The code that kept it knows what it holds; in tests, it is compared
 * with the schema like every other one.
 */
export function keptAnswer<Body>(answer: Answer): AnswerWith<Body> {
  return answer as AnswerWith<Body>;
}

export interface Call {
  store: Store;
  clock: Clock;
  dispatch: SendOptions;
  /** Requests with an Idempotency-Key that this process is handling. */
  keyQueue: KeyQueue;
  /** What a request needs to wait for an event; absent in the console, whose requests do not wait. */
  longPoll?: LongPoll;
  media: MediaFiles;
  /** Runs slow queries on another thread. */
  reader: Reader;
  /**
   * A separate thread for searches and group filters, which may take seconds, so that other queries do not wait behind
   * them.
   */
  searchReader: Reader;
  workspace: Workspace;
  /** The API key, recorded as evidence of what the call changes. */
  keyId: number;
  /** The API key, if it has a daily budget of people. */
  budgetedKey: BudgetedKey | null;
  /** Values of the `{names}` in the path, as they were sent. */
  path: Readonly<Record<string, string>>;
  query: URLSearchParams;
  headers: Headers;
  /** Fields of the body; empty for endpoints without one. */
  body: Readonly<Record<string, unknown>>;
  method: string;
  /** The path as it was requested, without the query: part of the fingerprint of an idempotent request. */
  pathname: string;
}

export interface Endpoint {
  method: "GET" | "POST" | "PUT";
  /** Relative to the prefix, with names in braces: `/messages/{id}`. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  parameters?: readonly Parameter[];
  /** The schema of the body and an example of each form. Absent: a body is ignored. */
  body?: { schema: TSchema; examples: Readonly<Record<string, { summary: string; value: unknown }>> };
  success: Success;
  /** The endpoint's own codes, in addition to those that every endpoint may answer with. */
  problems: readonly ProblemCode[];
  handle: (call: Call) => Answer | Promise<Answer>;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: TSchema;
  /** By the name of the body's example, for a value that only fits with one body. */
  examples?: Readonly<Record<string, string>>;
  /** The value is a list, written with commas. */
  isCommaList?: boolean;
}

interface Success {
  status: 200 | 201 | 202;
  description: string;
  /** The same answer under another status, when it depends on the previous state. */
  otherStatus?: { status: 201; description: string };
  /** The schema of `data`, or of one item of `data` when `isList` is set. Lists also have `meta`. */
  data: TSchema;
  isList: boolean;
  /** Of a list whose `meta` is not that of numbered pages. */
  meta?: { schema: TObject; example: unknown };
  /** The answer is a file, of any type; `data` and `example` are not used. */
  isFile?: boolean;
  /** Whether an answer repeated under an Idempotency-Key says so in a header. */
  isReplayable?: boolean;
  example: unknown;
}

export function answerData<Data>(status: number, data: Data): AnswerWith<{ data: Data }> {
  return answerJson(status, { data });
}

/** Parses an id from a path. Throws `not_found` if it is not a positive integer, because no row has such an id. */
export function requireId(text: string | undefined, resource: string): number {
  const id = Number(text);
  if (text === undefined || !/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(id)) throw notFound(resource);
  return id;
}
