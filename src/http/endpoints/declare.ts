/**
 * How an endpoint is declared: who may call it, what it takes and what it answers, as schemas under its name
 * (`GET /w/{workspace}/groups/{id}`). `endpoint.ts` adds what it does.
 */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { Role } from "#src/domain/users/user.ts";
import { PageView } from "../page-view.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** `nobody`: without a session. `user`: any signed-in user. A role: a member of the workspace with at least it. */
type Needs = "nobody" | "user" | "server operator" | Role;

type Schemas = Readonly<Record<string, TSchema>>;

export interface Declaration {
  /** Who may call it with a session, in the console. */
  session: Needs;
  /**
   * The console asks for the password or the second factor again when the last time is long ago: a person at an unattended screen, or with
   * a stolen session cookie, must not be able to grant or revoke access, or to download everything.
   */
  isSensitive?: true;
  /** The `{names}` of the path. `{workspace}` means the same everywhere, so it is not repeated. */
  params?: Schemas;
  query?: Schemas;
  /** Absent: a form is not read any further than its JSON. */
  body?: TSchema;
  /** The handler reads the body, with sentences about more than a schema can say. */
  checkedBy?: "handler";
  /** The body is a file, which the handler reads itself. */
  file?: true;
  /** The whole answer: `Data`, `ListOf`, or a `File`. */
  output: TSchema;
}

/** Additional members of a form are refused. */
export const strict = { additionalProperties: false };

export const Empty = Type.Object({});

/** The id of a row in a path. Anything else has no row: `notFound` with this noun. */
export function Id(noun: string) {
  return Type.Integer({ minimum: 1, noun });
}

/** `{data}` */
export function Data<Schema extends TSchema>(schema: Schema) {
  return Type.Object({ data: schema });
}

/** `{data, meta}`: one page of a list. */
export function ListOf<Schema extends TSchema>(schema: Schema) {
  return Type.Object({ data: Type.Array(schema), meta: PageView });
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

/** In the query of a list: a page by its number, or by a cursor. */
export const PageQuery = { page: Type.String(), after: Type.String() };

export type PathOf<D extends Declaration> = D extends { params: infer Path extends Schemas }
  ? { [Name in keyof Path]: Static<Path[Name]> }
  : object;

export type QueryOf<D extends Declaration> = D extends { query: infer Query extends Schemas }
  ? { [Name in keyof Query]: Static<Query[Name]> }
  : object;

export type BodyOf<D extends Declaration> = D extends { body: infer Body extends TSchema }
  ? Static<Body>
  : Readonly<Record<string, unknown>>;
