/**
 * Quick replies in the composer: found by name or text, filled with the contact's fields, inserted with their file. Values
 * that the contact does not have are asked for.
 */
import { useQuery } from "@tanstack/react-query";
import { MessageSquareReply } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { type ProfileName, profileFields } from "#src/domain/contacts/profile-fields.ts";
import { fieldsIn, fillReply } from "#src/domain/inbound/quick-reply.ts";
import { type Entry, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { IconButton } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { inputClass, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import type { Contact } from "../contacts/contact-view.ts";
import { focusReply } from "./composer-actions.tsx";
import { readDraft, write } from "./composer-draft.ts";
import { strings } from "./composer-strings.ts";

type QuickReply = Entry<"GET /w/{workspace}/quick-replies">;

export function QuickReplyButton({ disabled, onOpen }: { disabled: boolean; onOpen: () => void }) {
  return (
    <IconButton label={strings.quickReply} disabled={disabled} onClick={onOpen}>
      <MessageSquareReply aria-hidden size={18} />
    </IconButton>
  );
}

interface PickerProps {
  draftId: string;
  contact: Contact;
  onClose: () => void;
}

/** First the list; then the fields that the contact does not have, if there are any. */
export function QuickReplyPicker({ draftId, contact, onClose }: PickerProps) {
  const { id: workspace } = useWorkspace();
  const [wanted, setWanted] = useState<{ reply: QuickReply; missing: string[] } | null>(null);
  const query = useRef("");
  const replies = useQuery({
    queryKey: ["quick-replies", workspace],
    queryFn: ({ signal }) => request("GET /w/{workspace}/quick-replies", { workspace }, { signal }),
  });
  const leave = () => {
    onClose();
    focusReply();
  };
  const insert = (reply: QuickReply, values: Readonly<Record<string, string>>) => {
    write(draftId, insertedInto(readDraft(draftId).text, reply, values));
    leave();
  };
  const choose = (reply: QuickReply) => {
    const values = valuesOf(contact, fieldsIn(reply.text));
    const missing = fieldsIn(reply.text).filter((field) => values[field] === undefined);
    if (missing.length === 0) insert(reply, values);
    else setWanted({ reply, missing });
  };
  const close = () => {
    // What was typed after the slash is not lost.
    if (readDraft(draftId).text === "/" && query.current !== "") write(draftId, { text: `/${query.current}` });
    leave();
  };
  return (
    <Dialog title={wanted === null ? strings.quickReplies : strings.fillIn(wanted.reply.name)} isOpen onClose={close}>
      {wanted === null ? (
        <>
          <Choices
            replies={replies.data}
            onType={(text) => {
              query.current = text;
            }}
            onChoose={choose}
          />
          {replies.isPending && <Loading />}
          {replies.isError && <Failed error={replies.error} retry={() => void replies.refetch()} />}
        </>
      ) : (
        <MissingFields
          fields={wanted.missing}
          onFilled={(given) => insert(wanted.reply, { ...valuesOf(contact, fieldsIn(wanted.reply.text)), ...given })}
        />
      )}
    </Dialog>
  );
}

interface ChoicesProps {
  /** Not there yet: what is typed meanwhile is kept. */
  replies: readonly QuickReply[] | undefined;
  onType: (text: string) => void;
  onChoose: (reply: QuickReply) => void;
}

function Choices({ replies, onType, onChoose }: ChoicesProps) {
  const listId = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const found = matching(replies ?? [], typed);
  const active = found[Math.min(at, found.length - 1)];
  useEffect(() => {
    if (active !== undefined) document.getElementById(`${listId}-${active.id}`)?.scrollIntoView({ block: "nearest" });
  }, [active, listId]);
  const isNone = replies?.length === 0;
  const press = (event: KeyboardEvent) => {
    // Enter may end the composition of a character.
    if (event.nativeEvent.isComposing || found.length === 0) return;
    if (event.key === "ArrowDown") setAt((at + 1) % found.length);
    else if (event.key === "ArrowUp") setAt((at + found.length - 1) % found.length);
    else if (event.key === "Enter" && active !== undefined) onChoose(active);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: the dialog is opened to type here
        autoFocus
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={listId}
        aria-activedescendant={active === undefined ? undefined : `${listId}-${active.id}`}
        aria-autocomplete="list"
        aria-label={strings.findQuickReply}
        placeholder={strings.findQuickReply}
        className={inputClass}
        autoComplete="off"
        dir="auto"
        value={typed}
        onKeyDown={press}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
          onType(target.value);
        }}
      />
      <div
        id={listId}
        role="listbox"
        hidden={found.length === 0}
        aria-label={strings.quickReplies}
        className="flex flex-col gap-1"
      >
        {found.map((reply) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field above has the focus
          <div
            key={reply.id}
            id={`${listId}-${reply.id}`}
            role="option"
            aria-selected={reply === active}
            className="min-h-11 cursor-pointer rounded-control px-3 py-2 hover:bg-sunken aria-selected:bg-sunken"
            onClick={() => onChoose(reply)}
          >
            <span className="block font-semibold">{reply.name}</span>
            <span dir="auto" className="line-clamp-2 text-label text-quiet wrap-anywhere">
              {reply.text}
            </span>
            {reply.upload !== null && (
              <span className="block text-label text-quiet wrap-anywhere">
                {strings.withFile(reply.upload.filename ?? reply.upload.mime_type)}
              </span>
            )}
          </div>
        ))}
      </div>
      {replies !== undefined && found.length === 0 && (
        <p role="status">{isNone ? strings.noQuickReplies : strings.noneFound}</p>
      )}
    </>
  );
}

interface MissingFieldsProps {
  fields: readonly string[];
  onFilled: (values: Record<string, string>) => void;
}

function MissingFields({ fields, onFilled }: MissingFieldsProps) {
  const form = useForm<Record<string, string>>({
    defaultValues: Object.fromEntries(fields.map((field) => [field, ""])),
  });
  const fill = async (values: Record<string, string>) => {
    const given = fields.map((field) => [field, replyValue(values[field])] as const);
    const empty = given.flatMap(([field, value]) => (value === null ? [field] : []));
    for (const field of empty)
      form.setError(field, { message: strings.valueNeeded }, { shouldFocus: field === empty[0] });
    if (empty.length === 0) onFilled(Object.fromEntries(given.map(([field, value]) => [field, value ?? ""])));
  };
  return (
    <Form form={form} onSend={fill} submit={strings.insert}>
      <p>{strings.fillInHint}</p>
      {fields.map((field) => (
        <TextField
          key={field}
          form={form}
          name={field}
          label={labelOf(field)}
          autoComplete="off"
          dir="auto"
          autoFocus={field === fields[0]}
        />
      ))}
    </Form>
  );
}

/** In the place of what was typed after a slash, else below the text that is there. */
function insertedInto(text: string, reply: QuickReply, values: Readonly<Record<string, string>>) {
  const filled = fillReply(reply.text, values);
  const { upload } = reply;
  const isEmpty = text === "/" || text.trim() === "";
  return {
    text: isEmpty ? filled : `${text.trimEnd()}\n${filled}`,
    ...(upload === null
      ? {}
      : {
          file: {
            ...{ id: upload.id, size: upload.bytes, type: upload.mime_type },
            name: upload.filename ?? upload.mime_type,
          },
        }),
  };
}

/** Those whose name begins with what was typed come first. */
function matching(replies: readonly QuickReply[], typed: string): QuickReply[] {
  const wanted = folded(typed.trim());
  const begins = replies.filter(({ name }) => folded(name).startsWith(wanted));
  const has = replies.filter((one) => !begins.includes(one) && folded(`${one.name}\n${one.text}`).includes(wanted));
  return [...begins, ...has];
}

/** Without capitals and accents. */
function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** The values that the contact has, as a broadcast would insert them. */
function valuesOf(contact: Contact, fields: readonly string[]): Record<string, string> {
  const values: Record<string, string> = {};
  for (const field of fields) {
    const value = isProfileField(field) ? contact[field] : contact.fields[field];
    const text = replyValue(value);
    if (text !== null) values[field] = text;
  }
  return values;
}

/** A value as it is inserted, on one line; null: there is none that people would see. */
function replyValue(value: unknown): string | null {
  const text = String(value ?? "")
    .replace(/\s+/gu, " ")
    .trim();
  return SHOWS_NOTHING.test(text) ? null : text;
}

function labelOf(field: string): string {
  return isProfileField(field) ? profileFields[field].label : field;
}

function isProfileField(name: string): name is ProfileName {
  return Object.hasOwn(profileFields, name);
}
