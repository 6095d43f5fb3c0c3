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
