/**
 * An endpoint is its declaration with what it does. The declaration says under the endpoint's name
 * (`GET /w/{workspace}/groups/{id}`) who may call it, and as schemas what it takes and what it answers. The API's router,
 * the console's router, the OpenAPI document and the browser's client are all made from endpoints, so they cannot
 * disagree.
 */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { ProblemCode } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { Right } from "#src/domain/users/roles.ts";
import type { Scope } from "#src/domain/workspaces/scopes.ts";
import { type Answer, type AnswerWith, answerJson, answerRows } from "../answer.ts";
import { PageView, readRowCount } from "../page.ts";
import { ROWS_PER_TOKEN } from "../rate-limit.ts";
import { Rows } from "../rows.ts";
import {
  type ChangeResult,
  type ConsoleCall,
  change,
  type KeyCall,
  type Query,
  type UserCall,
  type WorkspaceCall,
} from "./call.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** `nobody`: without a session. `user`: any signed-in user. A right: a member of the workspace whose role has it. */
export type Needs = "nobody" | "user" | "server operator" | Right;
type Schemas = Readonly<Record<string, TSchema>>;

/** What an endpoint of the API has, where the key stands for `/w/{workspace}`. */
export interface OfApi {
  /**
   * Scopes of which the key needs one, else it gets 403 before anything of the request is read; null: every key may
   * call it.
   */
  key: readonly Scope[] | null;
  /** The same for a key that 0.1 made, which opens the endpoints of 0.1 alone. Default: `key`; empty: none of them. */
  keyOfFirstVersion?: readonly Scope[];
  reference: Reference;
}

/** Of the API, of the console, or of both. An endpoint of neither does not compile. */
export type Declaration = Shape & (OfApi | (OfConsole & { key?: undefined; reference?: undefined }));

interface OfConsole {
  /** Who may call it with a session. */
  session: Needs;
}

interface Shape {
  /** The endpoint belongs to the console: who may call it with a session. */
  session?: Needs;
  /**
   * The console asks for the password or the second factor again when the last time is long ago: a person at an
   * unattended screen, or with a stolen session cookie, must not be able to grant or revoke access, to give
   * credit, to stop a workspace or let it continue, or to download everything.
   */
  isSensitive?: true;
  /** The body holds secrets of the network, which are not accepted over plain http, loopback apart. */
  takesSecrets?: true;
  /** The `{names}` of the path. `{workspace}` means the same everywhere, so it is not repeated. */
  params?: Schemas;
  query?: Schemas;
  /** What the query of the console has in addition, or with other values. */
  consoleQuery?: Schemas;
  /** Absent: a body is not read any further than its JSON. */
  body?: TSchema;
  /** The handler reads the body, with sentences about more than a schema can say. */
  checkedBy?: "handler";
  /** The body is a file, which the handler reads itself. */
  file?: true;
  /** The body is a form with a file (`multipart/form-data`), which the handler reads itself. */
  form?: TSchema;
  /** The whole answer: `Data`, `ListOf`, or a `File`. */
  output: TSchema;
  /** What the console gets instead, with more members. */
  consoleOutput?: TSchema;
}

/** What the API's reference says. The descriptions of parameters and members are in their schemas. */
interface Reference {
  operationId: string;
  tag: string;
  summary: string;
  description: string;
  /** An example of each form of the body. */
  bodies?: Readonly<Record<string, { summary: string; value: unknown }>>;
  /** The endpoint takes an Idempotency-Key: one for each of `bodies`, because a key belongs to one body. */
  keys?: Readonly<Record<string, string>>;
  /** Headers that the endpoint reads. */
  headers?: Schemas;
  success: string;
  /** Default: 200. */
  status?: 201 | 202;
  /** The same answer with 201, when something was created. */
  created?: string;
  /** The same answer with 202, when it is to be done at a later time. */
  scheduled?: string;
  /** Of `data`. Absent for a file. */
  example?: unknown;
  /** Of a `meta` that is not that of numbered pages. */
  meta?: unknown;
  /** The endpoint's own codes, in addition to those that every endpoint may answer with. */
  problems?: readonly ProblemCode[];
}

export const Empty = Type.Object({});

/** An order whose body has only members that may be absent: then the whole body may be. Else it was forgotten. */
export function mayLackBody({ method, body }: { method: Method; body?: TSchema }): boolean {
  return method === "POST" && body?.properties !== undefined && body.required === undefined;
}

/** The id of a row in a path. Anything else has no row: `notFound` with this noun. */
export function Id(noun: string, options: object = { minimum: 1, description: `Id of the ${noun}.` }) {
  return Type.Integer({ ...options, noun });
}

/** `{data}` */
export function Data<Schema extends TSchema>(schema: Schema) {
  return Type.Object({ data: schema });
}

/** `{data, meta}`: one page of a list. */
export function ListOf<Schema extends TSchema>(schema: Schema): ReturnType<typeof listWith<Schema, typeof PageView>> {
  return listWith(schema, PageView);
}

/** The same with another `meta`. */
export function listWith<Schema extends TSchema, Meta extends TSchema>(schema: Schema, meta: Meta) {
  return Type.Object({ data: Type.Array(schema), meta });
}

export function isList({ properties }: TSchema): boolean {
  return properties?.meta !== undefined;
}

/** An answer that is not JSON: a download or a stream. */
export interface ServedFile {
  readonly isFile: true;
}

/** The type of the file is read from its bytes. */
export const ANY_TYPE = "*/*";

export function File(contentType: string) {
  return Type.Unsafe<ServedFile>({ contentType });
}

export type PathOf<D extends Declaration> = D extends { params: infer Path extends Schemas }
  ? { [Name in keyof Path]: Static<Path[Name]> }
  : object;

/** Values are texts; one that the caller checks is of the kind that its schema says. */
type Texts<Query> = {
  [Name in keyof Query]: Query[Name] extends TSchema
    ? Static<Query[Name]> extends string
      ? Static<Query[Name]>
      : string
    : never;
};

/** The query of the console. */
export type QueryOf<D extends Declaration> = D extends { consoleQuery: infer Console extends Schemas }
  ? Texts<Omit<QueryNames<D>, keyof Console> & Console>
  : Texts<QueryNames<D>>;

/** The schemas of the query by name, without those of the console alone. */
type QueryNames<D extends Declaration> = D extends { query: infer Query extends Schemas } ? Query : object;

export type BodyOf<D extends Declaration> = D extends { body: infer Body extends TSchema }
  ? Static<Body>
  : Readonly<Record<string, unknown>>;

/** What the browser gets. */
export type ConsoleOutputOf<D extends Declaration> = D extends { consoleOutput: infer Output extends TSchema }
  ? Static<Output>
  : Static<D["output"]>;

interface InputOf<D extends Declaration> {
  path: PathOf<D>;
  /** The API's handlers check the values themselves, with faults for programs. */
  query: Query<"key" extends keyof D ? Record<keyof QueryOf<D>, string> : QueryOf<D>>;
  body: D extends { checkedBy: "handler" } ? Readonly<Record<string, unknown>> : BodyOf<D>;
}

/** What the handler of an endpoint receives. */
export type CallOf<D extends Declaration> =
  | ("key" extends keyof D ? KeyCall<InputOf<D>> : never)
  | ("session" extends keyof D
      ? D["session"] extends Right
        ? WorkspaceCall<InputOf<D>>
        : D["session"] extends "nobody"
          ? ConsoleCall<InputOf<D>>
          : UserCall<InputOf<D>>
      : never);

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
