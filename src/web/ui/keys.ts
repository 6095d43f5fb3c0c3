/**
 * Single-key shortcuts: `/` focuses the search, `j` and `k` move through a list, `g` and a letter open a screen, `?`
 * shows this list. They are inactive while the user types, and can be switched off (WCAG 2.1.4); the setting is stored
 * in this browser.
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

/** Whether a dialog or menu covers the page: it then receives the keys. Toasts do not count. */
export function isOverlayOpen(): boolean {
  return (
    document.querySelector("[role=dialog]:not([data-toast]), [role=alertdialog]:not([data-toast]), [role=menu]") !==
    null
  );
}

/** `handle` returns whether it used the key. */
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
