/**
 * An endpoint is its declaration with what it does. The API's router, the console's router, the OpenAPI document and
 * the browser's client are all made from endpoints, so they cannot disagree.
 */
import type { Static } from "@sinclair/typebox";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { type Answer, type AnswerWith, answerJson, answerRows } from "../answer.ts";
import { readRowCount } from "../page.ts";
import { ROWS_PER_TOKEN } from "../rate-limit.ts";
import { Rows } from "../rows.ts";
import { type CallOf, type ChangeResult, change } from "./call.ts";
import {
  type ConsoleOutputOf,
  type Declaration,
  isList,
  type Method,
  type Needs,
  type OfApi,
  type ServedFile,
} from "./declare.ts";

type Output<D extends Declaration> = Static<D["output"]> | ConsoleOutputOf<D>;

/** What a list answers: its page with `meta`; every other endpoint: `data`. */
type ContentOf<Body> = Body extends { data: (infer View)[]; meta: infer Meta }
  ? { data: View[] | Rows<View>; meta: Meta }
  : Body extends { data: infer Data }
    ? Data | (Data extends (infer View)[] ? Rows<View> : never)
    : never;
type AnswerTo<Body> = Body extends ServedFile ? Response | Answer : AnswerWith<Body>;
type Content<D extends Declaration> = ContentOf<Output<D>>;
type Eventually<T> = T | Promise<T>;
type Run<Call> = (call: Call) => Eventually<Answer | Response>;

/** A declaration with what it does. Its door calls it with what the declaration promises. */
export type Endpoint<D extends Declaration = Declaration> = D & { run: Run<object> };

/**
 * An endpoint in the list of those that a door opens. `path`: as in its name; that of the API is without
 * `/w/{workspace}`.
 */
export type ListedEndpoint = Endpoint & { method: Method; path: string };
export type ApiEndpoint = ListedEndpoint & OfApi;
export type ConsoleEndpoint = ListedEndpoint & { session: Needs };

/** Say with one of these what the endpoint does. */
interface Declared<D extends Declaration> {
  /** Reads in one transaction. */
  read(act: (tx: ReadTx, call: CallOf<D>) => Content<D>): Endpoint<D>;
  /** Reads in several transactions, or on other threads. */
  load(act: (call: CallOf<D>) => Eventually<Content<D>>): Endpoint<D>;
  /** Changes something in one transaction, which also writes the audit entry and makes a repeated form act once. */
  change(act: (tx: Tx, call: CallOf<D>) => ChangeResult<Content<D>, Content<D>>): Endpoint<D>;
  /** Everything else: answers with a file, another status or a cookie, or changes something in several transactions. */
  answer(act: (call: CallOf<D>) => Eventually<AnswerTo<Output<D>>>): Endpoint<D>;
}

/** Tokens of a list beyond the one of every request, by the rows that it asks for; null: not a list. */
export function costOfRows({ method, output }: ListedEndpoint, query: URLSearchParams): number | null {
  if (method !== "GET" || !isList(output)) return null;
  return Math.floor(readRowCount(query.get("per_page")) / ROWS_PER_TOKEN);
}

export function endpoint<const D extends Declaration>(declared: D): Declared<D> {
  type Call = CallOf<D> & Parameters<typeof change>[0];
  const shown = (call: Call, content: unknown) => {
    const body = (isList(declared.output) ? content : { data: content }) as { data: unknown; meta?: object };
    const { data, meta } = body;
    return data instanceof Rows
      ? answerRows(call, data, meta === undefined ? null : () => meta)
      : answerJson(200, body);
  };
  const make = (run: Run<Call>): Endpoint<D> => ({ ...declared, run: run as Run<object> });
  return {
    read: (act) => make((call) => call.store.read((tx) => shown(call, act(tx, call)))),
    load: (act) =>
      make((call) => {
        const content = act(call);
        return content instanceof Promise ? content.then((given) => shown(call, given)) : shown(call, content);
      }),
    change: (act) => make((call) => change(call, (tx) => act(tx, call))),
    answer: make,
  };
}
