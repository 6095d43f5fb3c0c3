/**
 * How the console's contract declares a route: who may call it, what it takes and what it answers, as schemas under
 * the route's name (`GET /w/{workspace}/groups/{id}`). Handlers are attached to these names, and the browser calls
 * them. Everything in this folder is pure, because the browser's compiler reads it too.
 */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { Role } from "#src/domain/users/user.ts";
import { PageView } from "../../page-view.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";
type RouteName = `${Method} /${string}`;

/** `nobody`: without a session. `user`: any signed-in user. A role: a member of the workspace with at least it. */
type Needs = "nobody" | "user" | "server operator" | Role;

export interface RouteContract {
  needs: Needs;
  input: {
    /** The `{names}` of the path. `{workspace}` means the same everywhere, so it is not repeated. */
    path?: Readonly<Record<string, TSchema>>;
    query?: Readonly<Record<string, TSchema>>;
    /** Absent: a form is not read any further than its JSON. */
    body?: TSchema;
    /** The handler reads the form as the API does, with sentences about more than a schema can say. */
    checkedBy?: "handler";
    /** The body is a file, which the handler reads itself. */
    file?: true;
  };
  /** The whole answer: `Data`, `ListOf`, or a `File`. */
  output: TSchema;
}

type PathName<Name> = Name extends `${string}{${infer First}}${infer Rest}`
  ? Exclude<First, "workspace"> | PathName<Rest>
  : never;

type Declared<Routes> = {
  [Name in keyof Routes]: Name extends RouteName ? RouteContract & { input: PathInput<Name> } : never;
};
type PathInput<Name> = [PathName<Name>] extends [never]
  ? { path?: never }
  : { path: Readonly<Record<PathName<Name>, TSchema>> };

/** Checks at compile time that each name is well-formed and that each value of the path has a schema. */
export function declareRoutes<Routes extends Declared<Routes>>(routes: Routes): Routes {
  return routes;
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

export type PathOf<Route extends RouteContract> = Route["input"] extends { path: infer Path }
  ? { [Name in keyof Path]: Path[Name] extends TSchema ? Static<Path[Name]> : never }
  : object;

export type QueryOf<Route extends RouteContract> = Route["input"] extends { query: infer Query }
  ? { [Name in keyof Query]: Query[Name] extends TSchema ? Static<Query[Name]> : never }
  : object;

export type BodyOf<Route extends RouteContract> = Route["input"] extends { body: infer Body extends TSchema }
  ? Static<Body>
  : Readonly<Record<string, unknown>>;
