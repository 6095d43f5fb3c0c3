/** Completes `@name` in a note: the colleagues who may see the conversation, by arrow keys and Enter, or by a press. */
import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, type ReactNode, type RefObject, useId, useState } from "react";
import { flushSync } from "react-dom";
import { request } from "../../data/api.ts";
import { useMe, useWorkspace } from "../../data/session.ts";
import { shortName } from "./conversation-state.ts";
import { strings } from "./team-strings.ts";

const SHOWN_MAX = 6;

interface Mentions {
  list: ReactNode;
  /** Of the field. */
  attributes: object;
  /** After the text or the cursor of the field has changed. */
  look: () => void;
  /** Whether the key belonged to the list. */
  onKey: (event: KeyboardEvent) => boolean;
}

/** The query of the addresses of those who may see and answer the conversation. */
export function useColleagues(conversation: number) {
  const { id: workspace } = useWorkspace();
  return {
    queryKey: ["assignees", workspace, conversation],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      request("GET /w/{workspace}/conversations/{conversation}/assignees", { workspace, conversation }, { signal }),
    staleTime: 60_000,
  };
}

/** `write`: the new text of the field, and where its cursor goes. */
export function useMentions(
  field: RefObject<HTMLTextAreaElement | null>,
  conversation: number,
  write: (text: string) => void,
): Mentions {
  const { email: me } = useMe().user;
  const id = useId();
  /** What is typed behind the @; null: no name is. */
  const [typed, setTyped] = useState<string | null>(null);
  const [chosen, setChosen] = useState(0);
  const { data = [] } = useQuery({ ...useColleagues(conversation), enabled: typed !== null });
  const found =
    typed === null
      ? []
      : data.filter((email) => email !== me && email.toLowerCase().startsWith(typed)).slice(0, SHOWN_MAX);
  const at = Math.min(chosen, found.length - 1);
  const look = () => {
    const element = field.current;
    const before = element?.value.slice(0, element.selectionStart) ?? "";
    setTyped(/(?:^|[\s(])@([^\s@]*)$/u.exec(before)?.[1]?.toLowerCase() ?? null);
    setChosen(0);
  };
  const pick = (email: string) => {
    const element = field.current;
    if (element === null || typed === null) return;
    // A name that two have is written with the whole address.
    const isOnly = data.filter((one) => shortName(one) === shortName(email)).length === 1;
    const start = element.selectionStart - typed.length;
    const name = `${isOnly ? shortName(email) : email} `;
    const after = element.value.slice(element.selectionStart);
    // The next key finds the new text in the field, and its place.
    flushSync(() => {
      write(element.value.slice(0, start) + name + after);
      setTyped(null);
    });
    element.focus();
    element.setSelectionRange(start + name.length, start + name.length);
  };
  const onKey = (event: KeyboardEvent): boolean => {
    const email = found[at];
    if (email === undefined || event.ctrlKey || event.metaKey) return false;
    if (event.key === "ArrowDown") setChosen((at + 1) % found.length);
    else if (event.key === "ArrowUp") setChosen((at + found.length - 1) % found.length);
    else if (event.key === "Enter" || event.key === "Tab") pick(email);
    else if (event.key === "Escape") setTyped(null);
    else return false;
    event.preventDefault();
    return true;
  };
  const isOpen = found.length > 0;
  const list = isOpen && (
    <div
      id={id}
      role="listbox"
      aria-label={strings.mentionable}
      className="rounded-panel border border-line bg-surface p-1"
    >
      {found.map((email, index) => (
        <div
          key={email}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === at}
          className={`flex min-h-8 cursor-pointer items-center gap-2 rounded-control px-3 max-mid:min-h-11 ${index === at ? "bg-sunken" : ""}`}
          // The field keeps the focus.
          onPointerDown={(event) => {
            event.preventDefault();
            pick(email);
          }}
        >
          <span className="font-semibold">{shortName(email)}</span>
          <span className="truncate text-label text-quiet">{email}</span>
        </div>
      ))}
    </div>
  );
  const attributes = isOpen
    ? { "aria-autocomplete": "list", "aria-controls": id, "aria-activedescendant": `${id}-${at}` }
    : { "aria-autocomplete": "list" };
  return { list, attributes, look, onKey };
}
