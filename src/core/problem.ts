/**
 * What a caller asked for and cannot have. The codes are the interface's own and permanent: clients branch on them.
 * Thrown by the domain; which HTTP status a code has is decided in `api/errors.ts` alone.
 */
export const problemCodes = [
  "invalid_request",
  "unauthenticated",
  "insufficient_balance",
  "api_not_enabled",
  "workspace_suspended",
  "not_found",
  "idempotency_conflict",
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
  // Beyond the specification: a fault of ours, and storage that cannot be written right now.
  "internal_error",
  "unavailable",
] as const;

export type ProblemCode = (typeof problemCodes)[number];

/** What is wrong with each field, by its path (`media.link`, `variables.body.0`), in sentences. */
export type FieldProblems = Record<string, string[]>;

/** An empty map of fields. Without a prototype: a caller may well send a member called `constructor`. */
export function noProblems(): FieldProblems {
  return Object.create(null) as FieldProblems;
}

const QUOTED_LENGTH_MAX = 80;

/** What a caller sent, in quotes and cut: a sentence stays a sentence, however long the field was. */
export function quote(text: string): string {
  const characters = [...text.slice(0, 2 * QUOTED_LENGTH_MAX)];
  const shown = characters.slice(0, QUOTED_LENGTH_MAX).join("");
  return shown.length < text.length ? `"${shown}…"` : `"${shown}"`;
}

export interface ProblemDetails {
  fields?: FieldProblems;
  /** Since when the person is opted out, milliseconds. */
  since?: number;
  /** Cost and what is left, millionths. */
  needed?: number;
  available?: number;
  whatsappCode?: string;
  retryAfterMs?: number;
  /** The timezone in which `since` is told; known wherever `since` is. */
  timezone?: string;
}

export class Problem extends Error {
  override readonly name = "Problem";
  readonly code: ProblemCode;
  readonly details: ProblemDetails;

  /** `message` is a sentence fit to show a person. */
  constructor(code: ProblemCode, message: string, details: ProblemDetails = {}) {
    super(message);
    this.code = code;
    this.details = details;
  }
}

/** The request itself is wrong: `fields` says where, path by path. */
export function invalidRequest(fields: FieldProblems): Problem {
  const paths = Object.keys(fields);
  const first = paths[0] === undefined ? undefined : fields[paths[0]]?.[0];
  const message =
    first === undefined
      ? "The request is not valid."
      : paths.length === 1
        ? first
        : `${paths.length} fields are wrong.`;
  return new Problem("invalid_request", message, { fields });
}

/** `noun` as a person would say it: "message", "template". */
export function notFound(noun: string): Problem {
  return new Problem("not_found", `There is no such ${noun}.`);
}
