/**
 * Offers what can be sent to a person now: text while the window is open, a template when it is closed, and an
 * explanation if nothing may be sent. Each message has one idempotency key, so a double press or a retry after a lost
 * connection sends it once.
 */
import { useRef, useState } from "react";
import { newFormKey, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { Button } from "../../ui/button.tsx";
import { inputClass } from "../../ui/field.tsx";
import { Notice, sentenceOf } from "../../ui/states.tsx";
import { exact } from "../../ui/time.tsx";
import { SendTemplate } from "../messages/send-template.tsx";
import { AskForNumber } from "./ask-for-number.tsx";
import type { Conversation } from "./inbox-view.ts";
import { isAnswered, isShownInConversation, useRefresh } from "./sending.ts";
import { formatTimeLeft, strings } from "./strings.ts";
import { OwnedElsewhere } from "./thread-owner.tsx";
import { SOON_MS, useWindowLeft } from "./window-chip.tsx";

export function Composer({ conversation }: { conversation: Conversation }) {
  const { timezone } = useWorkspace();
  const { window_ends_at: endsAt } = conversation;
  const left = useWindowLeft(endsAt);
  const blocker = useBlocker(conversation);
  const [isTaking, setIsTaking] = useState(false);
  const isElsewhere = conversation.thread?.owner === "other" && !isTaking;
  return (
    <div className="flex max-h-[60%] flex-col gap-3 overflow-y-auto border-t border-line p-3">
      {blocker !== null ? (
        <Notice>{blocker}</Notice>
      ) : left > 0 && isElsewhere ? (
        <OwnedElsewhere conversation={conversation} onReply={() => setIsTaking(true)} />
      ) : left > 0 ? (
        <>
          {conversation.thread?.owner === "other" && <Notice>{strings.takenByMessage}</Notice>}
          {left < SOON_MS && <Notice>{strings.closesSoon(formatTimeLeft(left))}</Notice>}
          <Reply conversation={conversation} isTaking={isTaking} />
          {!conversation.has_phone && <AskForNumber conversation={conversation} />}
        </>
      ) : (
        <>
          <Notice tone="grey">
            {endsAt === null ? strings.neverOpen : strings.closed(exact(Date.parse(endsAt), timezone))}
          </Notice>
          <SendTemplate conversation={conversation} />
        </>
      )}
    </div>
  );
}

/** Why nothing can be sent, in words; null: it can. */
function useBlocker({ contact, from, to }: Conversation): string | null {
  const { timezone, suspended, numbers } = useWorkspace();
  const { status, source, at } = contact.consent;
  if (status === "opted_out") {
    const date = at === null ? "" : exact(Date.parse(at), timezone);
    return source === "inbound_message" ? strings.optedOut(date) : strings.optedOutElse(date);
  }
  if (suspended !== null) return strings.suspended;
  if (to === null) return strings.erased;
  if (from === null) return strings.noNumber;
  return numbers.some(({ phone, ready }) => phone === from && !ready) ? strings.notReady(from) : null;
}

function optionsOf(from: string | null, isTaking: boolean) {
  return { ...(from === null ? {} : { from }), ...(isTaking ? { take: true } : {}) };
}

/** Unsent text of each conversation. Kept in memory while the page lives, never stored. */
const drafts = new Map<string, string>();

interface ReplyProps {
  conversation: Conversation;
  /** The message takes the conversation from another sender. */
  isTaking: boolean;
}

function Reply({ conversation: { contact_id: id, to, from }, isTaking }: ReplyProps) {
  const { id: workspaceId } = useWorkspace();
  const refresh = useRefresh(workspaceId, id);
  const draft = `${workspaceId} ${id}`;
  const [text, setText] = useState(drafts.get(draft) ?? "");
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const key = useRef(newFormKey());
  const type = (next: string) => {
    // A changed text is a different message.
    key.current = newFormKey();
    drafts.set(draft, next);
    setText(next);
  };
  const press = async () => {
    if (isBusy || text.trim() === "") return;
    setIsBusy(true);
    setError(null);
    try {
      await request(
        "POST /w/{workspace}/messages",
        { workspace: workspaceId, body: { to: to ?? "", text, ...optionsOf(from, isTaking) } },
        { key: key.current },
      );
      type("");
    } catch (reason) {
      // The message was dispatched and then failed or got no answer: the conversation shows it with its state.
      if (isShownInConversation(reason)) type("");
      else setError(reason);
      // The server may have stored its answer under the key, so another try needs a new one.
      if (isAnswered(reason)) key.current = newFormKey();
    } finally {
      setIsBusy(false);
      await refresh();
    }
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void press();
      }}
    >
      <textarea
        className={`${inputClass} max-h-40`}
        rows={2}
        aria-label={strings.reply}
        placeholder={strings.reply}
        maxLength={4_096}
        value={text}
        onChange={({ target }) => type(target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void press();
        }}
      />
      {error !== null && (
        <p role="alert" className="text-red">
          {sentenceOf(error)}
        </p>
      )}
      <div className="flex items-center justify-between gap-3">
        <span className="text-label text-quiet max-mid:invisible">{strings.sendHint}</span>
        <Button type="submit" tone="primary" busy={isBusy} disabled={text.trim() === ""}>
          {strings.send}
        </Button>
      </div>
    </form>
  );
}
