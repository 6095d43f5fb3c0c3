/** The form of a reply: its text, what is added to it, when it goes. */
import { LayoutTemplate, Mic, X } from "lucide-react";
import {
  type KeyboardEvent,
  lazy,
  type RefObject,
  Suspense,
  type SyntheticEvent,
  useEffect,
  useRef,
  useState,
} from "react";
import { flushSync } from "react-dom";
import { ApiError } from "../../data/api.ts";
import { useMe, useWorkspace } from "../../data/session.ts";
import { Button, IconButton } from "../../ui/button.tsx";
import { isOverlayOpen, useKeys } from "../../ui/keys.ts";
import { Loading, sentenceOf } from "../../ui/states.tsx";
import { focusTemplate, TemplatePicker, unfilled } from "../messages/choose-template.tsx";
import { SendTemplate } from "../messages/send-template.tsx";
import { noteSeen, useChangeQuestion } from "./change-question.tsx";
import { focusReply, focusReplyNow, quote, quotedFrom } from "./composer-actions.tsx";
import { type Draft, draftIdOf, readDraft, useDraft, write } from "./composer-draft.ts";
import { AttachedFile, takeFile } from "./composer-file.tsx";
import { LaterButton, SendAt } from "./composer-later.tsx";
import { AddMenu } from "./composer-menu.tsx";
import { type Faults, faultsOf, type PartName, pathsOf, shownFaults, takesText } from "./composer-parts.ts";
import { QuickReplyButton, QuickReplyPicker } from "./composer-quick-reply.tsx";
import { strings as composerStrings, partStrings } from "./composer-strings.ts";
import { isTextTooLong, Quote, ReplyText } from "./composer-text.tsx";
import type { Conversation } from "./inbox-view.ts";
import { cancelUpload, isWorthAnotherTry, sendDraft } from "./sending.ts";
import { strings } from "./strings.ts";

const PartForm = lazy(async () => ({ default: (await import("./composer-part.tsx")).PartForm }));
const VoiceRecorder = lazy(async () => ({ default: (await import("./composer-voice.tsx")).VoiceRecorder }));

const BODY = "interactive.body";
/** What sends it stays in sight of a long form. */
const stickyClass = "sticky -bottom-3 z-10 -mx-3 -mb-3 border-t border-line bg-surface px-3 py-2";
/** On a phone, a form with a part covers the lower part of the screen. */
const sheetClass =
  "max-mid:fixed max-mid:inset-x-0 max-mid:bottom-0 max-mid:z-30 max-mid:max-h-[85dvh] max-mid:scroll-pt-14 max-mid:scroll-pb-20 max-mid:overflow-y-auto max-mid:rounded-t-panel max-mid:border-t max-mid:border-line max-mid:bg-surface max-mid:p-3 max-mid:shadow-float";

function optionsOf(from: string | null, isTaking: boolean) {
  return { ...(from === null ? {} : { from }), ...(isTaking ? { take: true } : {}) };
}

interface ReplyProps {
  conversation: Conversation;
  /** The message takes the conversation from another sender. */
  isTaking: boolean;
}

export function Reply({ conversation, isTaking }: ReplyProps) {
  const { contact_id: id } = conversation;
  const { id: workspaceId } = useWorkspace();
  const { id: userId } = useMe().user;
  const draftId = draftIdOf(userId, workspaceId, id);
  const draft = useDraft(draftId);
  const close = () => {
    write(draftId, { part: null });
    focusReply();
  };
  useKeys((key) => {
    if (key !== "r") return false;
    const last = conversation.items.find((item) => item.kind === "inbound" && quotedFrom(item) !== null);
    const answered = last === undefined ? null : quotedFrom(last);
    if (answered !== null) focusReplyNow(() => quote(draftId, answered));
    return answered !== null;
  });
  if (draft.part === "template") {
    return (
      <div className={`flex flex-col gap-2 ${sheetClass}`}>
        <PartHead name={composerStrings.template} close={close} />
        <SendTemplate conversation={conversation} isTitled onSent={close} />
      </div>
    );
  }
  return <ReplyForm {...{ conversation, isTaking, draftId, draft, close }} part={draft.part} />;
}

interface ReplyFormProps extends ReplyProps {
  draftId: string;
  draft: Draft;
  part: PartName | null;
  close: () => void;
}

function ReplyForm({ conversation, isTaking, draftId, draft, part, close }: ReplyFormProps) {
  const { timezone } = useWorkspace();
  const { file, replyTo: quoted, sendAt, isSending, error } = draft;
  const [isPicking, setPicking] = useState(false);
  const [isPickingTemplate, setPickingTemplate] = useState(false);
  const [isRecording, setRecording] = useState(false);
  /** The part that the user has just opened. */
  const [opened, setOpened] = useState<PartName | null>(null);
  const sendButton = useRef<HTMLButtonElement>(null);
  const { press, question, canSend, faults, isAllSaid } = usePress({ conversation, isTaking, draftId, draft, part });
  const open = (name: NonNullable<Draft["part"]>) => {
    if (name === "template") return openTemplate();
    setOpened(name);
    write(draftId, { part: name });
    noteSeen(draftId, conversation);
  };
  const openTemplate = () => {
    // One whose values were typed is not lost.
    if (draft.template === null) return flushSync(() => setPickingTemplate(true));
    showTemplate(draft.template);
  };
  const showTemplate = (template: NonNullable<Draft["template"]>) => {
    write(draftId, { part: "template", template });
    noteSeen(draftId, conversation);
    focusTemplate();
  };
  useKeys((key) => {
    if ((key !== "m" && key !== "q") || isSending || isRecording) return false;
    if (key === "m") openTemplate();
    else if (takesText(part)) flushSync(() => setPicking(true));
    else return false;
    return true;
  });
  const record = () => {
    write(draftId, { part: null });
    setRecording(true);
  };
  const endRecording = () => {
    setRecording(false);
    noteSeen(draftId, conversation);
    // What is there now is heard, sent or removed. Nothing of it is in the page yet.
    setTimeout(() => (readDraft(draftId).file === null ? focusReply() : sendButton.current?.focus()));
  };
  const take = (event: SyntheticEvent, { files }: DataTransfer) => {
    if (files.length === 0 || isSending) return;
    event.preventDefault();
    takeFile(draftId, files);
  };
  usePastedFile(draftId, !isSending);
  const steer = (event: KeyboardEvent<HTMLFormElement>) => {
    if (event.key === "Escape" && part !== null) close();
    const isSend = event.ctrlKey || event.metaKey;
    // In a field of one line, Enter alone would send.
    if (event.key !== "Enter" || !(isSend || event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    if (isSend && !isRecording) void press();
  };
  return (
    <>
      <form
        data-composer-form
        className={`flex flex-col gap-2 ${part === null ? "" : sheetClass}`}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isRecording) void press();
        }}
        onKeyDown={steer}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => take(event, event.dataTransfer)}
      >
        {part !== null && <PartHead name={partStrings.names[part]} close={close} />}
        {quoted !== null && <Quote draftId={draftId} quoted={quoted} disabled={isSending} />}
        {file !== null && (
          <AttachedFile draftId={draftId} draft={{ ...draft, file }} cancel={() => cancelUpload(draftId)} />
        )}
        <Suspense fallback={<Loading />}>
          {isRecording && <VoiceRecorder draftId={draftId} onEnd={endRecording} />}
        </Suspense>
        {takesText(part) && (
          <ReplyText
            {...{ conversation, draftId, draft, part }}
            fault={faults[BODY]}
            onSlash={() => setPicking(true)}
            onPaste={(event) => take(event, event.clipboardData)}
          />
        )}
        {part !== null && (
          <Suspense fallback={<Loading />}>
            <PartForm key={part} {...{ draftId, draft, faults }} name={part} hasFocus={opened === part} />
          </Suspense>
        )}
        {sendAt !== null && <SendAt draftId={draftId} disabled={isSending} sendAt={sendAt} zone={timezone} />}
        {error !== null && !isAllSaid && (
          <p role="alert" className="text-red wrap-anywhere">
            {typeof error === "string" ? error : sentenceOf(error)}
          </p>
        )}
        {question}
        <Actions
          {...{ draftId, draft, part, sendButton, isRecording }}
          canSend={canSend && !isRecording}
          onPart={open}
          onVoice={record}
          onQuickReply={() => setPicking(true)}
        />
      </form>
      {/* Beside the form, which would take the events of a form inside of it for its own. */}
      {isPicking && (
        <QuickReplyPicker draftId={draftId} contact={conversation.contact} onClose={() => setPicking(false)} />
      )}
      {isPickingTemplate && (
        <TemplatePicker
          onChoose={(chosen) => showTemplate(unfilled(chosen))}
          onClose={() => {
            setPickingTemplate(false);
            focusReply();
          }}
        />
      )}
    </>
  );
}

/** Takes a file that is pasted anywhere on the page but into a field, and leads to the reply. */
function usePastedFile(draftId: string, isWanted: boolean): void {
  useEffect(() => {
    if (!isWanted) return;
    const take = (event: ClipboardEvent) => {
      const { target, clipboardData } = event;
      const isField = target instanceof HTMLElement && target.closest("input, textarea, [contenteditable]") !== null;
      const files = clipboardData?.files ?? [];
      if (isField || files.length === 0 || isOverlayOpen()) return;
      event.preventDefault();
      takeFile(draftId, files);
      focusReply();
    };
    document.addEventListener("paste", take);
    return () => document.removeEventListener("paste", take);
  }, [draftId, isWanted]);
}

/** Sends the draft, or says what is wrong with it. */
function usePress({ conversation, isTaking, draftId, draft, part }: Omit<ReplyFormProps, "close">) {
  const { to, from } = conversation;
  const { id: workspaceId } = useWorkspace();
  const { text, file, parts, sendAt, isSending } = draft;
  /** The part that was to be sent with faults, which are shown since. */
  const [faulty, setFaulty] = useState<PartName | null>(null);
  const send = () => sendDraft(draftId, { workspaceId, to: to ?? "", ...optionsOf(from, isTaking) });
  const { ask, question } = useChangeQuestion(conversation, draftId, send);
  const isEmpty = part === null && file === null && text.trim() === "";
  const canSend = !(isSending || isEmpty || sendAt === "" || isTextTooLong(draft, part));
  const press = async () => {
    if (!canSend) return;
    const isFaulty = part !== null && Object.keys(faultsOf(part, parts, text)).length > 0;
    setFaulty(isFaulty ? part : null);
    if (!isFaulty) await ask();
    if (part === null) return;
    const after = readDraft(draftId);
    if (after.part === null) focusReply();
    else if (isFaulty || after.error !== null) focusFault();
  };
  return { press, question, canSend, ...faultsIn(draft, part, faulty) };
}

interface ActionsProps {
  draftId: string;
  draft: Draft;
  part: PartName | null;
  isRecording: boolean;
  canSend: boolean;
  sendButton: RefObject<HTMLButtonElement | null>;
  onPart: (part: NonNullable<Draft["part"]>) => void;
  onVoice: () => void;
  onQuickReply: () => void;
}

function Actions({ draftId, draft, part, isRecording, canSend, sendButton, ...on }: ActionsProps) {
  const { file, sendAt, isSending, progress } = draft;
  return (
    <div className={`flex items-center gap-1 ${part === null ? "" : stickyClass}`}>
      <AddMenu draftId={draftId} disabled={isSending || isRecording} onPart={on.onPart} onVoice={on.onVoice}>
        {part === null && file === null && (
          <IconButton label={composerStrings.record} disabled={isSending || isRecording} onClick={on.onVoice}>
            <Mic aria-hidden size={18} />
          </IconButton>
        )}
      </AddMenu>
      <IconButton
        label={composerStrings.template}
        keyName="m"
        className="max-mid:hidden"
        disabled={isSending || isRecording}
        onClick={() => on.onPart("template")}
      >
        <LayoutTemplate aria-hidden size={18} />
      </IconButton>
      {takesText(part) && <QuickReplyButton disabled={isSending} onOpen={on.onQuickReply} />}
      {sendAt === null && <LaterButton draftId={draftId} disabled={isSending} />}
      <span aria-hidden className="min-w-0 flex-1 truncate px-2 text-end text-label text-quiet">
        <span className="max-mid:hidden">{strings.sendKeys}</span>
      </span>
      <Button
        ref={sendButton}
        type="submit"
        tone="primary"
        title={strings.sendHint}
        aria-keyshortcuts="Control+Enter"
        busy={isSending && progress === null}
        disabled={!canSend}
      >
        {labelOf(draft)}
      </Button>
    </div>
  );
}

/** What is wrong, at its field. `isAllSaid`: the refusal of the server is said there. */
function faultsIn(
  { text, parts, error }: Draft,
  part: PartName | null,
  faulty: PartName | null,
): { faults: Faults; isAllSaid: boolean } {
  if (part === null) return { faults: {}, isAllSaid: false };
  const known = pathsOf(part, parts);
  const refused = error instanceof ApiError ? shownFaults(error.fields) : {};
  const paths = Object.keys(refused);
  return {
    faults: { ...refused, ...(faulty === part ? faultsOf(part, parts, text) : {}) },
    isAllSaid: paths.length > 0 && paths.every((path) => known.includes(path)),
  };
}

function focusFault(): void {
  setTimeout(() => document.querySelector<HTMLElement>("[data-composer-form] [aria-invalid=true]")?.focus());
}

function labelOf({ error, sendAt }: Draft): string {
  if (isWorthAnotherTry(error)) return composerStrings.tryAgain;
  return sendAt === null ? strings.send : composerStrings.later;
}

/** What is typed of the part stays when it is closed. */
function PartHead({ name, close }: { name: string; close: () => void }) {
  return (
    <div className="flex items-center gap-3 max-mid:sticky max-mid:-top-3 max-mid:z-10 max-mid:-mx-3 max-mid:-mt-3 max-mid:rounded-t-panel max-mid:bg-surface max-mid:px-3 max-mid:pt-1">
      <h3 className="flex-1 font-semibold">{name}</h3>
      <IconButton label={partStrings.close(name)} onClick={close}>
        <X aria-hidden size={18} />
      </IconButton>
    </div>
  );
}
