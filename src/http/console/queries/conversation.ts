/**
 * The conversation between a workspace and one person, newest first: dispatched messages (sent alone or in a broadcast)
 * and what the person wrote. Reads the ends of two indexes, one page at a time.
 */
import { and, desc, eq, isNotNull, lt, sql } from "drizzle-orm";
import { type ReadTx, statement } from "#src/db/transaction.ts";
import { getBroadcast } from "#src/domain/broadcasts/read.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { type Inbound, inbounds } from "#src/domain/inbound/table.ts";
import { findMediaOfInbound, type MediumWithFile } from "#src/domain/media/read.ts";
import { type Message, messages } from "#src/domain/messages/table.ts";
import { findTemplate } from "#src/domain/templates/read.ts";
import { readShape, renderText, type TemplateComponent } from "#src/domain/templates/template.ts";

export type ConversationItem =
  | { kind: "inbound"; at: number; inbound: Inbound; medium: MediumWithFile | null }
  | { kind: "message"; at: number; message: Message; text: string; broadcast: Broadcast | null; buttons: Button[] };

/** A button of a template. Only a quick reply can be pressed as an answer. */
interface Button {
  text: string;
  isReply: boolean;
}

/** The next page holds everything older than these. */
export interface ConversationCursor {
  inboundId: number;
  messageAt: number;
  messageId: number;
}

interface ConversationPage {
  items: ConversationItem[];
  /** Null: no older items. */
  next: ConversationCursor | null;
}

export const NEWEST: ConversationCursor = {
  inboundId: Number.MAX_SAFE_INTEGER,
  messageAt: Number.MAX_SAFE_INTEGER,
  messageId: Number.MAX_SAFE_INTEGER,
};

/** `hasButtons`: also look up each template's buttons. */
export function readConversation(
  tx: ReadTx,
  contactId: number,
  from: ConversationCursor | null,
  limit: number,
  { hasButtons = false } = {},
): ConversationPage {
  const start = from ?? NEWEST;
  const received = inboundsOfContact(tx).all({ contactId, before: start.inboundId, limit: limit + 1 });
  const sent = listDispatched(tx, contactId, start, limit + 1);
  // Pages are cut by the time of arrival here; within a page, inbound messages are sorted by the network's time.
  const all = [
    ...received.map((inbound) => ({ at: inbound.createdAt, inbound, message: null })),
    ...sent.map((message) => ({ at: message.dispatchedAt ?? message.createdAt, inbound: null, message })),
  ].toSorted((one, other) => other.at - one.at);
  const shown = all.slice(0, limit);
  const lastInbound = shown.findLast(({ inbound }) => inbound !== null)?.inbound;
  const lastMessage = shown.findLast(({ message }) => message !== null)?.message;
  const next: ConversationCursor = {
    inboundId: lastInbound?.id ?? start.inboundId,
    messageAt: lastMessage?.dispatchedAt ?? start.messageAt,
    messageId: lastMessage?.id ?? start.messageId,
  };
  const items = shown.flatMap(({ inbound, message }): ConversationItem[] => {
    if (inbound !== null) return [{ kind: "inbound", at: inbound.receivedAt, inbound, medium: mediumOf(tx, inbound) }];
    return message === null ? [] : [viewOf(tx, message, hasButtons)];
  });
  return {
    items: items.toSorted((one, other) => other.at - one.at),
    next: all.length > shown.length ? next : null,
  };
}

function mediumOf(tx: ReadTx, { id, details }: Inbound): MediumWithFile | null {
  return details?.media === undefined ? null : (findMediaOfInbound(tx, id) ?? null);
}

const inboundsOfContact = statement((db) =>
  db
    .select()
    .from(inbounds)
    .where(and(eq(inbounds.contactId, sql.placeholder("contactId")), lt(inbounds.id, sql.placeholder("before"))))
    .orderBy(desc(inbounds.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

const dispatchedMessages = statement((db) =>
  db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.contactId, sql.placeholder("contactId")),
        isNotNull(messages.dispatchedAt),
        sql`(${messages.dispatchedAt}, ${messages.id}) < (${sql.placeholder("messageAt")}, ${sql.placeholder("messageId")})`,
      ),
    )
    .orderBy(desc(messages.dispatchedAt), desc(messages.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** Messages dispatched to a contact, newest first. */
export function listDispatched(
  tx: ReadTx,
  contactId: number,
  { messageAt, messageId }: Pick<ConversationCursor, "messageAt" | "messageId">,
  limit: number,
): Message[] {
  return dispatchedMessages(tx).all({ contactId, messageAt, messageId, limit });
}

function viewOf(tx: ReadTx, message: Message, hasButtons: boolean): ConversationItem {
  const broadcast = message.broadcastId === null ? null : getBroadcast(tx, message.broadcastId);
  return {
    kind: "message",
    at: message.dispatchedAt ?? message.createdAt,
    message,
    text: textOf(message, broadcast),
    broadcast,
    buttons: hasButtons ? buttonsOf(componentsOf(tx, message, broadcast)) : [],
  };
}

/**
 * The text that the person sees. A recipient's text is rendered from the broadcast's template and the recipient's
 * values.
 */
export function textOf(message: Message, broadcast: Broadcast | null): string {
  if (message.text !== null || broadcast === null) return message.text ?? "";
  const { templateComponents, templateFormat, templateCategory } = broadcast;
  const shape = readShape(templateComponents, templateFormat, templateCategory);
  return renderText(shape, message.variables?.header ?? [], message.variables?.body ?? []);
}

/** For a broadcast, the template as confirmed; for a message sent alone, the template as it is now. */
function componentsOf(tx: ReadTx, message: Message, broadcast: Broadcast | null): TemplateComponent[] {
  if (broadcast !== null) return broadcast.templateComponents;
  const { workspaceId, templateName, templateLanguage } = message;
  if (templateName === null || templateLanguage === null) return [];
  return findTemplate(tx, workspaceId, templateName, templateLanguage)?.components ?? [];
}

function buttonsOf(components: readonly TemplateComponent[]): Button[] {
  return components.flatMap((component) => {
    const buttons: unknown = (component as { buttons?: unknown }).buttons;
    if (!Array.isArray(buttons)) return [];
    return buttons.flatMap((button: { type?: unknown; text?: unknown } | null) =>
      typeof button?.text === "string" ? [{ text: button.text, isReply: button.type === "QUICK_REPLY" }] : [],
    );
  });
}
