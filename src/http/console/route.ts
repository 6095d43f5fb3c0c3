/**
 * What a route of the console is: its place below `/console/api`, who may call it, the shape of its form, and what it
 * does. Routes below `/w/{workspace}` are handed the workspace and the caller's role in it; for anybody else they are not
 * there at all. What changes something goes through `change`: the deed is logged, and a form that comes twice acts once.
 */
import type { TSchema } from "@sinclair/typebox";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { type NewAuditEntry, recordAudit } from "#src/domain/users/audit-log.ts";
import { type FormUse, findFormAnswer, saveFormAnswer } from "#src/domain/users/form-answers.ts";
import type { WorkspaceAccess } from "#src/domain/users/read.ts";
import type { SignedIn } from "#src/domain/users/sessions.ts";
import type { Role } from "#src/domain/users/user.ts";
import type { Answer } from "../endpoint.ts";
import { findFieldProblems } from "../validate.ts";
import type { ConsoleContext } from "./context.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** What every call carries, whoever it comes from. */
export interface ConsoleCall extends ConsoleContext {
  path: Readonly<Record<string, string>>;
  query: URLSearchParams;
  headers: Headers;
  /** The form; empty for GET. */
  body: Readonly<Record<string, unknown>>;
  method: string;
  pathname: string;
  request: Request;
  /** Where the request comes from, behind proxies that are trusted. */
  address: string;
  /** Keeps the connection open without a limit: for a stream. */
  keepOpen: () => void;
}

export interface UserCall extends ConsoleCall, SignedIn {
  /** The form's own key; null where none was sent. */
  form: FormUse | null;
}

export interface WorkspaceCall extends UserCall, WorkspaceAccess {}

type HandlerResult = Answer | Response | Promise<Answer | Response>;

interface RouteBase {
  method: Method;
  /** Below `/console/api`, with names in braces. */
  path: string;
  /** The form's schema; without one nothing of a form is looked at. */
  body?: TSchema;
  /** The body is a file, which the route reads by itself. */
  takesFile?: true;
}

export type ConsoleRoute = RouteBase &
  (
    | { needs: "nobody"; handle: (call: ConsoleCall) => HandlerResult }
    /** Signed in. */
    | { needs: "user"; handle: (call: UserCall) => HandlerResult }
    | { needs: "server operator"; handle: (call: UserCall) => HandlerResult }
    /** Below `/w/{workspace}`, at least in this role there. */
    | { needs: Role; handle: (call: WorkspaceCall) => HandlerResult }
  );

export interface ChangeResult {
  status: number;
  data: unknown;
  /** What a repetition is answered, where `data` holds a secret. */
  replayData?: unknown;
  /** Null: nothing was done that is worth a line. It is of the call's workspace, unless it names another. */
  audit: (Omit<NewAuditEntry, "workspaceId"> & { workspaceId?: number }) | null;
  headers?: Readonly<Record<string, string>>;
}

/** One transaction: the act, its line in the log, and the answer that a repetition of the same form gets. */
export async function change(call: UserCall | WorkspaceCall, act: (tx: Tx) => ChangeResult): Promise<Answer> {
  const { form, user, address } = call;
  return call.store.write((tx) => {
    const replay = form === null ? undefined : findFormAnswer(tx, form);
    if (replay !== undefined) return { ...replay, headers: { "idempotent-replayed": "true" } };
    const { status, data, replayData = data, audit, headers } = act(tx);
    if (audit !== null) {
      const workspaceId = "workspace" in call ? call.workspace.id : null;
      recordAudit(tx, { userId: user.id, address }, { workspaceId, ...audit });
    }
    if (form !== null) saveFormAnswer(tx, form, status, JSON.stringify({ data: replayData }));
    return { status, body: JSON.stringify({ data }), ...(headers === undefined ? {} : { headers }) };
  });
}

/** Throws `invalid_request` with what is wrong with each field. */
export function requireValidBody(schema: TSchema, body: Readonly<Record<string, unknown>>): void {
  const fields = findFieldProblems(schema, body);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
}

/** Whoever may not know that it is there is told that it is not. */
export function notFoundOrForbidden(): Problem {
  return new Problem("not_found", "Nothing here, or not for you.");
}

/** A refusal that only the console knows, so it has no place among the codes of the API. */
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
