/** Messages and conversations as the console shows them: more than the API, from unsent messages to their cost. */

import { type Static, Type } from "@sinclair/typebox";
import { formatMoney } from "#src/core/money.ts";
import { Instant, Nullable, OneOf } from "#src/core/schema.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import type { Contact } from "#src/domain/contacts/table.ts";
import { displayNameOf } from "#src/domain/contacts/view.ts";
import { InboundDetails } from "#src/domain/inbound/details.ts";
import { echoOrigins, echoStatuses, inboundOrigins } from "#src/domain/inbound/origin.ts";
import { type ConversationItem, textOf } from "#src/domain/inbound/read-conversation.ts";
import { viewDetails } from "#src/domain/inbound/view.ts";
import { KeptContentView } from "#src/domain/messages/kinds/kinds.ts";
import {
  consoleStatuses,
  consoleStatusOf,
  messageTypes,
  shownOriginOf,
  shownOrigins,
} from "#src/domain/messages/message.ts";
import { NamedMessage } from "#src/domain/messages/reference.ts";
import { MessageTemplate } from "#src/domain/messages/schema.ts";
import type { MessageRow } from "#src/domain/messages/table.ts";
import { typeOfMessage } from "#src/domain/messages/view.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { type TimelineStep, timelineKinds } from "../console/queries/message-timeline.ts";
import { timesOf } from "../times.ts";
import { Details, Named, OptionalCount, OptionalText, OptionalTime } from "./fragments.ts";
import { show } from "./show.ts";

/** A message as the console shows it: unsent ones too, unknown outcomes, the broadcast, the cost, the contact. */
export const AnyMessage = Type.Object({
  id: Type.Integer(),
  to: Type.String(),
  name: OptionalText,
  contact_id: OptionalCount,
  from: Type.String(),
  type: OneOf(messageTypes),
  origin: OneOf(shownOrigins),
  /** Null: not kept, a broadcast, or an away message. */
  sent_by: Nullable(Type.Object({ name: Type.String(), ai: Type.Boolean() })),
  template: Nullable(MessageTemplate),
  broadcast: Nullable(Named),
  text: Type.String(),
  /** What was sent; null where the text is all. */
  content: Nullable(KeptContentView),
  reply_to: Nullable(NamedMessage),
  status: OneOf(consoleStatuses),
  /** Dispatched with an unknown outcome: neither sent nor failed. */
  is_unknown: Type.Boolean(),
  error: Nullable(Type.Object({ code: Type.String(), message: Type.String() })),
  money: OneOf(["none", "held", "charged", "released"]),
  rate: OptionalText,
  /** Whether the network bills the message to the owner of its account; null: it has not said. */
  network_bills: Nullable(Type.Boolean()),
  created_at: Instant(),
  /** When a scheduled message is to be sent; null for all others. */
  send_at: OptionalTime,
  sent_at: OptionalTime,
  delivered_at: OptionalTime,
  read_at: OptionalTime,
  failed_at: OptionalTime,
});

const SentItem = Type.Object({
  ...AnyMessage.properties,
  kind: Type.Literal("message"),
  key: Type.String(),
  at: Instant(),
  buttons: Type.Array(Type.Object({ text: Type.String(), is_reply: Type.Boolean() })),
});

const InboundItem = Type.Object({
  kind: Type.Literal("inbound"),
  key: Type.String(),
  id: Type.Integer(),
  type: Type.String(),
  text: OptionalText,
  /** How it arrived. */
  origin: OneOf(inboundOrigins),
  at: Instant(),
  details: InboundDetails,
});

/** What was sent from one of our numbers, but not by this server. */
const EchoItem = Type.Object({
  kind: Type.Literal("echo"),
  key: Type.String(),
  id: Type.Integer(),
  type: Type.String(),
  text: OptionalText,
  /** Who sent it. */
  origin: OneOf(echoOrigins),
  status: Nullable(OneOf(echoStatuses)),
  /** Of a control: the roles before and after, in the network's words. */
  control_pass: Nullable(Type.Object({ from: OptionalText, to: OptionalText })),
  at: Instant(),
});

/** One item of a conversation. */
export const ConversationItemView = Type.Union([SentItem, InboundItem, EchoItem]);

/** A step of a message's timeline. The time is in UTC with milliseconds. */
export const TimelineStepView = Type.Object({
  at: Type.String(),
  what: OneOf(timelineKinds),
  says: Type.String(),
  details: Details,
});

export function viewAnyMessage(
  message: MessageRow,
  broadcast: Broadcast | null,
  contact: Contact | undefined,
  workspace: Workspace,
): Static<typeof AnyMessage> {
  const { templateName, templateLanguage, errorCode } = message;
  return show(AnyMessage, message, timesOf(workspace), {
    to: message.toPhone,
    type: typeOfMessage(message),
    origin: shownOriginOf(message),
    sent_by: message.senderName === null ? null : { name: message.senderName, ai: message.byAi },
    status: consoleStatusOf(message),
    reply_to: message.replyTo,
    name: contact === undefined ? null : displayNameOf(contact),
    from: message.fromPhone,
    template: templateName === null ? null : { name: templateName, language: templateLanguage ?? "" },
    broadcast: broadcast === null ? null : { id: broadcast.id, name: broadcast.name },
    text: textOf(message, broadcast),
    is_unknown: message.outcomeUnknown,
    error: errorCode === null ? null : { code: errorCode, message: message.errorMessage ?? errorCode },
    rate: message.charged ? formatMoney(message.rate) : null,
    network_bills: message.pricing?.billable ?? null,
  });
}

const LETTERS = { inbound: "i", echo: "e", message: "m", note: "n" } as const;
type NamedKind = keyof typeof LETTERS;

/** Names an item of a conversation, or a note in it, for the browser. */
export function itemName(kind: NamedKind, id: number): string {
  return `${LETTERS[kind]}${id}`;
}

/** Null: the text is not such a name. */
export function readItemName(text: string): { kind: NamedKind; id: number } | null {
  const id = /^[a-z]([1-9]\d{0,14})$/.exec(text)?.[1];
  const kind = (Object.keys(LETTERS) as NamedKind[]).find((one) => text.startsWith(LETTERS[one]));
  return id === undefined || kind === undefined ? null : { kind, id: Number(id) };
}

/** One item of a conversation: an inbound message or a sent one. */
export function viewConversationItem(
  item: ConversationItem,
  workspace: Workspace,
): Static<typeof ConversationItemView> {
  const when = timesOf(workspace);
  if (item.kind === "inbound") {
    const { id, receivedAt } = item.inbound;
    const details = viewDetails(item.inbound, item.medium, workspace);
    return show(InboundItem, item.inbound, when, {
      kind: "inbound",
      key: itemName("inbound", id),
      at: when(receivedAt),
      details,
    });
  }
  if (item.kind === "echo") {
    const { id, details, sentAt } = item.echo;
    const control_pass = details?.control_pass ?? null;
    return show(EchoItem, item.echo, when, { kind: "echo", key: itemName("echo", id), control_pass, at: when(sentAt) });
  }
  const message = viewAnyMessage(item.message, item.broadcast, undefined, workspace);
  return {
    ...message,
    text: item.text,
    kind: "message",
    key: itemName("message", message.id),
    at: when(item.at),
    buttons: item.buttons.map(({ text, isReply }) => ({ text, is_reply: isReply })),
  };
}

/** In UTC with milliseconds; the browser converts to the workspace's timezone. */
export function viewTimelineStep({ at, what, says, details }: TimelineStep): Static<typeof TimelineStepView> {
  return { at: new Date(at).toISOString(), what, says, details };
}
