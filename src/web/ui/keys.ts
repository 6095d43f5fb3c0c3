/**
 * Single keys: `/` to the search, `j` and `k` through a list, `g` and a letter to a place, `?` for this list. They never
 * act while somebody types, and can be switched off (WCAG 2.1.4). The switch is kept in this browser.
 */
import { useEffect } from "react";

const SWITCH = "waxwing-single-keys";

export function areKeysOn(): boolean {
  return localStorage.getItem(SWITCH) !== "off";
}

export function switchKeys(isOn: boolean): void {
  if (isOn) localStorage.removeItem(SWITCH);
  else localStorage.setItem(SWITCH, "off");
}

/** Whether a dialog or a menu lies over the page: keys are its own then. A toast lies over nothing. */
export function isOverlayOpen(): boolean {
  return (
    document.querySelector("[role=dialog]:not([data-toast]), [role=alertdialog]:not([data-toast]), [role=menu]") !==
    null
  );
}

/** `handle` returns whether the key meant something. */
export function useKeys(handle: (key: string) => boolean): void {
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !areKeysOn()) return;
      const { target } = event;
      if (target instanceof HTMLElement && target.closest("input, textarea, select, [contenteditable], [role=menu]")) {
        return;
      }
      if (isOverlayOpen()) return;
      if (handle(event.key)) event.preventDefault();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [handle]);
}
