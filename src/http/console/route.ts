/**
 * The declaration of a console route: its path below `/console/api`, who may call it, the schema of its form, and its
 * handler. Handlers below `/w/{workspace}` receive the workspace and the caller's role in it; anyone without access
 * gets `not_found`. Every change goes through `change`, which records the audit entry and makes a repeated form act
 * once.
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
import type { Answer } from "../endpoint.ts";
import { findFieldProblems } from "../validate.ts";
import type { ConsoleContext } from "./context.ts";

type Method = "GET" | "POST" | "PUT" | "DELETE";

/** What every call carries, signed in or not. */
export interface ConsoleCall extends ConsoleContext {
  path: Readonly<Record<string, string>>;
  query: URLSearchParams;
  headers: Headers;
  /** Fields of the form; empty for GET. */
  body: Readonly<Record<string, unknown>>;
  method: string;
  pathname: string;
  request: Request;
  /** Address of the client, behind trusted proxies. */
  address: string;
  /** Removes the connection's idle limit, for streams and long downloads. */
  keepOpen: () => void;
}

export interface UserCall extends ConsoleCall, SignedIn {
  /** The form's idempotency key; null if none was sent. */
  form: FormUse | null;
}

export interface WorkspaceCall extends UserCall, WorkspaceAccess {
  /** The workspace's readers, which wait for no other workspace. */
  reader: Reader;
  searchReader: Reader;
  /** For exports, which take as long as they take. */
  exportReader: Reader;
}

type HandlerResult = Answer | Response | Promise<Answer | Response>;

interface RouteBase {
  method: Method;
  /** Relative to `/console/api`, with names in braces. */
  path: string;
  /** Schema of the form. Absent: the form is not checked. */
  body?: TSchema;
  /** The body is a file, which the handler reads itself. */
  takesFile?: true;
}

export type ConsoleRoute = RouteBase &
  (
    | { needs: "nobody"; handle: (call: ConsoleCall) => HandlerResult }
    /** Any signed-in user. */
    | { needs: "user"; handle: (call: UserCall) => HandlerResult }
    | { needs: "server operator"; handle: (call: UserCall) => HandlerResult }
    /** Below `/w/{workspace}`: a member with at least this role. */
    | { needs: Role; handle: (call: WorkspaceCall) => HandlerResult }
  );

export interface ChangeResult {
  status: number;
  data: unknown;
  /** The answer to a repeated form, if `data` holds a secret. */
  replayData?: unknown;
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
export async function change(call: UserCall | WorkspaceCall, act: (tx: Tx) => ChangeResult): Promise<Answer> {
  const { form, user, address } = call;
  return call.store.write((tx) => {
    const replay = form === null ? undefined : findFormAnswer(tx, form);
    if (replay !== undefined) return { ...replay, headers: { "idempotent-replayed": "true" } };
    const { status, data, replayData = data, audit, headers, cookies } = act(tx);
    if (audit !== null) {
      const workspaceId = "workspace" in call ? call.workspace.id : null;
      recordAudit(tx, { userId: user.id, address }, { workspaceId, ...audit });
    }
    if (form !== null) saveFormAnswer(tx, form, status, JSON.stringify({ data: replayData }));
    return {
      status,
      body: JSON.stringify({ data }),
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
