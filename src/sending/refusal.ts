/** The error that a caller receives for a message that failed within its request. */

import { Problem, type ProblemDetails } from "#src/core/problem.ts";
import type { RefusalScope } from "#src/domain/messages/outcome.ts";
import type { Failure } from "#src/domain/messages/record-outcome.ts";
import type { Message } from "#src/domain/messages/table.ts";

/** The recipient is not on the network (1013 is the older code). */
const NOT_ON_NETWORK = ["131026", "1013"];
/** Outside the 24-hour window. */
const OUTSIDE_WINDOW = "131047";

export const unreachable: Failure = {
  code: "unreachable",
  message:
    "The network could not be reached, and nothing was sent. To try again, use a new Idempotency-Key: this answer is kept under the present one.",
  outcomeUnknown: false,
};

/** `scope`: what the network's refusal is about, if it has just refused. */
export function problemOf(message: Message, scope: RefusalScope | null = null): Problem {
  const code = message.errorCode ?? "unknown";
  const description = message.errorMessage ?? "The network refused the message.";
  const details: ProblemDetails = {
    messageId: message.id,
    outcome: message.outcomeUnknown ? "unknown" : "not_sent",
    // A trouble of the network's own passes without a change of the request.
    isRetryable: !message.outcomeUnknown && (code === unreachable.code || scope === "network"),
  };
  if (NOT_ON_NETWORK.includes(code)) return new Problem("invalid_number", description, details);
  if (code === OUTSIDE_WINDOW) return new Problem("window_closed", description, details);
  return new Problem("whatsapp_error", description, { ...details, whatsappCode: code });
}
