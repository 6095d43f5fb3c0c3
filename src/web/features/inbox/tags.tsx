/**
 * The tags of the person of a conversation: each with a press that removes it, and a field that adds from those of the
 * workspace, one press each, or a new one. Each change is saved at once.
 */
import { keepPreviousData, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { newFormKey, reading, request } from "../../data/api.ts";
import { useWorkspace } from "../../data/session.ts";
import { buttonClass } from "../../ui/button.tsx";
import { Choices } from "../../ui/choices.tsx";
import { ErrorLine } from "../../ui/states.tsx";
import { type Contact, phoneOf } from "../contacts/contact-view.ts";
import type { Conversation } from "./inbox-view.ts";
import { isAnswered, useRefresh } from "./sending.ts";
import { strings } from "./team-strings.ts";

const TYPED_MS = 150;

interface TagsProps {
  conversation: Conversation;
  /** The field is open. */
  isAdding: boolean;
  onAdding: (isAdding: boolean) => void;
}

export function Tags({ conversation, isAdding, onAdding }: TagsProps) {
  const { contact } = conversation;
  const { change, error } = useTagChanges(conversation);
  return (
    <div className="flex flex-col gap-2">
      <ul aria-label={strings.tagsTitle} className="flex flex-wrap items-center gap-1 empty:hidden">
        {contact.tags.map((tag) => (
          <li
            key={tag}
            className="inline-flex max-w-full items-center gap-1 rounded-control bg-grey-tint ps-2 text-label font-semibold text-grey forced-colors:border"
          >
            <span className="truncate py-0.5">{tag}</span>
            <button
              type="button"
              aria-label={strings.removeTag(tag)}
              title={strings.removeTag(tag)}
              className="inline-flex size-6 shrink-0 items-center justify-center rounded-control hover:text-ink max-mid:size-11"
              // The field keeps the focus, if it is open.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => void change("remove_tags", tag)}
            >
              <X aria-hidden size={14} />
            </button>
          </li>
        ))}
      </ul>
      {isAdding ? (
        <AddTag contact={contact} add={(tag) => change("add_tags", tag)} onLeave={() => onAdding(false)} />
      ) : (
        <button
          type="button"
          aria-keyshortcuts="t"
          title={`${strings.addTag} (t)`}
          className={`${buttonClass("quiet", true)} -ms-3 self-start text-label!`}
          onClick={() => onAdding(true)}
        >
          <Plus aria-hidden size={16} />
          {strings.addTag}
        </button>
      )}
      <ErrorLine error={error} />
    </div>
  );
}

/** Where the panel with the contact is not in sight: below the head of the conversation, while the field is open. */
export function TagStrip(props: TagsProps) {
  if (!props.isAdding || phoneOf(props.conversation.contact) === "") return null;
  return (
    <div className="border-b border-line px-3 py-2 wide:hidden">
      <Tags {...props} />
    </div>
  );
}

function useTagChanges({ contact, contact_id: id }: Conversation) {
  const { id: workspace } = useWorkspace();
  const client = useQueryClient();
  const refresh = useRefresh(workspace, id);
  const [error, setError] = useState<unknown>(null);
  // Of the change whose answer was lost: once more, it is the same one.
  const keys = useRef(new Map<string, string>());
  const change = async (what: "add_tags" | "remove_tags", tag: string) => {
    const name = `${what} ${tag}`;
    const key = keys.current.get(name) ?? newFormKey();
    keys.current.delete(name);
    setError(null);
    try {
      const body = { [what]: [tag] };
      await request("PUT /w/{workspace}/contacts/{phone}", { workspace, phone: phoneOf(contact), body }, { key });
    } catch (reason) {
      if (!isAnswered(reason)) keys.current.set(name, key);
      setError(reason);
    }
    await Promise.all([refresh(), client.invalidateQueries({ queryKey: ["tags", workspace] })]);
  };
  return { change, error };
}

interface AddTagProps {
  contact: Contact;
  add: (tag: string) => Promise<void>;
  onLeave: () => void;
}

/** Stays open for a further tag until it is left. */
function AddTag({ contact, add, onLeave }: AddTagProps) {
  const { id: workspace } = useWorkspace();
  const [text, setText] = useState("");
  const [q, setQ] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setQ(text.trim()), text === "" ? 0 : TYPED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  const { data: known = [] } = useQuery({
    ...reading("GET /w/{workspace}/tags", { workspace, query: { q } }, ["tags", workspace, q]),
    placeholderData: keepPreviousData,
  });
  // What was just pressed leaves the list with the press: later, another would come under the next one.
  const [taken, setTaken] = useState<readonly string[]>([]);
  const own = [...contact.tags, ...taken];
  const shown = (tag: string) => (known.includes(tag) ? tag : strings.newTag(tag));
  const take = ({ name }: { name: string }) => {
    setTaken((all) => [...all, name]);
    void add(name).finally(() => setTaken((all) => all.filter((one) => one !== name)));
  };
  return (
    <Choices
      label={strings.knownTags}
      find={strings.addTag}
      placeholder={strings.findTag}
      choices={choicesOf(known, own, text.trim()).map((tag) => ({ id: tag, name: tag, shown: shown(tag) }))}
      onType={setText}
      onChoose={take}
      onLeave={onLeave}
    />
  );
}

/** Those that the contact does not have; last the one that is typed, if it is new. */
function choicesOf(known: readonly string[], own: readonly string[], typed: string): string[] {
  const wanted = typed.toLowerCase();
  const isSame = (tag: string) => tag.toLowerCase() === wanted;
  const found = known.filter((tag) => !own.includes(tag) && tag.toLowerCase().startsWith(wanted));
  return typed === "" || known.some(isSame) || own.some(isSame) ? found : [...found, typed];
}
