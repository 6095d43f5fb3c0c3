/**
 * The other side of the simulated network, played by hand: what a person writes and what their phone reports. Both come
 * in by the same durable door as everything that a network tells, so the running server applies them as it would the
 * real network's. The command line and the console's phone share it.
 */
import { storeCallback } from "#src/domain/callbacks/callbacks.ts";
import type { Message } from "#src/domain/messages/table.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { inboundCallback, statusCallback } from "#src/networks/simulator/callback.ts";
import { describe } from "#src/networks/whatsapp/errors.ts";
import { randomText } from "#src/primitives/id.ts";
import type { E164 } from "#src/primitives/phone.ts";
import type { Random } from "#src/primitives/random.ts";
import type { Tx } from "#src/storage/transaction.ts";

/** What most failures on the real network are: the person cannot be reached there. */
export const FAILURE_CODE = "131026";

export const playedStatuses = ["sent", "delivered", "read", "failed"] as const;
export type PlayedStatus = (typeof playedStatuses)[number];

/** `isButton`: a quick reply below a template was pressed, and `text` is its title. Returns the network's id. */
export function writeIn(
  tx: Tx,
  number: SendingNumber,
  { from, text, isButton = false }: { from: E164; text: string; isButton?: boolean },
): string {
  const networkMessageId = newNetworkId(tx.random);
  storeCallback(tx, "simulator", inboundCallback(number, { networkMessageId, from, text, isButton, at: tx.now }));
  return networkMessageId;
}

/** `code` counts for a failure only. Returns the network's id of the message. */
export function reportStatus(
  tx: Tx,
  number: SendingNumber,
  message: Message,
  status: PlayedStatus,
  code = FAILURE_CODE,
): string {
  const networkMessageId = message.networkMessageId ?? newNetworkId(tx.random);
  const body = statusCallback(number, {
    networkMessageId,
    reference: message.reference,
    status,
    at: tx.now,
    to: message.toPhone,
    error: status === "failed" ? { code, title: describe(code) } : null,
  });
  storeCallback(tx, "simulator", body);
  return networkMessageId;
}

/** As the simulator's own. */
function newNetworkId(random: Random): string {
  return `wamid.${randomText(random, 32).toUpperCase()}`;
}
