/** The text of a reply, and the message that it answers. */
import { X } from "lucide-react";
import { type ClipboardEvent, useId } from "react";
import { limits } from "#src/domain/messages/kinds/limits.ts";
import { IconButton } from "../../ui/button.tsx";
import { describedBy, FieldNotes, inputClass } from "../../ui/field.tsx";
import { noteSeen } from "./change-question.tsx";
import { type Draft, type Quoted, write } from "./composer-draft.ts";
import { captions } from "./composer-file.tsx";
import { type PartName, takesText, textMax } from "./composer-parts.ts";
import { strings as composerStrings, partStrings } from "./composer-strings.ts";
import type { Conversation } from "./inbox-view.ts";
import { useTyping } from "./read-receipts.ts";
import { strings } from "./strings.ts";

export function isTextTooLong({ text, file }: Draft, part: PartName | null): boolean {
  return takesText(part) && text.length > textMax(part, captions(file));
}

interface ReplyTextProps {
  conversation: Conversation;
  draftId: string;
  draft: Draft;
  part: PartName | null;
  fault: string | undefined;
  onSlash: () => void;
  onPaste: (event: ClipboardEvent<HTMLTextAreaElement>) => void;
}

export function ReplyText({ conversation, draftId, draft, part, fault, onSlash, onPaste }: ReplyTextProps) {
  const { text, file, isSending } = draft;
  const showTyping = useTyping(conversation, text);
  const id = useId();
  const label = labelOfText(part, captions(file));
  return (
    <>
      <textarea
        data-composer
        className={`${inputClass} max-h-40 shrink-0`}
        rows={2}
        dir="auto"
        aria-label={label}
        placeholder={label}
        maxLength={limits.text}
        value={text}
        readOnly={isSending}
        {...describedBy({ id, error: fault })}
        onChange={({ target }) => {
          if (text === "" && target.value === "/") onSlash();
          write(draftId, { text: target.value });
          noteSeen(draftId, conversation);
          if (target.value !== "") showTyping();
        }}
        onPaste={onPaste}
        onKeyDown={(event) => {
          // The keys of the conversation are reached from here too.
          if (event.key === "Escape" && part === null) event.currentTarget.blur();
        }}
      />
      <FieldNotes id={id} error={fault} />
      {isTextTooLong(draft, part) && <p className="text-red">{tooLongText(part, captions(file))}</p>}
    </>
  );
}

function labelOfText(part: PartName | null, hasFile: boolean): string {
  if (part !== null) return partStrings.text;
  return hasFile ? composerStrings.caption : strings.reply;
}

function tooLongText(part: PartName | null, hasFile: boolean): string {
  const limit = textMax(part, hasFile).toLocaleString("en");
  return part === null ? composerStrings.captionTooLong(limit) : composerStrings.textTooLong(limit);
}

interface QuoteProps {
  draftId: string;
  quoted: Quoted;
  disabled: boolean;
}

/** The message that the reply answers. */
export function Quote({ draftId, quoted, disabled }: QuoteProps) {
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
