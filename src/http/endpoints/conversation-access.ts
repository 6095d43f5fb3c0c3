/** A conversation of a request, as the caller may see it. */
import type { Static } from "@sinclair/typebox";
import { notFound } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { Conversation } from "#src/domain/contacts/table.ts";
import { findConversation } from "#src/domain/inbound/conversations.ts";
import type { ConversationView } from "#src/domain/inbound/schema.ts";
import { viewConversation } from "#src/domain/inbound/view-conversation.ts";
import { numberById } from "#src/domain/numbers/statements.ts";
import { seesNumber } from "#src/domain/users/read.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import type { AnyCallWith, WorkspaceCall } from "./call.ts";
import { Id } from "./endpoint.ts";

export const conversationId = Id("conversation", { examples: [17] });

/** Throws `not_found`, also for one on a number that the user does not see. */
export function requireConversation(
  tx: ReadTx,
  call: AnyCallWith<{ conversation: number }> & { numberIds?: WorkspaceCall["numberIds"] },
): Conversation {
  const found = findConversation(tx, call.workspace.id, call.path.conversation);
  if (found === undefined || !seesNumber({ numberIds: call.numberIds ?? null }, found.numberId))
    throw notFound("conversation");
  return found;
}

export function viewFor(tx: ReadTx, conversation: Conversation, workspace: Workspace): Static<typeof ConversationView> {
  const number = numberById(tx).get({ id: conversation.numberId });
  if (number === undefined) throw notFound("conversation");
  return viewConversation(tx, conversation, number, workspace);
}
