/** Replaces the network's ids of the messages that an inbound is about by ours. */
import type { ReadTx } from "#src/db/transaction.ts";
import { findByNetworkId } from "../messages/network-ids.ts";
import type { SendingNumber } from "../numbers/table.ts";
import type { InboundDetails, InboundReferences } from "./details.ts";
import { knownInbound } from "./statements.ts";

export function resolveReferences(
  tx: ReadTx,
  number: SendingNumber,
  details: InboundDetails,
  references: InboundReferences,
): InboundDetails {
  const { reply_to: replyTo, reaction, edited, deleted } = references;
  const resolved = (networkMessageId: string) => referenceOf(tx, number, networkMessageId);
  return {
    ...details,
    ...(details.reaction === undefined
      ? {}
      : { reaction: { ...details.reaction, ...(reaction === null ? { message_id: null } : resolved(reaction)) } }),
    ...(replyTo === null ? {} : { reply_to: resolved(replyTo) }),
    ...(edited === null ? {} : { edited: resolved(edited) }),
    ...(deleted === null ? {} : { deleted: resolved(deleted) }),
  };
}

function referenceOf(
  tx: ReadTx,
  { id: numberId, workspaceId }: SendingNumber,
  networkMessageId: string,
): NonNullable<InboundDetails["reply_to"]> {
  const inbound = knownInbound(tx).get({ workspaceId, networkMessageId });
  if (inbound !== undefined) return { message_id: inbound.id };
  const message = findByNetworkId(tx, numberId, networkMessageId);
  return message === undefined ? { message_id: null } : { message_id: message.id, direction: "out" };
}
