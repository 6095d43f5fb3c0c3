/**
 * Marks what a person wrote as read on their phone, and everything before it; on request their phone shows for 25 seconds at
 * most that an answer is being written. Nothing is stored, so a request whose answer was lost can be repeated.
 */
import { notFound, Problem } from "#src/core/problem.ts";
import { findInbound } from "#src/domain/inbound/read.ts";
import { ERASED } from "#src/domain/messages/message.ts";
import { requireActive, requireReady } from "#src/domain/messages/plan.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { senderOf } from "#src/networks/credentials.ts";
import type { DoneOutcome } from "#src/networks/network.ts";
import type { SendOptions } from "./send-message.ts";

type MarkOptions = Pick<SendOptions, "store" | "networks" | "box" | "timeoutMs">;

/** Throws the `Problem` that keeps the message from being marked. */
export async function markRead(
  { store, networks, box, timeoutMs }: MarkOptions,
  workspaceId: number,
  inboundId: number,
  isTyping: boolean,
): Promise<void> {
  const { number, networkMessageId } = store.read((tx) => {
    requireActive(getWorkspace(tx, workspaceId));
    const inbound = findInbound(tx, workspaceId, inboundId);
    if (inbound === undefined || inbound.text === ERASED) throw notFound("received message");
    return { number: requireReady(findNumber(tx, inbound.numberId) ?? null), ...inbound };
  });
  const { markRead: mark } = networks[number.network];
  if (mark === undefined) return;
  requireDone(await mark(senderOf(box, number), networkMessageId, isTyping, timeoutMs));
}

function requireDone(outcome: DoneOutcome): void {
  switch (outcome.kind) {
    case "done":
      return;
    case "throttled":
      throw new Problem("rate_limited", "The number or the network is busy. Try again later.", {
        retryAfterMs: outcome.retryAfterMs ?? 1_000,
      });
    case "refused":
      if (outcome.scope === "number" || outcome.scope === "account") {
        throw new Problem("number_not_ready", outcome.message);
      }
      throw new Problem("whatsapp_error", outcome.message, { whatsappCode: outcome.code });
    default:
      throw new Problem("unavailable", "WhatsApp did not answer. Repeat the request: it does no harm.");
  }
}
