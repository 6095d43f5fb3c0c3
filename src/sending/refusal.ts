/** The error that a caller receives for a message that failed within its request. */

import { Problem, type ProblemCode, type ProblemDetails } from "#src/core/problem.ts";
import type { FailureScope } from "#src/domain/messages/failure.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { Failure } from "#src/domain/messages/record-outcome.ts";
import type { Message } from "#src/domain/messages/table.ts";

/** The recipient cannot be reached under this number (1013 and 1026 are older codes; 131062 asks for a phone number). */
const INVALID_NUMBER = ["131026", "1013", "1026", "131062"];
/** Outside the 24-hour window. */
const OUTSIDE_WINDOW = "131047";
const TEMPLATE_UNKNOWN = "132001";

export const unreachable: Failure = {
  code: "unreachable",
  message:
    "The network could not be reached, and nothing was sent. To try again, use a new Idempotency-Key: this answer is kept under the present one.",
  outcomeUnknown: false,
};

/** The outcome of a message that cannot leave, in the words of the network's own refusal of a token. */
export const tokenUnreadable: Extract<Outcome, { kind: "refused" }> = {
  kind: "refused",
  code: "190",
  message: "The number's access token cannot be read with this server's key. Store a new token.",
  scope: "account",
};

/** `scope`: what the network's refusal is about, if it has just refused. */
export function problemOf(message: Message, scope: FailureScope | null = null): Problem {
  const code = message.errorCode ?? "unknown";
  const description = message.errorMessage ?? "The network refused the message.";
  const details: ProblemDetails = {
    whatsappCode: code,
    messageId: message.id,
    outcome: message.outcomeUnknown ? "unknown" : "not_sent",
    // A trouble of the network's own passes without a change of the request.
    isRetryable: !message.outcomeUnknown && (code === unreachable.code || scope === "network"),
  };
  return new Problem(problemCodeOf(code), description, details);
}

function problemCodeOf(code: string): ProblemCode {
  if (INVALID_NUMBER.includes(code)) return "invalid_number";
  if (code === OUTSIDE_WINDOW) return "window_closed";
  return code === TEMPLATE_UNKNOWN ? "template_not_found" : "whatsapp_error";
}

export function busyProblem(waitMs: number): Problem {
  return new Problem("rate_limited", "The number or the network is busy. Nothing was sent; try again later.", {
    retryAfterMs: waitMs,
    outcome: "not_sent",
  });
}
