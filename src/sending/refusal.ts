/** The error that a caller receives for a message that failed within its request. */

import { Problem, type ProblemDetails } from "#src/core/problem.ts";
import { directRefusal } from "#src/domain/messages/direct-send.ts";
import { findStoredMeaning } from "#src/domain/messages/error-codes.ts";
import type { FailureScope } from "#src/domain/messages/failure.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { Failure } from "#src/domain/messages/record-outcome.ts";
import type { Message } from "#src/domain/messages/table.ts";

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
  const words = message.errorMessage ?? "The network refused the message.";
  const direct = directRefusal(message);
  const description = direct === null ? words : `${direct} ${words}`;
  const details: ProblemDetails = {
    whatsappCode: code,
    messageId: message.id,
    outcome: message.outcomeUnknown ? "unknown" : "not_sent",
    // A trouble of the network's own passes without a change of the request.
    isRetryable: !message.outcomeUnknown && (code === unreachable.code || scope === "network"),
  };
  const known = direct === null ? findStoredMeaning(code)?.caller : "window_closed";
  return new Problem(known ?? "whatsapp_error", description, details);
}

export function busyProblem(waitMs: number): Problem {
  return new Problem("rate_limited", "The number or the network is busy. Nothing was sent; try again later.", {
    retryAfterMs: waitMs,
    outcome: "not_sent",
  });
}
