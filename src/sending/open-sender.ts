/** The sender of a request that a caller waits for. */
import { Problem } from "#src/core/problem.ts";
import { ifReadable } from "#src/core/secret.ts";
import { senderOf } from "#src/networks/credentials.ts";
import type { Sender } from "#src/networks/network.ts";
import { tokenUnreadable } from "./refusal.ts";

/** Throws `number_not_ready` where the token cannot be read. */
export function openSender(...given: Parameters<typeof senderOf>): Sender {
  const sender = ifReadable(() => senderOf(...given));
  if (sender === null) throw new Problem("number_not_ready", tokenUnreadable.message);
  return sender;
}
