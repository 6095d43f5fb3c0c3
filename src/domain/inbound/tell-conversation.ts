/** The event of a conversation that has changed, for addresses that asked for it. */
import type { Tx } from "#src/db/transaction.ts";
import type { Conversation } from "../contacts/table.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { publishOnRequest } from "../webhooks/publish.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { viewConversation } from "./view-conversation.ts";

export function tellConversation(tx: Tx, conversation: Conversation, number: SendingNumber): void {
  const workspace = getWorkspace(tx, conversation.workspaceId);
  publishOnRequest(tx, workspace, "conversation.updated", () => ({
    conversation: viewConversation(tx, conversation, number, workspace),
  }));
}
