/** One message in a conversation: on its side, with its time and state. */
import type { ReactNode } from "react";
import { type ConversationItem, hourOf } from "../messages/message-view.ts";
import { strings } from "../simulator/strings.ts";
import { SentAction, SentAttachment, saysAll } from "./attachment.tsx";
import { strings as inboxStrings } from "./strings.ts";

interface BubbleProps {
  item: ConversationItem;
  /** Written by the viewing side: right-aligned; otherwise left-aligned. */
  isOwn: boolean;
  zone: string;
  /** Not (yet) received by the other side: drawn with a dashed border. */
  isUndelivered?: boolean;
  /** What the message brings beside its text, shown above it. */
  attachment?: ReactNode;
  /** Whether the attachment shows what the text would repeat. */
  hidesText?: boolean;
  /** The message that this one answers. */
  quote?: string | null;
  /** The person's reaction to the message. */
  reaction?: string | undefined;
  /** What can be done with the message, beside it. */
  actions?: ReactNode;
  /** State and actions, rendered below. */
  children?: ReactNode;
}

export function Bubble({ item, isOwn, zone, isUndelivered = false, children, ...more }: BubbleProps) {
  const { attachment, hidesText = false, quote = null, reaction, actions } = more;
  const sent = item.kind === "message" ? item.content : null;
  const isAllSaid = hidesText || (sent !== null && saysAll(sent));
  const className = isOwn ? "bg-green-tint text-ink rounded-ee-none" : "bg-surface text-ink rounded-es-none";
  return (
    <div className={`flex flex-col gap-1 ${isOwn ? "items-end" : "items-start"}`}>
      <div className={`flex max-w-full items-center gap-1 ${isOwn ? "flex-row-reverse" : ""}`}>
        <div
          className={`max-w-[85%] rounded-panel border px-3 py-2 text-form mid:text-body ${className} ${isUndelivered ? "border-dashed border-edge" : "border-line"}`}
        >
          {quote !== null && (
            <blockquote
              aria-label={item.type === "edit" || item.type === "revoke" ? inboxStrings.about : inboxStrings.repliedTo}
              className="mb-1 line-clamp-2 border-s-2 border-edge ps-2 text-label text-quiet wrap-anywhere"
            >
              {quote}
            </blockquote>
          )}
          {attachment}
          {sent !== null && <SentAttachment content={sent} />}
          {!isAllSaid && <p className="whitespace-pre-wrap wrap-anywhere">{textIn(item)}</p>}
          {sent !== null && item.kind === "message" && item.buttons.length === 0 && <SentAction content={sent} />}
          <p className="mt-1 text-end text-label text-quiet figures">
            <time dateTime={item.at}>{hourOf(item.at, zone)}</time>
          </p>
        </div>
        {actions}
      </div>
      {reaction !== undefined && (
        <span
          role="img"
          aria-label={inboxStrings.reactedWith(reaction)}
          className="-mt-3 rounded-full border border-line bg-surface px-1.5 py-0.5 text-body"
        >
          {reaction}
        </span>
      )}
      {children}
    </div>
  );
}

interface Shown {
  type: string;
  text: string | null;
  details?: { call?: { status: string | null } };
}

/** The text to show; for a picture or a voice message, its kind. */
export function textIn(item: Shown): string {
  if (item.text !== null && item.text !== "") return item.text;
  if (item.details?.call?.status === "COMPLETED") return strings.answeredCall;
  return strings.kinds[item.type] ?? strings.otherKind(item.type);
}

/** A separator between two days. */
export function DayLine({ day }: { day: string }) {
  return (
    <p className="my-2 flex items-center gap-3 text-label text-quiet before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {day}
    </p>
  );
}
