/**
 * What a route of the console is: its place below `/console/api`, who may call it, the shape of its form, and what it
 * does. Routes below `/w/{workspace}` are handed the workspace and the caller's role in it; for anybody else they are not
 * there at all. What changes something goes through `change`: the deed is logged, and a form that comes twice acts once.
 */
import type { TSchema } from "@sinclair/typebox";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { Tx } from "#src/db/transaction.ts";
import { type Deed, recordDeed } from "#src/domain/users/audit-log.ts";
import { type FormUse, findFormAnswer, keepFormAnswer } from "#src/domain/users/form-answers.ts";
import type { Entry } from "#src/domain/users/read.ts";
import type { SignedIn } from "#src/domain/users/sessions.ts";
import type { Role } from "#src/domain/users/user.ts";
import type { Answer } from "../endpoint.ts";
import { findMistakes } from "../validate.ts";
import type { ConsoleParts } from "./context.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** What every call carries, whoever it comes from. */
export interface ConsoleCall extends ConsoleParts {
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

export interface WorkspaceCall extends UserCall, Entry {}

type Handled = Answer | Response | Promise<Answer | Response>;

interface Place {
  method: Method;
  /** Below `/console/api`, with names in braces. */
  path: string;
  /** The form's schema; without one nothing of a form is looked at. */
  body?: TSchema;
  /** The body is a file, which the route reads by itself. */
  takesFile?: true;
}

export type ConsoleRoute = Place &
  (
    | { needs: "nobody"; handle: (call: ConsoleCall) => Handled }
    /** Signed in. */
    | { needs: "user"; handle: (call: UserCall) => Handled }
    | { needs: "server operator"; handle: (call: UserCall) => Handled }
    /** Below `/w/{workspace}`, at least in this role there. */
    | { needs: Role; handle: (call: WorkspaceCall) => Handled }
  );

export interface Changed {
  status: number;
  data: unknown;
  /** What a repetition is answered, where `data` holds a secret. */
  repeated?: unknown;
  /** Null: nothing was done that is worth a line. It is of the call's workspace, unless it names another. */
  deed: (Omit<Deed, "workspaceId"> & { workspaceId?: number }) | null;
  headers?: Readonly<Record<string, string>>;
}

/** One transaction: the act, its line in the log, and the answer that a repetition of the same form gets. */
export async function change(call: UserCall | WorkspaceCall, act: (tx: Tx) => Changed): Promise<Answer> {
  const { form, user, address } = call;
  return call.store.write((tx) => {
    const kept = form === null ? undefined : findFormAnswer(tx, form);
    if (kept !== undefined) return { ...kept, headers: { "idempotent-replayed": "true" } };
    const { status, data, repeated = data, deed, headers } = act(tx);
    if (deed !== null) {
      const workspaceId = "workspace" in call ? call.workspace.id : null;
      recordDeed(tx, { userId: user.id, address }, { workspaceId, ...deed });
    }
    if (form !== null) keepFormAnswer(tx, form, status, JSON.stringify({ data: repeated }));
    return { status, body: JSON.stringify({ data }), ...(headers === undefined ? {} : { headers }) };
  });
}

/** Throws `invalid_request` with what is wrong with each field. */
export function requireShape(schema: TSchema, body: Readonly<Record<string, unknown>>): void {
  const fields = findMistakes(schema, body);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
}

/** Whoever may not know that it is there is told that it is not. */
export function nothingHere(): Problem {
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
