/** What the person sees on their phone: that their message was read, and that an answer is being written. Colleagues see the latter too. */
import { useEffect, useRef } from "react";
import { request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import type { ConversationItem } from "../messages/message-view.ts";
import type { Conversation } from "./inbox-view.ts";
import { useTypingShown } from "./presence.tsx";

/** The phone shows it for 25 seconds. */
const TYPING_EVERY_MS = 20_000;

function mark(workspace: number, id: number, typing: boolean): void {
  // The receipt of a later message covers this one.
  request("POST /w/{workspace}/inbounds/{id}/read", { workspace, id, body: { typing } }).catch(() => undefined);
}

/** A colleague wrote it: what software and the away message send answers nothing here. */
function isAnswer(item: ConversationItem): boolean {
  return item.kind === "message" && item.origin === "console" && item.sent_at !== null;
}

/** Marks what the person wrote last as read, when the workspace's setting says so. */
export function useReadReceipts({ items, unread, last_inbound_id: last }: Conversation): void {
  const { id: workspace, read_receipts: receipts } = useWorkspace();
  const marked = useRef<number | null>(null);
  const waiting = useRef<number | null>(null);
  const newest = items.find((item) => item.kind === "inbound" || isAnswer(item));
  const isAnswered = newest !== undefined && newest.kind !== "inbound";
  useEffect(() => {
    if (last === 0 || document.hidden) return;
    const isOpened = receipts === "opened" && unread > 0 && marked.current !== last;
    const isNewlyAnswered = receipts === "answered" && isAnswered && waiting.current === last;
    waiting.current = isAnswered ? null : last;
    if (!isOpened && !isNewlyAnswered) return;
    marked.current = last;
    mark(workspace, last, false);
  }, [workspace, receipts, last, unread, isAnswered]);
}

/** Call it at each key: tells the person and the colleagues, now and then, that an answer is being written. */
export function useTyping({ last_inbound_id: last, conversation }: Conversation, text: string): () => void {
  const { id: workspace, read_receipts: receipts } = useWorkspace();
  const toldAt = useRef(0);
  const tellColleagues = useTypingShown(conversation?.id ?? null, text);
  return () => {
    tellColleagues();
    const now = Date.now();
    if (receipts === "off" || last === 0 || now - toldAt.current < TYPING_EVERY_MS) return;
    toldAt.current = now;
    mark(workspace, last, true);
  };
}
