/** Turns a problem into an HTTP answer. The only module that knows the status of each code. */
import { type FieldProblems, faultOf, sentenceOf, sentencesOf } from "#src/core/fault.ts";
import { formatInstant } from "#src/core/instant.ts";
import { formatMoney } from "#src/core/money.ts";
import { invalidRequest, Problem, type ProblemCode } from "#src/core/problem.ts";
import type { QueryOverBudget } from "#src/db/query-budget.ts";
import { retryKeyOf } from "#src/domain/idempotency/keys.ts";
import type { Answer } from "./answer.ts";

/**
 * What each code is answered with. `isRetryable`: whether the same request may succeed later without a change. True only
 * for states that pass by themselves or outside of the request, so that a program may repeat it blindly. The details of
 * a problem may say otherwise.
 */
export const answers: Readonly<Record<ProblemCode, { status: number; isRetryable: boolean }>> = {
  invalid_request: { status: 400, isRetryable: false },
  unauthenticated: { status: 401, isRetryable: false },
  insufficient_balance: { status: 402, isRetryable: true },
  api_not_enabled: { status: 403, isRetryable: false },
  workspace_suspended: { status: 403, isRetryable: true },
  not_found: { status: 404, isRetryable: false },
  idempotency_conflict: { status: 409, isRetryable: false },
  conversation_assigned: { status: 409, isRetryable: false },
  opted_out: { status: 422, isRetryable: false },
  invalid_number: { status: 422, isRetryable: false },
  window_closed: { status: 422, isRetryable: false },
  template_not_found: { status: 422, isRetryable: false },
  template_not_sendable: { status: 422, isRetryable: false },
  unsupported_template: { status: 422, isRetryable: false },
  missing_variable: { status: 422, isRetryable: false },
  missing_media: { status: 422, isRetryable: false },
  thread_owned_elsewhere: { status: 422, isRetryable: false },
  number_not_ready: { status: 422, isRetryable: true },
  not_cancellable: { status: 422, isRetryable: false },
  rate_limited: { status: 429, isRetryable: true },
  internal_error: { status: 500, isRetryable: true },
  whatsapp_error: { status: 502, isRetryable: false },
  unavailable: { status: 503, isRetryable: true },
};

/** Sentences, and fields of one sentence, that the message has; `fields` has all. */
const NAMED_MAX = 3;

/** Words that begin a sentence. Names are never written in lower case. */
const SENTENCE_START = /^(?:This|The|A|An|Unknown|There|Say|Send|Two|Only|Each|Several|Give|Use)\b/;

/** Seconds in `Retry-After` when the problem does not say how long to wait. */
const RETRY_AFTER_S = 1;

/**
 * `takesKey`: the request may carry an Idempotency-Key, so the answer says with which key to repeat it. `showsFields`: the
 * caller shows each field's sentences beside the field, so the message need not name the fields.
 */
export function answerProblem(problem: Problem, takesKey = false, showsFields = false): Answer {
  const body = bodyOf(problem, takesKey);
  if (showsFields) body.error.message = problem.message;
  return {
    status: answers[problem.code].status,
    body: JSON.stringify(body),
    headers: headersOf(problem),
  };
}

export function bodyOf(problem: Problem, takesKey = false) {
  const { code, details } = problem;
  const error = {
    code,
    message: details.fields === undefined ? problem.message : messageOf(problem.message, details.fields),
    ...(details.fields === undefined ? {} : { fields: sentencesOf(details.fields) }),
    ...viewFaults(details),
    ...(details.since === undefined ? {} : { since: formatInstant(details.since, details.timezone ?? "UTC") }),
    ...(details.needed === undefined ? {} : { needed: formatMoney(details.needed) }),
    ...(details.available === undefined ? {} : { available: formatMoney(details.available) }),
    ...(details.whatsappCode === undefined ? {} : { whatsapp_code: details.whatsappCode }),
    ...(details.oldest === undefined ? {} : { oldest: details.oldest }),
    ...(details.movedTo === undefined ? {} : { moved_to: details.movedTo }),
    ...(details.messageId === undefined ? {} : { message_id: details.messageId }),
    ...(details.outcome === undefined || !takesKey ? {} : { outcome: details.outcome }),
    retryable: details.outcome !== "unknown" && (details.isRetryable ?? answers[code].isRetryable),
    ...(takesKey ? { retry_key: retryKeyOf(problem) } : {}),
  };
  return { error };
}

/** Names each field, so that the message can be understood without `fields`. */
function messageOf(message: string, fields: FieldProblems): string {
  const paths = new Map<string, string[]>();
  for (const [path, faults] of Object.entries(fields)) {
    const text = faults.map(sentenceOf).join(" ");
    paths.set(text, [...(paths.get(text) ?? []), path]);
  }
  const named = [...paths].slice(0, NAMED_MAX).map(([text, of]) => nameFields(text, of));
  if (named.length === 0) return message;
  return paths.size > NAMED_MAX ? `${named.join(" ")} Other fields are wrong, too.` : named.join(" ");
}

function nameFields(text: string, paths: readonly string[]): string {
  const names = paths.filter((path) => path !== "").slice(0, NAMED_MAX);
  if (names.length === 0) return text;
  const more = paths.length > NAMED_MAX ? ", …" : "";
  const sentence = text.replace(SENTENCE_START, (word) => word.toLowerCase());
  return `${names.map((name) => `\`${name}\``).join(", ")}${more}: ${sentence}`;
}

function viewFaults({ fields, fault }: Problem["details"]) {
  const listed = Object.entries(fields ?? {}).flatMap(([field, faults]) =>
    faults.map((one) => ({ field, ...faultOf(one) })),
  );
  const faults = fault === undefined ? listed : [...listed, fault];
  if (faults.length === 0) return {};
  return {
    faults: faults.map(({ field, rule, limit, suggestion }) => ({
      field,
      rule,
      ...(limit === undefined ? {} : { limit }),
      ...(suggestion === undefined ? {} : { suggestion }),
    })),
  };
}

function headersOf({ code, details }: Problem): Record<string, string> {
  if (details.methods !== undefined) return { allow: details.methods.join(", ") };
  if (code === "unauthenticated") return { "www-authenticate": "Bearer" };
  if (code !== "rate_limited" && code !== "unavailable") return {};
  const seconds = details.retryAfterMs === undefined ? RETRY_AFTER_S : Math.ceil(details.retryAfterMs / 1000);
  return { "retry-after": String(Math.max(1, seconds)) };
}

/** The database cannot be written right now. This is temporary and not the caller's mistake. */
export function unavailable(): Problem {
  return new Problem("unavailable", "The server cannot write its database right now. Nothing was changed; try again.", {
    outcome: "not_sent",
  });
}

/** The same, after a part of the request's changes was stored. */
export function unavailableInPart(): Problem {
  return new Problem(
    "unavailable",
    "The server cannot write its database right now. A part of the request was done. Repeat the whole request: what is done already stays as it is.",
  );
}

/** The same, after a message was dispatched. */
export function unavailableInDoubt(messageId: number): Problem {
  return new Problem(
    "unavailable",
    "The server cannot write its database right now, and the message may have been sent. Repeat the request with the same Idempotency-Key: it never sends twice.",
    { messageId, outcome: "unknown" },
  );
}

/** A fault of the server after a message was dispatched. */
export function internalErrorInDoubt(messageId: number): Problem {
  return new Problem(
    "internal_error",
    "Something went wrong on our side, and the message may have been sent. Repeat the request with the same Idempotency-Key: it never sends twice. The request id leads to the error in the server's log.",
    { messageId, outcome: "unknown" },
  );
}

/** Not `unavailable`: a program that repeated the same search would only wait as long again. */
export function overBudget({ budgetMs }: QueryOverBudget): Problem {
  const text = `The search took longer than ${budgetMs / 1_000} s and was ended. Use fewer or narrower conditions.`;
  return invalidRequest({ filter: [text] });
}

export function tooManyQueries(): Problem {
  return new Problem("rate_limited", "Too many searches of this workspace are waiting. Wait for their answers.");
}

/** A fault of the server: details go to the log under the request id, the caller gets none. */
export function internalError(): Problem {
  return new Problem(
    "internal_error",
    "Something went wrong on our side. The request id leads to it in the server's log.",
  );
}
