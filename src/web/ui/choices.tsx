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
  /** Instead of the name, by which it is found. */
  shown?: string;
}

interface ChoicesProps<One extends Choice> {
  /** Of the list. */
  label: string;
  /** Of the field. */
  find: string;
  /** Undefined: not there yet; what is typed meanwhile is kept. */
  choices: readonly One[] | undefined;
  /** There is nothing to choose from. */
  none?: string;
  noneFound?: string;
  onType?: (text: string) => void;
  onChoose: (choice: One) => void;
  /** The list floats below the field, and the field stays for a further choice until it is left. */
  onLeave?: () => void;
  placeholder?: string;
}

const floatingClass =
  "absolute inset-x-0 top-full z-30 mt-1 max-h-64 overflow-y-auto rounded-panel border border-line bg-surface p-1 shadow-float";

export function Choices<One extends Choice>(props: ChoicesProps<One>) {
  const { label, find, placeholder = find, choices, none, noneFound, onType, onChoose, onLeave } = props;
  const isFloating = onLeave !== undefined;
  const listId = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const found = matching(choices ?? [], typed);
  const active = found[Math.min(at, found.length - 1)];
  const optionId = active === undefined ? undefined : `${listId}-${found.indexOf(active)}`;
  useEffect(() => {
    if (optionId !== undefined) document.getElementById(optionId)?.scrollIntoView({ block: "nearest" });
  }, [optionId]);
  const type = (text: string) => {
    setTyped(text);
    setAt(0);
    onType?.(text);
  };
  const choose = (choice: One) => {
    if (isFloating) type("");
    onChoose(choice);
  };
  const move = (by: number) => found.length > 0 && setAt((at + by + found.length) % found.length);
  // One that is held down is that of the press before.
  const enter = (isRepeat: boolean) => active !== undefined && !isRepeat && choose(active);
  const press = (event: KeyboardEvent) => {
    const { key } = event;
    // Enter may end the composition of a character.
    if (event.nativeEvent.isComposing) return;
    if (key === "Escape" && isFloating) onLeave();
    else if (key === "ArrowDown") move(1);
    else if (key === "ArrowUp") move(-1);
    else if (key === "Enter") enter(event.repeat);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className={isFloating ? "relative" : "contents"}>
      <input
        // biome-ignore lint/a11y/noAutofocus: it is opened to type here
        autoFocus
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={listId}
        aria-activedescendant={optionId}
        aria-autocomplete="list"
        aria-label={find}
        placeholder={placeholder}
        className={isFloating ? `${inputClass} mid:min-h-8! mid:py-1!` : inputClass}
        autoComplete="off"
        dir="auto"
        value={typed}
        onKeyDown={press}
        onBlur={onLeave}
        onChange={({ target }) => type(target.value)}
      />
      <div
        id={listId}
        role="listbox"
        hidden={found.length === 0}
        aria-label={label}
        className={isFloating ? floatingClass : "flex flex-col gap-1"}
      >
        {found.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the field above has the focus
          <div
            key={choice.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={choice === active}
            className={`cursor-pointer rounded-control px-3 hover:bg-sunken aria-selected:bg-sunken ${isFloating ? "flex min-h-8 items-center max-mid:min-h-11" : "min-h-11 py-2"}`}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(choice)}
          >
            <span className={`wrap-anywhere ${isFloating ? "" : "block font-semibold"}`}>
              {choice.shown ?? choice.name}
            </span>
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
      {!isFloating && choices !== undefined && found.length === 0 && (
        <p role="status">{choices.length === 0 ? none : noneFound}</p>
      )}
    </div>
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
