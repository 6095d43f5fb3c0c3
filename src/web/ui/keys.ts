/**
 * Single-key shortcuts: `/` focuses the search, `j` and `k` move through a list, `g` and a letter open a screen, `?`
 * shows this list. They are inactive while the user types, and can be switched off (WCAG 2.1.4); the setting is stored
 * in this browser.
 */
import { type RefObject, useEffect } from "react";

const SWITCH = "waxwing-single-keys";

export function areKeysOn(): boolean {
  return localStorage.getItem(SWITCH) !== "off";
}

export function switchKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(SWITCH);
  else localStorage.setItem(SWITCH, "off");
}

/** Whether a dialog or menu covers the page: it then receives the keys. Toasts do not count. */
export function isOverlayOpen(): boolean {
  return (
    document.querySelector("[role=dialog]:not([data-toast]), [role=alertdialog]:not([data-toast]), [role=menu]") !==
    null
  );
}

/**
 * Moves the focus to what `find` finds when what closes has gone and what opens is there. On a busy machine the keys that the
 * user presses meanwhile come first: where one of them has led into another field, the focus stays there.
 */
export function moveFocusLater<Field extends HTMLElement>(
  find: () => Field | null,
  focus: (field: Field) => void = (field) => field.focus(),
): void {
  const before = document.activeElement;
  setTimeout(() => {
    const [field, now] = [find(), document.activeElement];
    const isElsewhere = now !== before && now !== field && now?.matches("input, textarea, select") === true;
    if (field !== null && !isElsewhere) focus(field);
  });
}

/** How long after `g` a letter is that of a screen. */
const PREFIX_MS = 1_500;
let prefixedAt = Number.NEGATIVE_INFINITY;
/** When the key that is being handled was pressed, which on a busy machine may be long ago. */
let pressedAt = 0;

/** `g` was pressed, or what follows it. */
export function notePrefix(isPressed: boolean): void {
  prefixedAt = isPressed ? pressedAt : Number.NEGATIVE_INFINITY;
}

export function isPrefixed(): boolean {
  return pressedAt - prefixedAt <= PREFIX_MS;
}

/** A key alone, outside of fields and menus, which no other handler has used. */
function isShortcut({ ctrlKey, metaKey, altKey, defaultPrevented, target }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || defaultPrevented || !areKeysOn()) return false;
  const isTyping =
    target instanceof HTMLElement &&
    target.closest(
      "input, textarea, select, [contenteditable], [role=menu], [role=dialog]:not([data-toast]), [role=alertdialog]",
    ) !== null;
  return !isTyping && !isOverlayOpen();
}

/** `handle` returns whether it used the key. `takesPrefixed`: also the letter after `g`, which no other handler gets. */
export function useKeys(handle: (key: string) => boolean, takesPrefixed = false): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      pressedAt = event.timeStamp;
      if (!isShortcut(event) || (isPrefixed() && !takesPrefixed)) return;
      if (handle(event.key)) event.preventDefault();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [handle, takesPrefixed]);
}

/** `j` and `k` move the focus through the rows of a list, from the focused one, else from the open one. Enter opens a row. */
export function useRowKeys(list: RefObject<HTMLElement | null>): void {
  useKeys((key) => {
    if (key !== "j" && key !== "k") return false;
    const links = [...(list.current?.querySelectorAll<HTMLElement>("a[data-row]") ?? [])];
    const focused = links.indexOf(document.activeElement as HTMLElement);
    const at = focused === -1 ? links.findIndex((link) => link.ariaCurrent !== null) : focused;
    links[Math.min(links.length - 1, Math.max(0, key === "j" ? at + 1 : at - 1))]?.focus();
    return true;
  });
}
