/**
 * Quick replies in the composer: found by name or text, filled with the contact's fields, inserted with their file. Values
 * that the contact does not have are asked for.
 */
import { useQuery } from "@tanstack/react-query";
import { MessageSquareReply } from "lucide-react";
import { useRef, useState } from "react";
import { useForm } from "react-hook-form";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { type ProfileName, profileFields } from "#src/domain/contacts/profile-fields.ts";
import { fieldsIn, fillReply } from "#src/domain/inbound/quick-reply.ts";
import { type Entry, reading } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { IconButton } from "../../ui/button.tsx";
import { Choices } from "../../ui/choices.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import type { Contact } from "../contacts/contact-view.ts";
import { focusReply } from "./composer-actions.tsx";
import { readDraft, write } from "./composer-draft.ts";
import { strings } from "./composer-strings.ts";

type QuickReply = Entry<"GET /w/{workspace}/quick-replies">;

export function QuickReplyButton({ disabled, onOpen }: { disabled: boolean; onOpen: () => void }) {
  return (
    <IconButton label={strings.quickReply} keyName="q" disabled={disabled} onClick={onOpen}>
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
  const replies = useQuery(reading("GET /w/{workspace}/quick-replies", { workspace }, ["quick-replies", workspace]));
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
            label={strings.quickReplies}
            find={strings.findQuickReply}
            choices={replies.data?.map(choiceOf)}
            none={strings.noQuickReplies}
            noneFound={strings.noneFound}
            onType={(text) => {
              query.current = text;
            }}
            onChoose={({ reply }) => choose(reply)}
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

function choiceOf(reply: QuickReply) {
  const { id, name, text, upload } = reply;
  return {
    id,
    name,
    text,
    more: upload === null ? null : strings.withFile(upload.filename ?? upload.mime_type),
    reply,
  };
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
