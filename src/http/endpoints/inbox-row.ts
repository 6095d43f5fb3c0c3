/** A conversation as the inbox lists it. */
import { type Static, Type } from "@sinclair/typebox";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { consents } from "#src/domain/contacts/consent.ts";
import { getContact } from "#src/domain/contacts/find.ts";
import type { Conversation } from "#src/domain/contacts/table.ts";
import { displayNameOf } from "#src/domain/contacts/view.ts";
import { windowEnd, windowTimesOf } from "#src/domain/contacts/window.ts";
import { newestMention } from "#src/domain/inbound/mentions.ts";
import { readLastWord } from "#src/domain/inbound/read-conversation.ts";
import { ConversationView } from "#src/domain/inbound/schema.ts";
import { ITEMS_EXAMINED, viewState } from "#src/domain/inbound/view-conversation.ts";
import { listNumbers } from "#src/domain/numbers/read.ts";
import { numberById } from "#src/domain/numbers/statements.ts";
import { timesOf } from "../times.ts";
import type { WorkspaceCall } from "./call.ts";
import { ConversationItemView, viewConversationItem } from "./conversation-items.ts";
import { OptionalText, OptionalTime } from "./fragments.ts";

const { state, snoozed_until, assignee, block_state } = ConversationView.properties;
export const State = { state, snoozed_until, assignee, block_state };

export const ConversationRow = Type.Object({
  id: Type.Integer(),
  contact_id: Type.Integer(),
  /** The workspace's number that the conversation is on. */
  number: Type.String(),
  phone: OptionalText,
  username: OptionalText,
  user_id: OptionalText,
  name: OptionalText,
  consent: OneOf(consents),
  may_want_to_stop: Type.Boolean(),
  unread: Type.Integer(),
  /** A note names the user, who has not read it. */
  is_mentioned: Type.Boolean(),
  wrote_at: Instant(),
  window_ends_at: OptionalTime,
  ...State,
  last: Nullable(ConversationItemView),
});

export function viewRow(tx: ReadTx, conversation: Conversation, call: WorkspaceCall): Static<typeof ConversationRow> {
  const { workspace } = call;
  const { id, contactId, numberId, wroteAt, unread } = conversation;
  const when = timesOf(workspace);
  const contact = getContact(tx, workspace.id, contactId);
  // Nothing has to be searched for where the workspace has one number.
  const isOnly = listNumbers(tx, workspace.id).length === 1;
  const last = readLastWord(tx, contact, (one) => isOnly || one === numberId, isOnly ? 1 : ITEMS_EXAMINED);
  return {
    id,
    contact_id: contactId,
    number: numberById(tx).get({ id: numberId })?.phone ?? "",
    phone: contact.phone,
    username: contact.username,
    user_id: contact.networkUserId,
    name: displayNameOf(contact),
    consent: contact.consent,
    may_want_to_stop: contact.mayWantToStopSince !== null,
    unread,
    is_mentioned: newestMention(tx, readerOf(call), contactId, numberId) !== null,
    wrote_at: when(wroteAt),
    window_ends_at: when(windowEnd(windowTimesOf(tx, contact))),
    ...viewState(tx, conversation, workspace),
    last: last === null ? null : viewConversationItem(last, workspace),
  };
}

/** Whose mentions are meant. */
export function readerOf({ user, workspace, numberIds }: WorkspaceCall) {
  return { userId: user.id, workspaceId: workspace.id, numberIds };
}
