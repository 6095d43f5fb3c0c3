/**
 * The recipient's side of the simulated network. Composes what a person writes and what their phone reports as the
 * callbacks that the network would post. The command line and the console's phone store them in the callback queue.
 */

import { randomText } from "#src/core/id.ts";
import type { Random } from "#src/core/random.ts";
import type { Message } from "#src/domain/messages/table.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { describeCode } from "../whatsapp/errors.ts";
import { contentCallback, inboundCallback, statusCallback } from "./callback.ts";
import { inboundContent, type PlayedInbound } from "./inbound-content.ts";

/** The most common failure on the real network: the person cannot be reached there. */
export const FAILURE_CODE = "131026";

export const phoneStatuses = ["sent", "delivered", "read", "failed"] as const;
type PhoneStatus = (typeof phoneStatuses)[number];

/** A callback to store, and the network's id of the message it concerns. */
interface ComposedCallback {
  networkMessageId: string;
  body: string;
}

/**
 * `from` is a phone number or a user id. `isButton` means that a quick reply below a template was pressed; `text` is then its title. `at` is in milliseconds.
 */
export function composeInbound(
  random: Random,
  number: SendingNumber,
  { from, text, isButton = false, at }: { from: string; text: string; isButton?: boolean; at: number },
): ComposedCallback {
  const networkMessageId = newNetworkId(random);
  return { networkMessageId, body: inboundCallback(number, { networkMessageId, from, text, isButton, at }) };
}

/** `chosen`: a button or a row of the message with that id. */
export function composeAnswer(
  random: Random,
  number: SendingNumber,
  {
    from,
    at,
    networkMessageId: replyTo,
    chosen,
  }: { from: string; at: number; networkMessageId: string; chosen: Pick<PlayedInbound, "button" | "list"> },
): ComposedCallback {
  const networkMessageId = newNetworkId(random);
  const content = inboundContent({ type: "interactive", replyTo, ...chosen }, "");
  return { networkMessageId, body: contentCallback(number, { networkMessageId, from, at, name: null, content }) };
}

/** `code` is used only for a failure. `at` is in milliseconds. */
export function composeStatus(
  random: Random,
  number: SendingNumber,
  message: Message,
  { status, code = FAILURE_CODE, at }: { status: PhoneStatus; code?: string; at: number },
): ComposedCallback {
  const networkMessageId = message.networkMessageId ?? newNetworkId(random);
  const body = statusCallback(number, {
    networkMessageId,
    sendToken: message.sendToken,
    status,
    at,
    to: message.toPhone,
    error: status === "failed" ? { code, title: describeCode(code) } : null,
  });
  return { networkMessageId, body };
}

/** In the format of the simulator's own message ids. */
export function newNetworkId(random: Random): string {
  return `wamid.${randomText(random, 32).toUpperCase()}`;
}
