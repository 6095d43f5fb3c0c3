/**
 * A list to choose one thing from: a field that has the focus finds by name or words, the arrows move, Enter or a press takes.
 * Used where a menu would be too long to look through.
 */
import { type KeyboardEvent, useEffect, useId, useState } from "react";
import { inputClass } from "./field.tsx";

interface Choice {
  id: string | number;
  name: string;
  /** What it says, in two lines at most. */
  text?: string;
  /** A further line. */
  more?: string | null;
}

interface ChoicesProps<One extends Choice> {
  /** Of the list. */
  label: string;
  /** Of the field. */
  find: string;
  /** Undefined: not there yet; what is typed meanwhile is kept. */
  choices: readonly One[] | undefined;
  /** There is nothing to choose from. */
  none: string;
  noneFound: string;
  onType?: (text: string) => void;
  onChoose: (choice: One) => void;
}

export function Choices<One extends Choice>(props: ChoicesProps<One>) {
  const { label, find, choices, none, noneFound, onType, onChoose } = props;
  const listId = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const found = matching(choices ?? [], typed);
  const active = found[Math.min(at, found.length - 1)];
  const activeId = active?.id;
  useEffect(() => {
    if (activeId !== undefined) document.getElementById(`${listId}-${activeId}`)?.scrollIntoView({ block: "nearest" });
  }, [activeId, listId]);
  const press = (event: KeyboardEvent) => {
    // Enter may end the composition of a character, and one that is held down is that of the press before.
    if (event.nativeEvent.isComposing || found.length === 0) return;
    if (event.key === "ArrowDown") setAt((at + 1) % found.length);
    else if (event.key === "ArrowUp") setAt((at + found.length - 1) % found.length);
    else if (event.key === "Enter" && active !== undefined) {
      if (!event.repeat) onChoose(active);
    } else return;
    event.preventDefault();
  };
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: it is opened to type here
        autoFocus
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={listId}
        aria-activedescendant={active === undefined ? undefined : `${listId}-${active.id}`}
        aria-autocomplete="list"
        aria-label={find}
        placeholder={find}
        className={inputClass}
        autoComplete="off"
        dir="auto"
        value={typed}
        onKeyDown={press}
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
          onType?.(target.value);
        }}
      />
      <div id={listId} role="listbox" hidden={found.length === 0} aria-label={label} className="flex flex-col gap-1">
        {found.map((choice) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field above has the focus
          <div
            key={choice.id}
            id={`${listId}-${choice.id}`}
            role="option"
            aria-selected={choice === active}
            className="min-h-11 cursor-pointer rounded-control px-3 py-2 hover:bg-sunken aria-selected:bg-sunken"
            onClick={() => onChoose(choice)}
          >
            <span className="block font-semibold wrap-anywhere">{choice.name}</span>
            {choice.text !== undefined && (
              <span dir="auto" className="line-clamp-2 text-label text-quiet wrap-anywhere">
                {choice.text}
              </span>
            )}
            {typeof choice.more === "string" && (
              <span className="block text-label text-quiet wrap-anywhere">{choice.more}</span>
            )}
          </div>
        ))}
      </div>
      {choices !== undefined && found.length === 0 && <p role="status">{choices.length === 0 ? none : noneFound}</p>}
    </>
  );
}

/** Those whose name begins with what was typed come first. */
function matching<One extends Choice>(choices: readonly One[], typed: string): One[] {
  const wanted = folded(typed.trim());
  const begins = choices.filter(({ name }) => folded(name).startsWith(wanted));
  const has = choices.filter(
    (one) => !begins.includes(one) && folded(`${one.name}\n${one.text ?? ""}`).includes(wanted),
  );
  return [...begins, ...has];
}

/** Without capitals and accents. */
function folded(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}
