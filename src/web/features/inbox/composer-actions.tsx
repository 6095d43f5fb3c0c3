/** What can be done with a message of a conversation: react to it, remove the reaction, reply to it. */
import { Menu } from "@base-ui/react/menu";
import { Reply, SmilePlus } from "lucide-react";
import { useRef, useState } from "react";
import { flushSync } from "react-dom";
import { newFormKey, request } from "../../data/api.ts";
import { sendOrWait } from "../../data/outbox.ts";
import { useMe, useWorkspace } from "../../data/session.ts";
import { moveFocusLater } from "../../ui/keys.ts";
import { ErrorLine } from "../../ui/states.tsx";
import { type ConversationItem, isUnsent } from "../messages/message-view.ts";
import { keyOf, referenceTo } from "./arrange.ts";
import { textIn } from "./bubble.tsx";
import { draftIdOf, note, type Quoted, readDraft, write } from "./composer-draft.ts";
import { strings } from "./composer-strings.ts";
import type { Conversation } from "./inbox-view.ts";
import { isAnswered, isShownInConversation, useRefresh } from "./sending.ts";

const EMOJIS = ["👍", "❤️", "😂", "😮", "😢", "🙏"] as const;
/** Items that are not messages of their own on the person's phone. */
const NO_MESSAGES: ReadonlySet<string> = new Set(["reaction", "edit", "revoke", "call", "system"]);
const itemClass = "cursor-pointer rounded-control outline-none data-highlighted:bg-sunken";

/** Null: it cannot be named in an answer. */
export function quotedFrom(item: ConversationItem): Quoted | null {
  if (item.kind === "echo" || NO_MESSAGES.has(item.type)) return null;
  if (item.kind === "inbound") return { key: item.key, to: { inbound: item.id }, text: textIn(item) };
  if (item.status === "failed" || isUnsent(item)) return null;
  return { key: item.key, to: { message: item.id }, text: textIn(item) };
}

/** Puts the message into the reply. A template answers no message: its form closes, and keeps what was typed. */
export function quote(draftId: string, quoted: Quoted): void {
  write(draftId, { replyTo: quoted, ...(readDraft(draftId).part === "template" ? { part: null } : {}) });
  note(draftId, { error: null });
}

/** Puts the message into the reply, and the focus there. */
function replyTo(draftId: string, quoted: Quoted): void {
  quote(draftId, quoted);
  focusReply();
}

/**
 * For a key: makes `change`, and has the focus in the field before the next key arrives, which would otherwise be lost. For
 * what closes a menu, or waits for a form, `focusReply` is later.
 */
export function focusReplyNow(change: () => void): void {
  flushSync(change);
  focusAtEnd(document.querySelector("[data-composer]"));
}

/** As `focusReplyNow`, for the field of a note. */
export function focusNoteNow(change: () => void): void {
  flushSync(change);
  focusAtEnd(document.querySelector("[data-note]"));
}

/** Behind what is written there already, also by a page before this one. */
export function focusAtEnd(field: HTMLTextAreaElement | null): void {
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}

/** Also a field that is about to appear. */
export function focusReply(): void {
  moveFocusLater(() => document.querySelector<HTMLTextAreaElement>("[data-composer]"), focusAtEnd);
}

/** Whether a free message can be sent now. */
function isOpen({ window_ends_at: endsAt, contact, to, from, thread }: Conversation): boolean {
  if (to === null || from === null || contact.consent.status === "opted_out" || thread?.owner === "other") return false;
  return endsAt !== null && Date.parse(endsAt) > Date.now();
}

interface MessageActionsProps {
  item: ConversationItem;
  conversation: Conversation;
}

export function MessageActions({ item, conversation }: MessageActionsProps) {
  const quoted = quotedFrom(item);
  if (quoted === null || !isOpen(conversation)) return null;
  return <Actions quoted={quoted} conversation={conversation} />;
}

function Actions({ quoted, conversation }: { quoted: Quoted; conversation: Conversation }) {
  const { id: workspaceId } = useWorkspace();
  const { id: userId } = useMe().user;
  const draftId = draftIdOf(userId, workspaceId, conversation.contact_id);
  const { react, isBusy, error } = useReaction(quoted, conversation);
  const hasOwn = ownReaction(conversation.items, quoted.key) !== "";
  return (
    <>
      <Menu.Root>
        <Menu.Trigger
          aria-label={strings.actionsFor(quoted.text.slice(0, 60))}
          title={strings.actions}
          disabled={isBusy}
          className="inline-flex size-8 shrink-0 items-center justify-center rounded-control text-quiet hover:bg-surface hover:text-ink max-mid:size-11"
        >
          <SmilePlus aria-hidden size={16} />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} className="z-50">
            <Menu.Popup className="floats rounded-panel border border-line bg-surface p-1 shadow-float outline-none">
              <Menu.Item
                className={`${itemClass} flex min-h-10 items-center gap-2 px-3 max-mid:min-h-11`}
                onClick={() => setTimeout(() => replyTo(draftId, quoted))}
              >
                <Reply aria-hidden size={16} />
                {strings.replyToThis}
              </Menu.Item>
              <Menu.Group className="flex" aria-label={strings.reactions}>
                {EMOJIS.map((emoji) => (
                  <Menu.Item
                    key={emoji}
                    aria-label={strings.reactWith(emoji)}
                    className={`${itemClass} inline-flex size-10 items-center justify-center text-section max-mid:size-11`}
                    onClick={() => void react(emoji)}
                  >
                    {emoji}
                  </Menu.Item>
                ))}
              </Menu.Group>
              {hasOwn && (
                <Menu.Item
                  className={`${itemClass} flex min-h-10 items-center px-3 max-mid:min-h-11`}
                  onClick={() => void react("")}
                >
                  {strings.removeReaction}
                </Menu.Item>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      <ErrorLine error={error} className="text-label" />
    </>
  );
}

function useReaction(quoted: Quoted, { contact_id: contactId, to, from }: Conversation) {
  const { id: workspaceId } = useWorkspace();
  const { id: userId } = useMe().user;
  const refresh = useRefresh(workspaceId, contactId);
  const sender = from === null ? {} : { from };
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  // Of the reaction whose answer was lost: once more, it is the same message.
  const keys = useRef(new Map<string, string>());
  const react = async (emoji: string) => {
    if (isBusy) return;
    const key = keys.current.get(emoji) ?? newFormKey();
    keys.current = new Map();
    setIsBusy(true);
    setError(null);
    const message = { to: to ?? "", ...sender, reaction: { emoji, to: quoted.to } };
    const text = emoji || strings.removeReaction;
    try {
      await sendOrWait(
        { userId, workspaceId, contactId, key, seen: null, what: { message }, text },
        async (options) => {
          await request("POST /w/{workspace}/messages", { workspace: workspaceId, body: message }, options);
        },
      );
    } catch (reason) {
      if (!isAnswered(reason)) keys.current.set(emoji, key);
      if (!isShownInConversation(reason)) setError(reason);
    } finally {
      setIsBusy(false);
      await refresh();
    }
  };
  return { react, isBusy, error };
}

/** Our newest reaction to the message; empty: none, or removed. `items`: newest first. */
function ownReaction(items: readonly ConversationItem[], key: string): string {
  for (const item of items) {
    if (item.kind !== "message" || item.content === null || !("reaction" in item.content)) continue;
    if (item.status === "failed" || isUnsent(item)) continue;
    if (keyOf(referenceTo(item.content.reaction.to)) === key) return item.content.reaction.emoji;
  }
  return "";
}
