/** What a caller is told about a message that failed inside its own request. */

import { Problem } from "#src/core/problem.ts";
import type { Failure } from "#src/domain/messages/record-outcome.ts";
import type { Message } from "#src/domain/messages/table.ts";

/** Not on the network (the second is an old spelling of the first); outside the 24-hour window. */
const NOT_ON_NETWORK = ["131026", "1013"];
const OUTSIDE_WINDOW = "131047";

export const unreachable: Failure = {
  code: "unreachable",
  message:
    "The network could not be reached, so nothing was sent. A new try needs a new Idempotency-Key, for this answer is kept.",
  outcomeUnknown: false,
};

export function problemOf(message: Message): Problem {
  const code = message.errorCode ?? "unknown";
  const description = message.errorMessage ?? "The network refused the message.";
  if (NOT_ON_NETWORK.includes(code)) return new Problem("invalid_number", description);
  if (code === OUTSIDE_WINDOW) return new Problem("window_closed", description);
  return new Problem("whatsapp_error", description, { whatsappCode: code });
}
