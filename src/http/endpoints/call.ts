/**
 * What the handler of an endpoint receives, and how it changes something. Handlers below `/w/{workspace}` receive the workspace and the caller's
 * role in it; anyone without access gets `not_found`. Every change goes through `change`, which records the audit entry and makes a
 * repeated form act once.
 */
import type { TSchema } from "@sinclair/typebox";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { Reader } from "#src/db/reader.ts";
import type { Tx } from "#src/db/transaction.ts";
import { type NewAuditEntry, recordAudit } from "#src/domain/users/audit-log.ts";
import { type FormUse, findFormAnswer, saveFormAnswer } from "#src/domain/users/form-answers.ts";
import type { WorkspaceAccess } from "#src/domain/users/read.ts";
import type { SignedIn } from "#src/domain/users/sessions.ts";
import type { Role } from "#src/domain/users/user.ts";
import type { ConsoleContext } from "../console/context.ts";
import { type AnswerWith, answerJson, keptAnswer, requireId } from "../endpoint.ts";
import { wrongParameter } from "../page.ts";
import { findFieldProblems } from "../validate.ts";
import type { BodyOf, Declaration, PathOf, QueryOf } from "./declare.ts";

/** The values of a query, by the names that the route declares. */
interface Query<Values> {
  get<Name extends keyof Values & string>(name: Name): Values[Name] | null;
}

interface CallInput {
  path: object;
  query: unknown;
  body: unknown;
}

/** What every call carries, signed in or not. */
export interface ConsoleCall<Input extends CallInput = CallInput> extends ConsoleContext {
  /** Ids are numbers. */
  path: Input["path"];
  query: Input["query"];
  /** The form, if the route declares one. */
  body: Input["body"];
  headers: Headers;
  method: string;
  pathname: string;
  request: Request;
  /** Address of the client, behind trusted proxies. */
  address: string;
  /** Removes the connection's idle limit, for streams and long downloads. */
  keepOpen: () => void;
}

export interface UserCall<Input extends CallInput = CallInput> extends ConsoleCall<Input>, SignedIn {
  /** The form's idempotency key; null if none was sent. */
  form: FormUse | null;
}

export interface WorkspaceCall<Input extends CallInput = CallInput> extends UserCall<Input>, WorkspaceAccess {
  /** The workspace's readers, which wait for no other workspace. */
  reader: Reader;
  searchReader: Reader;
  /** For exports, which take as long as they take. */
  exportReader: Reader;
}

/** For functions that several handlers share: what they need of the path. */
export type WorkspaceCallWith<Path extends object> = WorkspaceCall<{ path: Path; query: unknown; body: unknown }>;
export type UserCallWith<Path extends object> = UserCall<{ path: Path; query: unknown; body: unknown }>;

interface InputOf<D extends Declaration> {
  path: PathOf<D>;
  query: Query<QueryOf<D>>;
  body: D extends { checkedBy: "handler" } ? Readonly<Record<string, unknown>> : BodyOf<D>;
}

/** What the handler of an endpoint receives. */
export type CallOf<D extends Declaration> = D["session"] extends Role
  ? WorkspaceCall<InputOf<D>>
  : D["session"] extends "nobody"
    ? ConsoleCall<InputOf<D>>
    : UserCall<InputOf<D>>;

/** Throws `not_found` for an id that no row can have. */
export function readPath(
  schemas: Readonly<Record<string, TSchema>> = {},
  values: Readonly<Record<string, string>>,
): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { type, noun }]) => {
      const value = values[name] ?? "";
      return [name, type === "integer" ? requireId(value, String(noun)) : value];
    }),
  );
}

/** Throws `invalid_request` for a value that is not among those of its schema. Names that are not declared are ignored. */
export function readQuery(
  schemas: Readonly<Record<string, TSchema>> = {},
  query: URLSearchParams,
): Query<Record<string, string>> {
  for (const [name, { enum: choices }] of Object.entries(schemas)) {
    const value = query.get(name);
    if (value === null || !Array.isArray(choices) || choices.includes(value)) continue;
    throw wrongParameter(name, `Must be one of ${choices.join(", ")}.`);
  }
  return { get: (name) => query.get(name) };
}

export interface ChangeResult<Data, Replayed = Data> {
  status: number;
  data: Data;
  /** The answer to a repeated form, if `data` holds a secret. */
  replayData?: Replayed;
  /**
   * Null: nothing worth an audit entry happened. The entry belongs to the workspace of the call unless it names
   * another.
   */
  audit: (Omit<NewAuditEntry, "workspaceId"> & { workspaceId?: number }) | null;
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly string[];
}

/**
 * Runs one transaction with the change, its audit entry, and the stored answer that a repetition of the same form gets.
 */
export async function change<Data, Replayed = Data>(
  call: UserCall | WorkspaceCall,
  act: (tx: Tx) => ChangeResult<Data, Replayed>,
): Promise<AnswerWith<{ data: Data | Replayed }>> {
  const { form, user, address } = call;
  return call.store.write((tx) => {
    const replay = form === null ? undefined : findFormAnswer(tx, form);
    if (replay !== undefined) {
      return keptAnswer<{ data: Data | Replayed }>({ ...replay, headers: { "idempotent-replayed": "true" } });
    }
    const { status, data, replayData = data, audit, headers, cookies } = act(tx);
    if (audit !== null) {
      const workspaceId = "workspace" in call ? call.workspace.id : null;
      recordAudit(tx, { userId: user.id, address }, { workspaceId, ...audit });
    }
    if (form !== null) saveFormAnswer(tx, form, status, JSON.stringify({ data: replayData }));
    return {
      ...answerJson<{ data: Data | Replayed }>(status, { data }),
      ...(headers === undefined ? {} : { headers }),
      ...(cookies === undefined ? {} : { cookies }),
    };
  });
}

/** Throws `invalid_request` with the mistakes of each field. */
export function requireValidBody(schema: TSchema, body: Readonly<Record<string, unknown>>): void {
  const fields = findFieldProblems(schema, body);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
}

/** Does not reveal whether the resource exists. */
export function notFoundOrForbidden(): Problem {
  return new Problem("not_found", "Not found, or you don't have access.");
}

/** A refusal that exists only in the console, and therefore has no code in the API. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}
