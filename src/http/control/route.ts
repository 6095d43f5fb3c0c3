/** The declaration of a call of the test control, and what its handlers use. */
import type { Static, TSchema } from "@sinclair/typebox";
import type { Clock } from "#src/core/clock.ts";
import { readDuration } from "#src/core/duration.ts";
import { readInstant } from "#src/core/instant.ts";
import type { Journal } from "#src/core/journal.ts";
import type { MovableClock } from "#src/core/movable-clock.ts";
import { type E164, fromNetwork } from "#src/core/phone.ts";
import { invalidRequest, noProblems } from "#src/core/problem.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { listOnNetwork } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { listWorkspaces } from "#src/domain/workspaces/read.ts";
import type { PostResult } from "#src/net/post.ts";
import type { SimulatorControl } from "#src/networks/simulator/control.ts";
import type { SimulatedFiles } from "#src/networks/simulator/media.ts";
import type { Answer } from "../answer.ts";
import type { Method } from "../endpoints/endpoint.ts";

/** One attempt to deliver a webhook. */
export interface SentWebhook {
  workspaceId: number;
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Exactly as sent. */
  body: string;
  at: number;
  result: PostResult;
}

/** An answered request of the API. */
export interface SeenRequest {
  /** Counts up from 1 in the life of the server, also across resets. */
  number: number;
  at: number;
  method: string;
  /** With the query. */
  path: string;
  status: number;
  durationMs: number;
  requestId: string | null;
}

/** What the clock shows after a reset. */
export interface ResetTime {
  /** Milliseconds since the epoch; null: the time of the start. */
  at: number | null;
  isFrozen: boolean;
}

export interface ControlContext {
  store: Store;
  box: SecretBox;
  clock: MovableClock;
  /** For the waits of callers, which a test does not move. */
  realClock: Clock;
  simulator: SimulatorControl;
  /** What the simulated network keeps for people's messages. */
  simulatedFiles: SimulatedFiles;
  webhooks: Journal<SentWebhook>;
  requests: Journal<SeenRequest>;
  /** Brings the database, the networks and the clock back to where they were at the start. */
  reset: (time: ResetTime) => Promise<void>;
  /** Brings back the rows of one workspace. */
  resetWorkspace: (workspaceId: number) => Promise<void>;
  /** From now on, a reset brings this workspace back to its present state. */
  saveWorkspace: (workspaceId: number) => Promise<void>;
  /** As the command line does it. */
  erase: (find: (tx: Tx) => Contact) => Promise<unknown>;
}

interface ControlCall<Body> extends ControlContext {
  query: URLSearchParams;
  /** Empty for calls without a body. */
  body: Body;
}

interface Taken<Body extends TSchema> {
  /** The names of its query parameters; others are refused. */
  query?: readonly string[];
  body?: Body;
}

export interface ControlRoute extends Taken<TSchema> {
  method: Method;
  path: string;
  handle: (call: ControlCall<unknown>) => Answer | Promise<Answer>;
}

/** Declares a call under its name (`POST /clock`): what it takes, and what it does with a body that was checked. */
export function declareCall<Body extends TSchema = TSchema>(
  name: `${Method} /${string}`,
  taken: Taken<Body>,
  handle: (call: ControlCall<Static<Body>>) => Answer | Promise<Answer>,
): ControlRoute {
  const [method, path = ""] = name.split(" ");
  return { ...taken, method: method as Method, path, handle: handle as ControlRoute["handle"] };
}

/** The named workspace, or the first one. Throws `invalid_request`. */
export function findWorkspaceId(tx: ReadTx, named: number | undefined): number {
  const all = listWorkspaces(tx);
  const found = named === undefined ? all[0] : all.find(({ id }) => id === named);
  if (found === undefined) {
    throw invalidField("workspace", named === undefined ? "There is no workspace yet." : "There is no such workspace.");
  }
  return found.id;
}

/** The number of the simulator that `to` names. Without `to`, the first one. Throws `invalid_request`. */
export function findSimulated(tx: ReadTx, to: string | undefined): SendingNumber {
  const numbers = listOnNetwork(tx, "simulator");
  const phone = to === undefined ? null : readE164("to", to);
  const found = phone === null ? numbers[0] : numbers.find((number) => number.phone === phone);
  if (found === undefined) throw invalidField("to", "There is no such number on the simulator.");
  return found;
}

/** Refuses one field. */
export function invalidField(field: string, sentence: string): Error {
  const fields = noProblems();
  fields[field] = [sentence];
  return invalidRequest(fields);
}

/** Milliseconds since the epoch. Throws `invalid_request`. */
export function readTime(field: string, text: string): number {
  const at = readInstant(text, "UTC");
  if (at === null) throw invalidField(field, 'This is not a time such as "2026-12-24T09:00:00+05:30".');
  return at;
}

/** A number with its country's code. A `+` that was not encoded in a query arrives as a space. */
export function readE164(field: string, text: string): E164 {
  const digits = /^[ +]?(\d{5,15})$/.exec(text)?.[1];
  const phone = digits === undefined ? null : fromNetwork(digits);
  if (phone === null) throw invalidField(field, "This is not a phone number such as +442079460210.");
  return phone;
}

/** Milliseconds. */
export function readSpan(field: string, text: string, maxMs: number): number {
  const span = readDuration(text);
  if (span === null || span.kind !== "ms")
    throw invalidField(field, 'This is not a duration such as "800ms" or "30s".');
  if (span.ms > maxMs) throw invalidField(field, `This may be at most ${maxMs / 1_000} seconds.`);
  return span.ms;
}

export function readFlag(field: string, text: string): boolean {
  if (text !== "true" && text !== "false") throw invalidField(field, "This has to be true or false.");
  return text === "true";
}
