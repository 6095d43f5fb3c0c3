/** The error that a caller receives for a message that failed within its request. */

import { Problem } from "#src/core/problem.ts";
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

export function problemOf(message: Message): Problem {
  const code = message.errorCode ?? "unknown";
  const description = message.errorMessage ?? "The network refused the message.";
  if (NOT_ON_NETWORK.includes(code)) return new Problem("invalid_number", description);
  if (code === OUTSIDE_WINDOW) return new Problem("window_closed", description);
  return new Problem("whatsapp_error", description, { whatsappCode: code });
}
