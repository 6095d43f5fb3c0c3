/**
 * An expected failure of a caller's request. The codes are part of the API and permanent: clients branch on them. The
 * domain throws problems; `http/errors.ts` alone maps codes to HTTP statuses.
 */
import { type Fault, type FieldProblems, sentenceOf } from "./fault.ts";

export const problemCodes = [
  "invalid_request",
  "unauthenticated",
  "insufficient_balance",
  "api_not_enabled",
  "workspace_suspended",
  "not_found",
  "idempotency_conflict",
  "conversation_assigned",
  "opted_out",
  "invalid_number",
  "window_closed",
  "template_not_found",
  "template_not_sendable",
  "missing_variable",
  "missing_media",
  "unsupported_template",
  "number_not_ready",
  "not_cancellable",
  "rate_limited",
  "whatsapp_error",
  // Beyond the specification: a conversation that another sender has, a fault of ours, and storage that cannot currently be
  // written.
  "thread_owned_elsewhere",
  "internal_error",
  "unavailable",
] as const;

export type ProblemCode = (typeof problemCodes)[number];

/** An empty map of fields. It has no prototype, because a caller may send a member called `constructor`. */
export function noProblems(): FieldProblems {
  return Object.create(null) as FieldProblems;
}

const QUOTED_LENGTH_MAX = 80;

/** Quotes a caller's text, truncated so that a sentence containing it stays readable. */
export function quote(text: string): string {
  const characters = [...text.slice(0, 2 * QUOTED_LENGTH_MAX)];
  const shown = characters.slice(0, QUOTED_LENGTH_MAX).join("");
  return shown.length < text.length ? `"${shown}…"` : `"${shown}"`;
}

export interface ProblemDetails {
  fields?: FieldProblems;
  /** What is wrong with one field, of a problem other than `invalid_request`. */
  fault?: Fault & { field: string };
  /** With `not_found` for a known path: the methods that it has. */
  methods?: readonly string[];
  /** When the person opted out, milliseconds. */
  since?: number;
  /** The cost and the available balance, millionths. */
  needed?: number;
  available?: number;
  whatsappCode?: string;
  retryAfterMs?: number;
  /** Where a reader of the event log has to start again. */
  oldest?: string;
  /** Of a contact that was asked for by its former number: its present one. */
  movedTo?: string;
  /** The message that the refused request stored. */
  messageId?: number;
  /** Whether the network may have the message; set wherever the network was asked, or is known to be down. */
  outcome?: "not_sent" | "unknown";
  /** Of a refusal before the request's idempotency key was used, whatever the code. */
  isKeyUnused?: true;
  /** Set where it depends on more than the code whether the same request may succeed later. */
  isRetryable?: boolean;
  /** The timezone in which `since` is printed; set whenever `since` is. */
  timezone?: string;
}

export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  /** `message` is a sentence that can be shown to people. */
  constructor(code: ProblemCode, message: string, details: ProblemDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** A fault of ours after a message was dispatched: the network may have it. */
export class InDoubtError extends Error {
  override readonly name = "InDoubtError";
  readonly messageId: number;

  constructor(messageId: number, cause: unknown) {
    super(`the outcome of message ${messageId} is not known`, { cause });
    this.messageId = messageId;
  }
}

/** A fault of ours after some of a request's independent changes were stored; `cause` says which fault. */
export class PartlyDoneError extends Error {
  override readonly name = "PartlyDoneError";

  constructor(cause: unknown) {
    super("only a part of the request was done", { cause });
  }
}

/** The request itself is invalid; `fields` holds the problems by path. */
export function invalidRequest(fields: FieldProblems): Problem {
  const paths = Object.keys(fields);
  const first = Object.values(fields)[0]?.[0];
  const message =
    first === undefined
      ? "The request is not valid."
      : paths.length === 1
        ? sentenceOf(first)
        : `${paths.length} fields are wrong.`;
  return new Problem("invalid_request", message, { fields });
}

/** `noun` is the word that people use: "message", "template". */
export function notFound(noun: string): Problem {
  return new Problem("not_found", `There is no such ${noun}.`);
}
