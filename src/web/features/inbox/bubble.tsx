/** One message as it stands in a conversation: at its side, with its time and what became of it. */
import type { ReactNode } from "react";
import { type ConversationItem, hourOf } from "../messages/message-view.ts";
import { strings } from "../simulator/strings.ts";

interface BubbleProps {
  item: ConversationItem;
  /** Of whoever looks: what they wrote stands at the end of the line, what they got at its start. */
  isOwn: boolean;
  zone: string;
  /** Not (yet) on the other side: drawn with a broken line. */
  isUndelivered?: boolean;
  /** The state and what can be done, below it. */
  children?: ReactNode;
}

export function Bubble({ item, isOwn, zone, isUndelivered = false, children }: BubbleProps) {
  const className = isOwn ? "bg-green-tint text-ink rounded-ee-none" : "bg-surface text-ink rounded-es-none";
  return (
    <div className={`flex flex-col gap-1 ${isOwn ? "items-end" : "items-start"}`}>
      <div
        className={`max-w-[85%] rounded-panel border px-3 py-2 text-form mid:text-body ${className} ${isUndelivered ? "border-dashed border-edge" : "border-line"}`}
      >
        <p className="whitespace-pre-wrap wrap-anywhere">{textIn(item)}</p>
        <p className="mt-1 text-end text-label text-quiet figures">
          <time dateTime={item.at}>{hourOf(item.at, zone)}</time>
        </p>
      </div>
      {children}
    </div>
  );
}

/** What is there to read; for a picture or a voice message its kind. */
export function textIn(item: ConversationItem): string {
  if (item.text !== null && item.text !== "") return item.text;
  return strings.kinds[item.type] ?? strings.otherKind(item.type);
}

/** A day's line, where a new day begins. */
export function DayLine({ day }: { day: string }) {
  return (
    <p className="my-2 flex items-center gap-3 text-label text-quiet before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {day}
    </p>
  );
}
