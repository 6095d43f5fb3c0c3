/** The public JSON of a conversation, and of its entries, in the API and in events. */
import type { Static } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { getContact } from "../contacts/find.ts";
import type { Conversation } from "../contacts/table.ts";
import { threadOn } from "../contacts/threads.ts";
import { viewContact } from "../contacts/view.ts";
import { windowEnd, windowTimesOf } from "../contacts/window.ts";
import { consoleStatusOf, shownOriginOf } from "../messages/message.ts";
import { viewSender } from "../messages/view.ts";
import type { SendingNumber } from "../numbers/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import { findAssignee } from "./assignee.ts";
import { blockStateOf, findBlock } from "./blocks.ts";
import { type ConversationItem, readLastWord } from "./read-conversation.ts";
import type { ConversationEntry, ConversationView } from "./schema.ts";
import type { ConversationNote } from "./table.ts";
import { viewDetails } from "./view.ts";

/** Among how many items of a person the last one on a number is found. */
export const ITEMS_EXAMINED = 20;

export function viewConversation(
  tx: ReadTx,
  conversation: Conversation,
  number: Pick<SendingNumber, "id" | "phone" | "sharedSince" | "sharedWith">,
  workspace: Workspace,
): Static<typeof ConversationView> {
  const contact = getContact(tx, workspace.id, conversation.contactId);
  const last = readLastWord(tx, contact, (id) => id === number.id, ITEMS_EXAMINED);
  const thread = threadOn(conversation, number, tx.now);
  const endsAt = windowEnd(windowTimesOf(tx, contact));
  return {
    id: conversation.id,
    contact: viewContact(tx, contact, workspace),
    number: number.phone,
    owner: thread.owner,
    owner_since: formatInstant(thread.since, workspace.timezone),
    ...viewState(tx, conversation, workspace),
    unread: conversation.unread,
    last_message: last === null ? null : viewEntry(last, workspace),
    window_ends_at: endsAt === null ? null : formatInstant(endsAt, workspace.timezone),
  };
}

/** What the staff have made of it. */
export function viewState(tx: ReadTx, conversation: Conversation, { timezone }: Pick<Workspace, "timezone">) {
  const { state, snoozedUntil } = conversation;
  const assignee = findAssignee(tx, conversation);
  return {
    state,
    snoozed_until: snoozedUntil === null ? null : formatInstant(snoozedUntil, timezone),
    assignee: assignee?.email ?? null,
    block_state: blockStateOf(findBlock(tx, conversation)),
  };
}

export function viewNote({ id, text, userId, author, createdAt }: ConversationNote, { timezone }: Workspace) {
  const kind = userId === null ? ("api" as const) : ("user" as const);
  return { id, text, author: { kind, name: author }, created_at: formatInstant(createdAt, timezone) };
}

export function viewEntry(item: ConversationItem, workspace: Workspace): Static<typeof ConversationEntry> {
  const at = formatInstant(item.at, workspace.timezone);
  switch (item.kind) {
    case "inbound": {
      const { id, origin, type, text } = item.inbound;
      const details = viewDetails(item.inbound, item.medium, workspace);
      return { direction: "in", id, origin, sent_by: null, type, text, details, status: null, at };
    }
    case "message": {
      const { id, type } = item.message;
      const origin = shownOriginOf(item.message);
      const status = consoleStatusOf(item.message);
      const sent_by = item.message.origin === "broadcast" ? null : viewSender(item.message);
      return { direction: "out", id, origin, sent_by, type, text: item.text, details: {}, status, at };
    }
    case "echo": {
      const { origin, type, text, status } = item.echo;
      const { control_pass: passed, ...brought } = item.echo.details ?? {};
      // The file of an echo is the workspace's own, and stays with the network.
      const details = viewDetails({ details: brought }, null, workspace);
      const entry = { direction: "out" as const, id: null, origin, sent_by: null, type, text, details, status, at };
      return passed === undefined ? entry : { ...entry, control_pass: passed };
    }
  }
}
