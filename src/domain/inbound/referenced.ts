/** Finds the message that a request names by its id here: one that was received, or one that was sent. */
import type { ReadTx } from "#src/db/transaction.ts";
import { ERASED } from "../messages/message.ts";
import { findWholeMessage } from "../messages/read.ts";
import type { FoundMessage, MessageReference } from "../messages/reference.ts";
import { inboundById } from "./statements.ts";

/** Null: the workspace has none, or its person was erased. */
export function findReferenced(tx: ReadTx, workspaceId: number, reference: MessageReference): FoundMessage | null {
  if ("inbound" in reference) {
    const inbound = inboundById(tx).get({ id: reference.inbound });
    if (inbound?.workspaceId !== workspaceId || inbound.text === ERASED) return null;
    const { contactId, numberId, networkMessageId, receivedAt: at, type } = inbound;
    return { contactId, numberId, networkMessageId, at, isReaction: type === "reaction" };
  }
  const message = findWholeMessage(tx, workspaceId, reference.message);
  if (message === undefined || message.dispatchedAt === null) return null;
  const { contactId, numberId, networkMessageId, dispatchedAt: at, networkType } = message;
  return { contactId, numberId, networkMessageId, at, isReaction: networkType === "reaction" };
}
