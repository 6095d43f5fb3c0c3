/**
 * What the handler of an endpoint receives, and how it changes something. Each of the two doors fills a call: the
 * API's for a key, the console's for a session. Where both open an endpoint, its handler gets either, and `user` says
 * which. Every change goes through `change`.
 */
import type { TSchema } from "@sinclair/typebox";
import type { Clock } from "#src/core/clock.ts";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { Reader } from "#src/db/reader.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import type { ConsentEvidence } from "#src/domain/contacts/consent-log.ts";
import type { KeyUse } from "#src/domain/idempotency/keys.ts";
import type { SentBy } from "#src/domain/messages/accept.ts";
import type { LimitedKey } from "#src/domain/messages/key-limits.ts";
import { auditedOfKeys, type NewAuditEntry, recordAudit } from "#src/domain/users/audit-log.ts";
import { type FormUse, findFormAnswer, saveFormAnswer } from "#src/domain/users/form-answers.ts";
import type { WorkspaceAccess } from "#src/domain/users/read.ts";
import type { SignedIn } from "#src/domain/users/sessions.ts";
import { getKey } from "#src/domain/workspaces/api-keys.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { MediaFiles } from "#src/media/files.ts";
import type { Uploads } from "#src/media/uploads.ts";
import type { WebhookUrlRules } from "#src/net/address.ts";
import type { SendOptions } from "#src/sending/send-message.ts";
import type { TrialOptions } from "#src/webhooks/try-secret.ts";
import { type AnswerWith, answerData, keptAnswer, requireId } from "../answer.ts";
import type { ConsoleContext } from "../console/context.ts";
import type { EventWaiters } from "../event-waiters.ts";
import { changeOnce } from "../idempotency.ts";
import type { KeyQueue } from "../key-queue.ts";
import { wrongParameter } from "../page.ts";
import { findFieldProblems } from "../validate.ts";

/** The values of a query, by the names that the route declares. */
export interface Query<Values> {
  get<Name extends keyof Values & string>(name: Name): Values[Name] | null;
}

interface CallInput {
  path: object;
  query: unknown;
  body: unknown;
}

/** What both doors give. */
interface Asked<Input extends CallInput> {
  /** Ids are numbers. */
  path: Input["path"];
  query: Input["query"];
  body: Input["body"];
  headers: Headers;
  method: string;
  /** The path as it was requested, without the query: part of the fingerprint of an idempotent request. */
  pathname: string;
}

/** What both doors give for a workspace. */
interface InWorkspace {
  store: Store;
  clock: Clock;
  dispatch: SendOptions;
  /** Requests with an Idempotency-Key that this process is handling. */
  keyQueue: KeyQueue;
  media: MediaFiles;
  /** Which webhook addresses are permitted. */
  webhooks: WebhookUrlRules;
  /** For the test event of a new secret. */
  poster: TrialOptions["poster"];
  realClock: TrialOptions["realClock"];
  workspace: Workspace;
  /** Who calls, as the consent log keeps it. */
  by: ConsentEvidence;
  /** The API key, if it has limits in addition to its scopes. */
  limitedKey: LimitedKey | null;
  /** Runs slow queries on another thread, and waits for no other workspace. */
  reader: Reader;
  /**
   * A separate thread for searches and group filters, which may take seconds, so that other queries do not wait behind
   * them.
   */
  searchReader: Reader;
}

/** A call with an API key. */
export interface KeyCall<Input extends CallInput = CallInput> extends Asked<Input>, InWorkspace {
  user: null;
  keyId: number;
  /** Of the messages that the key sends. */
  sentBy: SentBy;
  /** Takes tokens of the rate limit beyond the request's own; waits for them. Throws `rate_limited`. */
  spend: (tokens: number) => Promise<void>;
  longPoll: LongPoll;
  /** With its body, for an endpoint that reads a form. */
  request: Request;
  uploads: Uploads;
}

/** What a request needs to wait for an event. */
export interface LongPoll {
  waiters: EventWaiters;
  /** Fires when the server begins to stop. */
  stopping: AbortSignal;
  /** Returns the signal that fires when the caller closes the connection. */
  disconnected: () => AbortSignal;
}

/** What every call of the console carries, signed in or not. */
export interface ConsoleCall<Input extends CallInput = CallInput> extends ConsoleContext, Asked<Input> {
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

export interface WorkspaceCall<Input extends CallInput = CallInput>
  extends UserCall<Input>,
    WorkspaceAccess,
    Omit<InWorkspace, keyof ConsoleContext | "workspace"> {
  /** For exports, which take as long as they take. */
  exportReader: Reader;
}

/** For functions that several handlers share: what they need of the path. */
export type WorkspaceCallWith<Path extends object> = WorkspaceCall<{ path: Path; query: unknown; body: unknown }>;
/** Of either door. */
export type AnyCallWith<Path extends object = object> = InWorkspace & { path: Path };
export type UserCallWith<Path extends object> = UserCall<{ path: Path; query: unknown; body: unknown }>;

const NO_VALUES: Readonly<Record<string, string | number>> = Object.freeze({});

/** Throws `not_found` for an id that no row can have. */
export function readPath(
  schemas: Readonly<Record<string, TSchema>> | undefined,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string | number>> {
  if (schemas === undefined) return NO_VALUES;
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { type, noun }]) => {
      const value = values[name] ?? "";
      return [name, type === "integer" ? requireId(value, String(noun)) : value];
    }),
  );
}

/**
 * Throws `invalid_request` for a value that is not among those of its schema. Names that are not declared are ignored.
 */
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
  /** Null: nothing worth an audit entry happened. */
  audit: (Omit<NewAuditEntry, "workspaceId"> & { workspaceId?: number }) | null;
  headers?: Readonly<Record<string, string>>;
  cookies?: readonly string[];
}

/**
 * Runs one transaction with the change. In the console, it also holds the audit entry and the answer that a
 * repetition of the same form gets; with an API key, the answer that repetitions of the key `use` get.
 */
export async function change<Data, Replayed = Data>(
  call: UserCall | KeyCall,
  act: (tx: Tx) => ChangeResult<Data, Replayed>,
  use: KeyUse | null = null,
): Promise<AnswerWith<{ data: Data | Replayed }>> {
  if (call.user === null) {
    const answer = (tx: Tx) => {
      const { status, data, audit } = act(tx);
      if (audit !== null && auditedOfKeys.includes(audit.action)) recordActOfKey(tx, call, audit);
      return answerData<Data | Replayed>(status, data);
    };
    return use === null ? call.store.write(answer) : keptAnswer(await changeOnce(call, use, answer));
  }
  const { form } = call;
  return call.store.write((tx) => {
    const replay = form === null ? undefined : findFormAnswer(tx, form);
    if (replay !== undefined) {
      return keptAnswer<{ data: Data | Replayed }>({ ...replay, headers: { "idempotent-replayed": "true" } });
    }
    const { status, data, replayData = data, audit, headers, cookies } = act(tx);
    if (audit !== null) recordAct(tx, call, audit);
    if (form !== null) saveFormAnswer(tx, form, status, JSON.stringify({ data: replayData }));
    return {
      ...answerData<Data | Replayed>(status, data),
      ...(headers === undefined ? {} : { headers }),
      ...(cookies === undefined ? {} : { cookies }),
    };
  });
}

/** Writes the audit entry of what the caller does, in the workspace of the call unless the entry names another. */
export function recordAct(
  tx: Tx,
  call: UserCall | WorkspaceCall,
  entry: NonNullable<ChangeResult<never>["audit"]>,
): void {
  const workspaceId = "workspace" in call ? call.workspace.id : null;
  recordAudit(tx, { userId: call.user.id, address: call.address }, { workspaceId, ...entry });
}

/** Only what `auditedOfKeys` names. */
function recordActOfKey(tx: Tx, { workspace, keyId }: KeyCall, entry: NonNullable<ChangeResult<never>["audit"]>): void {
  const { name, prefix } = getKey(tx, workspace.id, keyId);
  const details = { ...entry.details, key: `${name} (${prefix}…)` };
  recordAudit(tx, { userId: null, address: "" }, { workspaceId: workspace.id, ...entry, details });
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
  /** Further members of the answer's `error`. */
  readonly details: object;

  constructor(status: number, code: string, message: string, details = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}
