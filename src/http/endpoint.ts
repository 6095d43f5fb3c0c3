/**
 * What an endpoint is: its place, its words for the reference, the problems that it may answer, and what it does. An
 * endpoint is a constant: everything that a running server has comes with the call. The routes and the OpenAPI document
 * are both made from it, so they cannot disagree.
 */
import type { TObject, TSchema } from "@sinclair/typebox";
import { notFound, type ProblemCode } from "#src/core/problem.ts";
import type { Reader } from "#src/db/reader.ts";
import type { ReadWriteStore } from "#src/db/store.ts";
import type { ConsentEvidence } from "#src/domain/contacts/consent-log.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { SendOptions } from "#src/sending/send-message.ts";
import type { KeyQueue } from "./key-queue.ts";

/** What every path of the API begins with. */
export const PREFIX = "/api/v1";

export interface Answer {
  status: number;
  /** JSON text. */
  body: string;
  headers?: Readonly<Record<string, string>>;
  /** Ids of what the answer is about, for the log. */
  logFields?: Readonly<Record<string, number>>;
}

/** A program with a key, or a person of the console. */
export type Caller = { key: number } | { user: number };

export interface Call {
  store: ReadWriteStore;
  dispatch: SendOptions;
  /** The requests with an Idempotency-Key that this server is acting upon. */
  keyQueue: KeyQueue;
  /** For what may take long: it runs on another thread. */
  reader: Reader;
  /** The same for saved searches, whose counts may take seconds: nobody else waits behind them. */
  searchReader: Reader;
  workspace: Workspace;
  /** Who asks: evidence of what it changes. */
  caller: Caller;
  /** Values of the path's `{names}`, as they were sent. */
  path: Readonly<Record<string, string>>;
  query: URLSearchParams;
  headers: Headers;
  /** The body's members; empty for endpoints without a body. */
  body: Readonly<Record<string, unknown>>;
  method: string;
  /** The path as it was called, without the query: part of an idempotent request's fingerprint. */
  pathname: string;
}

export interface Endpoint {
  method: "GET" | "POST" | "PUT";
  /** Below the prefix, with names in braces: `/messages/{id}`. */
  path: string;
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  parameters?: readonly Parameter[];
  /** The body's schema and an example of each form; absent: a body is ignored. */
  body?: { schema: TSchema; examples: Readonly<Record<string, { summary: string; value: unknown }>> };
  success: Success;
  /** What it may refuse with, beside what every endpoint may: its own codes. */
  problems: readonly ProblemCode[];
  handle: (call: Call) => Answer | Promise<Answer>;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: TSchema;
}

export interface Success {
  status: 200 | 201 | 202;
  description: string;
  /** The same answer under another status, where it depends on what was there before. */
  otherStatus?: { status: 201; description: string };
  /** What `data` holds: one of these, or a list of them with `meta`. */
  data: TObject;
  isList: boolean;
  /** Answers that were kept under an Idempotency-Key say so in a header. */
  isReplayable?: boolean;
  example: unknown;
}

export function answerData(status: number, data: unknown): Answer {
  return { status, body: JSON.stringify({ data }) };
}

/** What the consent log is told about a change that a person or a program asked for. */
export function consentEvidence({ caller }: Pick<Call, "caller">): ConsentEvidence {
  return "key" in caller ? { source: "api", evidence: caller } : { source: "manual", evidence: caller };
}

/** An id in a path. Throws `not_found` for what is no integer: nothing has such an id. */
export function requireId(text: string | undefined, resource: string): number {
  const id = Number(text);
  if (text === undefined || !/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(id)) throw notFound(resource);
  return id;
}
