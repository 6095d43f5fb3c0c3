/** Puts reactions on the message that they are about, and finds what a reply quotes, among the loaded messages. */
import type { ConversationItem } from "../messages/message-view.ts";

interface Arranged {
  /** Without the reactions that are shown on another message. */
  shown: ConversationItem[];
  /** The emoji on a message, by its key. */
  reactions: ReadonlyMap<string, string>;
  byKey: ReadonlyMap<string, ConversationItem>;
}

type Reference = NonNullable<Extract<ConversationItem, { kind: "inbound" }>["details"]["reply_to"]>;

/** `items`: newest first. A later reaction of the person replaces an earlier one. */
export function arrange(items: readonly ConversationItem[]): Arranged {
  const byKey = new Map(items.map((item) => [item.key, item]));
  const emojis = new Map<string, string | null>();
  const shown = items.filter((item) => {
    if (item.kind !== "inbound" || item.details.reaction === undefined) return true;
    const { message_id: id = null, direction, emoji } = item.details.reaction;
    const key = id === null ? null : keyOf({ message_id: id, ...(direction === undefined ? {} : { direction }) });
    if (key === null || !byKey.has(key)) return true;
    if (!emojis.has(key)) emojis.set(key, emoji);
    return false;
  });
  const reactions = new Map([...emojis].flatMap(([key, emoji]) => (emoji === null ? [] : [[key, emoji] as const])));
  return { shown, reactions, byKey };
}

/** The key of the message that a reference names; null if it is not known here. */
export function keyOf({ message_id: id, direction }: Reference): string | null {
  if (id === null) return null;
  return direction === "out" ? `m${id}` : `i${id}`;
}
