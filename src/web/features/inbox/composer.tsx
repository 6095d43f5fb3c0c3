/**
 * Offers what can be sent to a person now: text and files while the window is open, a template when it is closed, and an
 * explanation if nothing may be sent.
 */
import { PenLine, X } from "lucide-react";
import { type ReactNode, type SyntheticEvent, useEffect, useState } from "react";
import { useMe, useWorkspace } from "../../data/session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { inputClass } from "../../ui/field.tsx";
import { useKeys } from "../../ui/keys.ts";
import { Notice, sentenceOf } from "../../ui/states.tsx";
import { exact } from "../../ui/time.tsx";
import { SendTemplate } from "../messages/send-template.tsx";
import { AskForNumber } from "./ask-for-number.tsx";
import { noteSeen, useChangeQuestion } from "./change-question.tsx";
import { focusReply, quotedFrom, replyTo } from "./composer-actions.tsx";
import { type Draft, draftIdOf, dropDraftsTo, noteIdOf, type Quoted, useDraft, write } from "./composer-draft.ts";
import { AttachButton, AttachedFile, takeFile } from "./composer-file.tsx";
import { LaterButton, SendAt } from "./composer-later.tsx";
import { QuickReplyButton, QuickReplyPicker } from "./composer-quick-reply.tsx";
import { strings as composerStrings } from "./composer-strings.ts";
import type { Conversation } from "./inbox-view.ts";
import { NoteField } from "./notes.tsx";
import { useTyping } from "./read-receipts.ts";
import { cancelUpload, isWorthAnotherTry, sendDraft } from "./sending.ts";
import { formatTimeLeft, strings } from "./strings.ts";
import { strings as teamStrings } from "./team-strings.ts";
import { OwnedElsewhere } from "./thread-owner.tsx";
import { SOON_MS, useWindowLeft } from "./window-chip.tsx";

/** Of a text below a file. */
const CAPTION_LENGTH_MAX = 1_024;

export function Composer({ conversation }: { conversation: Conversation }) {
  const { id: workspaceId } = useWorkspace();
  const { id: userId } = useMe().user;
  const [isNote, setIsNote] = useState(false);
  const noted = conversation.conversation;
  const { contact_id: contactId } = conversation;
  const isErased = conversation.to === null;
  useEffect(() => {
    if (isErased) dropDraftsTo(workspaceId, contactId);
  }, [isErased, workspaceId, contactId]);
  useKeys((key) => {
    if (noted === null || (key !== "n" && !(key === "r" && isNote))) return false;
    setIsNote(key === "n");
    if (key === "r") focusReply();
    return true;
  });
  return (
    <div className="flex max-h-[60%] flex-col gap-3 overflow-y-auto border-t border-line p-3">
      {noted !== null && (
        <fieldset className="flex gap-1">
          <legend className="sr-only">{teamStrings.writeWhat}</legend>
          <Choice isChosen={!isNote} onChoose={() => setIsNote(false)}>
            {teamStrings.replyTab}
          </Choice>
          <Choice isChosen={isNote} chosenClass="bg-amber-tint text-amber" onChoose={() => setIsNote(true)}>
            <PenLine aria-hidden size={14} />
            {teamStrings.note}
          </Choice>
        </fieldset>
      )}
      {isNote && noted !== null ? (
        <NoteField draftId={noteIdOf(draftIdOf(userId, workspaceId, contactId))} conversation={noted.id} />
      ) : (
        <ToPerson conversation={conversation} />
      )}
    </div>
  );
}

/** What can be sent to the person now. */
function ToPerson({ conversation }: { conversation: Conversation }) {
  const { timezone } = useWorkspace();
  const { window_ends_at: endsAt } = conversation;
  const left = useWindowLeft(endsAt);
  const blocker = useBlocker(conversation);
  const [isTaking, setIsTaking] = useState(false);
  const isElsewhere = conversation.thread?.owner === "other" && !isTaking;
  if (blocker !== null) return <Notice>{blocker}</Notice>;
  if (left <= 0) {
    return (
      <>
        <Notice tone="grey">
          {endsAt === null ? strings.neverOpen : strings.closed(exact(Date.parse(endsAt), timezone))}
        </Notice>
        <SendTemplate conversation={conversation} />
      </>
    );
  }
  if (isElsewhere) return <OwnedElsewhere conversation={conversation} onReply={() => setIsTaking(true)} />;
  return (
    <>
      {conversation.thread?.owner === "other" && <Notice>{strings.takenByMessage}</Notice>}
      {left < SOON_MS && <Notice>{strings.closesSoon(formatTimeLeft(left))}</Notice>}
      <Reply conversation={conversation} isTaking={isTaking} />
      {!conversation.has_phone && <AskForNumber conversation={conversation} />}
    </>
  );
}

interface ChoiceProps {
  isChosen: boolean;
  chosenClass?: string;
  onChoose: () => void;
  children: ReactNode;
}

/** What is written: a reply to the person, or a note for the staff. */
function Choice({ isChosen, chosenClass = "bg-sunken text-ink", onChoose, children }: ChoiceProps) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      className={`inline-flex min-h-8 items-center gap-1 rounded-control px-3 text-label font-semibold max-mid:min-h-11 ${isChosen ? chosenClass : "text-quiet hover:text-ink"}`}
      onClick={onChoose}
    >
      {children}
    </button>
  );
}

/** Why nothing can be sent, in words; null: it can. */
function useBlocker({ contact, from, to }: Conversation): string | null {
  const { timezone, suspended, numbers } = useWorkspace();
  const { status, source, at } = contact.consent;
  // The refusal outlives the person, who can no longer take it back here.
  if (to === null) return strings.erased;
  if (status === "opted_out") {
    const date = at === null ? "" : exact(Date.parse(at), timezone);
    return source === "inbound_message" ? strings.optedOut(date) : strings.optedOutElse(date);
  }
  if (suspended !== null) return strings.suspended;
  if (from === null) return strings.noNumber;
  return numbers.some(({ phone, ready }) => phone === from && !ready) ? strings.notReady(from) : null;
}

function optionsOf(from: string | null, isTaking: boolean) {
  return { ...(from === null ? {} : { from }), ...(isTaking ? { take: true } : {}) };
}

interface ReplyProps {
  conversation: Conversation;
  /** The message takes the conversation from another sender. */
  isTaking: boolean;
}

function Reply({ conversation, isTaking }: ReplyProps) {
  const { contact_id: id, to, from } = conversation;
  const { id: workspaceId, timezone } = useWorkspace();
  const showTyping = useTyping(conversation);
  const { id: userId } = useMe().user;
  const draftId = draftIdOf(userId, workspaceId, id);
  const draft = useDraft(draftId);
  const { text, file, replyTo: quoted, sendAt, isSending, progress, error } = draft;
  const [isPicking, setPicking] = useState(false);
  const isTooLong = file !== null && text.length > CAPTION_LENGTH_MAX;
  const isEmpty = (file === null && text.trim() === "") || sendAt === "";
  const send = () => sendDraft(draftId, { workspaceId, to: to ?? "", ...optionsOf(from, isTaking) });
  const { ask, question } = useChangeQuestion(conversation, draftId, send);
  const press = async () => {
    if (!isSending && !isEmpty && !isTooLong) await ask();
  };
  useKeys((key) => {
    if (key !== "r") return false;
    const last = conversation.items.find((item) => item.kind === "inbound" && quotedFrom(item) !== null);
    const answered = last === undefined ? null : quotedFrom(last);
    if (answered !== null) replyTo(draftId, answered);
    return answered !== null;
  });
  const take = (event: SyntheticEvent, { files }: DataTransfer) => {
    if (files.length === 0 || isSending) return;
    event.preventDefault();
    takeFile(draftId, files);
  };
  return (
    <>
      <form
        className="flex flex-col gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          void press();
        }}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => take(event, event.dataTransfer)}
      >
        {quoted !== null && <Quote draftId={draftId} quoted={quoted} disabled={isSending} />}
        {file !== null && (
          <AttachedFile draftId={draftId} draft={{ ...draft, file }} cancel={() => cancelUpload(draftId)} />
        )}
        <textarea
          data-composer
          className={`${inputClass} max-h-40`}
          rows={2}
          dir="auto"
          aria-label={file === null ? strings.reply : composerStrings.caption}
          placeholder={file === null ? strings.reply : composerStrings.caption}
          maxLength={4_096}
          value={text}
          readOnly={isSending}
          onChange={({ target }) => {
            if (text === "" && target.value === "/") setPicking(true);
            write(draftId, { text: target.value });
            noteSeen(draftId, conversation);
            if (target.value !== "") showTyping();
          }}
          onPaste={(event) => take(event, event.clipboardData)}
          onKeyDown={(event) => {
            // The keys of the conversation are reached from here too.
            if (event.key === "Escape") event.currentTarget.blur();
            if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
            event.preventDefault();
            void press();
          }}
        />
        {sendAt !== null && <SendAt draftId={draftId} disabled={isSending} sendAt={sendAt} zone={timezone} />}
        {isTooLong && (
          <p className="text-red">{composerStrings.captionTooLong(CAPTION_LENGTH_MAX.toLocaleString("en"))}</p>
        )}
        {error !== null && (
          <p role="alert" className="text-red wrap-anywhere">
            {typeof error === "string" ? error : sentenceOf(error)}
          </p>
        )}
        {question}
        <div className="flex items-center gap-3">
          <AttachButton draftId={draftId} disabled={isSending} />
          <QuickReplyButton disabled={isSending} onOpen={() => setPicking(true)} />
          {sendAt === null && <LaterButton draftId={draftId} disabled={isSending} />}
          <span className="flex-1 text-label text-quiet max-mid:invisible">{strings.sendHint}</span>
          <Button
            type="submit"
            tone="primary"
            busy={isSending && progress === null}
            disabled={isEmpty || isTooLong || isSending}
          >
            {labelOf(draft)}
          </Button>
        </div>
      </form>
      {/* Beside the form, which would take the events of a form inside of it for its own. */}
      {isPicking && (
        <QuickReplyPicker draftId={draftId} contact={conversation.contact} onClose={() => setPicking(false)} />
      )}
    </>
  );
}

function labelOf({ error, sendAt }: Draft): string {
  if (isWorthAnotherTry(error)) return composerStrings.tryAgain;
  return sendAt === null ? strings.send : composerStrings.later;
}

interface QuoteProps {
  draftId: string;
  quoted: Quoted;
  disabled: boolean;
}

/** The message that the reply answers. */
function Quote({ draftId, quoted, disabled }: QuoteProps) {
  return (
    <div className="flex items-center gap-3">
      <blockquote
        aria-label={composerStrings.answers}
        className="line-clamp-2 min-w-0 flex-1 border-s-2 border-edge ps-2 text-label text-quiet wrap-anywhere"
      >
        {quoted.text}
      </blockquote>
      <IconButton
        label={composerStrings.removeQuote}
        disabled={disabled}
        onClick={() => write(draftId, { replyTo: null })}
      >
        <X aria-hidden size={18} />
      </IconButton>
    </div>
  );
}
