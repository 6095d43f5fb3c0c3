/** The declaration of a call of the test control, and what its handlers use. */
import type { TSchema } from "@sinclair/typebox";
import type { Clock } from "#src/core/clock.ts";
import type { Journal } from "#src/core/journal.ts";
import type { MovableClock } from "#src/core/movable-clock.ts";
import { invalidRequest, noProblems } from "#src/core/problem.ts";
import type { SecretBox } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import type { PostResult } from "#src/net/post.ts";
import type { SimulatorControl } from "#src/networks/simulator/control.ts";
import type { SimulatedFiles } from "#src/networks/simulator/media.ts";
import type { Answer } from "../answer.ts";

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
  /** Brings the database, the networks and the clock back to where they were at the start; or one workspace alone. */
  reset: (workspaceId: number | null) => Promise<void>;
  /** From now on, a reset brings this workspace back to its present state. */
  saveWorkspace: (workspaceId: number) => Promise<void>;
}

interface ControlCall extends ControlContext {
  query: URLSearchParams;
  /** Empty for calls without a body. */
  body: Readonly<Record<string, unknown>>;
}

export interface ControlRoute {
  method: "GET" | "POST" | "PUT" | "DELETE";
  path: string;
  /** The names of its query parameters; others are refused. */
  query?: readonly string[];
  body?: TSchema;
  handle: (call: ControlCall) => Answer | Promise<Answer>;
}

export function answerJson(value: unknown, status = 200): Answer {
  return { status, body: JSON.stringify(value) };
}

/** Refuses one field. */
export function invalidField(field: string, sentence: string): Error {
  const fields = noProblems();
  fields[field] = [sentence];
  return invalidRequest(fields);
}
