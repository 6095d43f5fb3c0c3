/** Puts reactions on the message that they are about, and finds what a reply quotes, among the loaded messages. */
import { type ConversationItem, isUnsent, type SentItem } from "../messages/message-view.ts";

interface Arranged {
  /** Without the reactions that are shown on another message. */
  shown: ConversationItem[];
  /** The emoji on a message, by its key. */
  reactions: ReadonlyMap<string, string>;
  byKey: ReadonlyMap<string, ConversationItem>;
}

type Reference = NonNullable<Extract<ConversationItem, { kind: "inbound" }>["details"]["reply_to"]>;

/** `items`: newest first. A later reaction of the same side replaces an earlier one. */
export function arrange(items: readonly ConversationItem[]): Arranged {
  const byKey = new Map(items.map((item) => [item.key, item]));
  const emojis = new Map<string, Map<string, string>>();
  const shown = items.filter((item) => {
    const reaction = reactionOf(item);
    if (reaction === null) return true;
    const key = keyOf(reaction.to);
    if (key === null || !byKey.has(key)) return true;
    const bySide = emojis.get(key) ?? new Map<string, string>();
    emojis.set(key, bySide);
    if (!bySide.has(item.kind)) bySide.set(item.kind, reaction.emoji);
    return false;
  });
  const joined = [...emojis].map(([key, bySide]) => [key, [...bySide.values()].join("")] as const);
  return { shown, reactions: new Map(joined.filter(([, emoji]) => emoji !== "")), byKey };
}

/** What is marked for an item: a reaction that is shown on a message marks the message. */
export function markedIn(items: readonly ConversationItem[], key: string): string {
  const item = items.find((one) => one.key === key);
  const reaction = item === undefined ? null : reactionOf(item);
  const about = reaction === null ? null : keyOf(reaction.to);
  return about !== null && items.some((one) => one.key === about) ? about : key;
}

/** A reaction of either side that arrived; null for anything else. */
function reactionOf(item: ConversationItem): { emoji: string; to: Reference } | null {
  if (item.kind === "message") {
    if (item.content === null || !("reaction" in item.content) || item.status === "failed") return null;
    if (isUnsent(item)) return null;
    const { emoji, to } = item.content.reaction;
    return { emoji, to: referenceTo(to) };
  }
  if (item.kind !== "inbound" || item.details.reaction === undefined) return null;
  const { message_id: id = null, direction, emoji } = item.details.reaction;
  return { emoji: emoji ?? "", to: { message_id: id, ...(direction === undefined ? {} : { direction }) } };
}

/** As received messages name one. */
export function referenceTo(to: NonNullable<SentItem["reply_to"]>): Reference {
  return to.message === undefined ? { message_id: to.inbound ?? null } : { message_id: to.message, direction: "out" };
}

/** The key of the message that a reference names; null if it is not known here. */
export function keyOf({ message_id: id, direction }: Reference): string | null {
  if (id === null) return null;
  return direction === "out" ? `m${id}` : `i${id}`;
}
