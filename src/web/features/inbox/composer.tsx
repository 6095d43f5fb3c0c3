/**
 * Offers what can be sent to a person now: text and files while the window is open, a template when it is closed, and an
 * explanation if nothing may be sent.
 */
import { PenLine } from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { useMe, useWorkspace } from "../../data/session.ts";
import { useKeys } from "../../ui/keys.ts";
import { Notice } from "../../ui/states.tsx";
import { exact } from "../../ui/time.tsx";
import { SendTemplate } from "../messages/send-template.tsx";
import { AskForNumber } from "./ask-for-number.tsx";
import { focusNoteNow, focusReplyNow } from "./composer-actions.tsx";
import { draftIdOf, dropDraftsTo, noteIdOf } from "./composer-draft.ts";
import { Reply } from "./composer-reply.tsx";
import { useSavedDraft } from "./composer-saving.ts";
import type { Conversation } from "./inbox-view.ts";
import { NoteField } from "./notes.tsx";
import { formatTimeLeft, strings } from "./strings.ts";
import { strings as teamStrings } from "./team-strings.ts";
import { OwnedElsewhere } from "./thread-owner.tsx";
import { SOON_MS, useWindowLeft } from "./window-chip.tsx";

export function Composer({ conversation }: { conversation: Conversation }) {
  const { id: workspaceId } = useWorkspace();
  const { id: userId } = useMe().user;
  const [isNote, setIsNote] = useState(false);
  const noted = conversation.conversation;
  const { contact_id: contactId } = conversation;
  const isErased = conversation.to === null;
  useSavedDraft(draftIdOf(userId, workspaceId, contactId), isErased);
  useEffect(() => {
    if (isErased) dropDraftsTo(workspaceId, contactId);
  }, [isErased, workspaceId, contactId]);
  useKeys((key) => {
    if (noted === null || (key !== "n" && !(key === "r" && isNote))) return false;
    if (key === "r") focusReplyNow(() => setIsNote(false));
    else focusNoteNow(() => setIsNote(true));
    return true;
  });
  return (
    <div className="flex max-h-[60%] scroll-pb-16 flex-col gap-3 overflow-y-auto border-t border-line p-3">
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
