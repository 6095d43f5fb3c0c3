/**
 * What passed between a workspace and one person, both ways, the newest first: messages that were handed over (sent
 * alone or in a broadcast) and what the person wrote. Read from the ends of two indexes, a page at a time.
 */
import { and, desc, eq, isNotNull, lt, sql } from "drizzle-orm";
import { type Reading, statement } from "#src/db/transaction.ts";
import { getBroadcast } from "#src/domain/broadcasts/read.ts";
import type { Broadcast } from "#src/domain/broadcasts/table.ts";
import { type Inbound, inbounds } from "#src/domain/inbound/table.ts";
import { type Message, messages } from "#src/domain/messages/table.ts";
import { findTemplate } from "#src/domain/templates/read.ts";
import { readShape, renderText, type TemplateComponent } from "#src/domain/templates/template.ts";

export type ThreadItem =
  | { kind: "inbound"; at: number; inbound: Inbound }
  | { kind: "message"; at: number; message: Message; text: string; broadcast: Broadcast | null; buttons: Button[] };

/** What stands below a template; only a quick reply can be pressed to answer. */
export interface Button {
  text: string;
  isReply: boolean;
}

/** Everything below these comes next. */
export interface ThreadPosition {
  inboundId: number;
  messageAt: number;
  messageId: number;
}

export interface Thread {
  items: ThreadItem[];
  /** Null: this is all. */
  next: ThreadPosition | null;
}

export const START: ThreadPosition = {
  inboundId: Number.MAX_SAFE_INTEGER,
  messageAt: Number.MAX_SAFE_INTEGER,
  messageId: Number.MAX_SAFE_INTEGER,
};

/** `hasButtons`: with what stands below templates, which is looked up for each. */
export function readThread(
  reading: Reading,
  contactId: number,
  from: ThreadPosition | null,
  limit: number,
  { hasButtons = false } = {},
): Thread {
  const start = from ?? START;
  const wrote = written(reading).all({ contactId, before: start.inboundId, limit: limit + 1 });
  const sent = listHandedOver(reading, contactId, start, limit + 1);
  // By when they came here; within a page, what a person wrote stands at the network's time.
  const all = [
    ...wrote.map((inbound) => ({ at: inbound.createdAt, inbound, message: null })),
    ...sent.map((message) => ({ at: message.handedOverAt ?? message.createdAt, inbound: null, message })),
  ].toSorted((one, other) => other.at - one.at);
  const shown = all.slice(0, limit);
  const lastInbound = shown.findLast(({ inbound }) => inbound !== null)?.inbound;
  const lastMessage = shown.findLast(({ message }) => message !== null)?.message;
  const next: ThreadPosition = {
    inboundId: lastInbound?.id ?? start.inboundId,
    messageAt: lastMessage?.handedOverAt ?? start.messageAt,
    messageId: lastMessage?.id ?? start.messageId,
  };
  const items = shown.flatMap(({ inbound, message }): ThreadItem[] => {
    if (inbound !== null) return [{ kind: "inbound", at: inbound.receivedAt, inbound }];
    return message === null ? [] : [viewOf(reading, message, hasButtons)];
  });
  return {
    items: items.toSorted((one, other) => other.at - one.at),
    next: all.length > shown.length ? next : null,
  };
}

const written = statement((db) =>
  db
    .select()
    .from(inbounds)
    .where(and(eq(inbounds.contactId, sql.placeholder("contactId")), lt(inbounds.id, sql.placeholder("before"))))
    .orderBy(desc(inbounds.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

const handedOver = statement((db) =>
  db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.contactId, sql.placeholder("contactId")),
        isNotNull(messages.handedOverAt),
        sql`(${messages.handedOverAt}, ${messages.id}) < (${sql.placeholder("messageAt")}, ${sql.placeholder("messageId")})`,
      ),
    )
    .orderBy(desc(messages.handedOverAt), desc(messages.id))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** What was handed over to a person, the newest first. */
export function listHandedOver(
  reading: Reading,
  contactId: number,
  { messageAt, messageId }: Pick<ThreadPosition, "messageAt" | "messageId">,
  limit: number,
): Message[] {
  return handedOver(reading).all({ contactId, messageAt, messageId, limit });
}

function viewOf(reading: Reading, message: Message, hasButtons: boolean): ThreadItem {
  const broadcast = message.broadcastId === null ? null : getBroadcast(reading, message.broadcastId);
  return {
    kind: "message",
    at: message.handedOverAt ?? message.createdAt,
    message,
    text: textOf(message, broadcast),
    broadcast,
    buttons: hasButtons ? buttonsOf(componentsOf(reading, message, broadcast)) : [],
  };
}

/** What the person sees. A recipient's is made from its broadcast's template and its own values. */
export function textOf(message: Message, broadcast: Broadcast | null): string {
  if (message.text !== null || broadcast === null) return message.text ?? "";
  const { templateComponents, templateFormat, templateCategory } = broadcast;
  const shape = readShape(templateComponents, templateFormat, templateCategory);
  return renderText(shape, message.variables?.header ?? [], message.variables?.body ?? []);
}

/** As confirmed for a broadcast; for a message sent alone, as the template is now. */
function componentsOf(reading: Reading, message: Message, broadcast: Broadcast | null): TemplateComponent[] {
  if (broadcast !== null) return broadcast.templateComponents;
  const { workspaceId, templateName, templateLanguage } = message;
  if (templateName === null || templateLanguage === null) return [];
  return findTemplate(reading, workspaceId, templateName, templateLanguage)?.components ?? [];
}

function buttonsOf(components: readonly TemplateComponent[]): Button[] {
  return components.flatMap((component) => {
    const given: unknown = (component as { buttons?: unknown }).buttons;
    if (!Array.isArray(given)) return [];
    return given.flatMap((button: { type?: unknown; text?: unknown } | null) =>
      typeof button?.text === "string" ? [{ text: button.text, isReply: button.type === "QUICK_REPLY" }] : [],
    );
  });
}
