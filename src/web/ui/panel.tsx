/**
 * The detail of a row: beside the list on wide screens, over it on phones. Its address is `?open=`; Esc and the close
 * button close it, and the focus returns to the row.
 */
import { X } from "lucide-react";
import { type ReactNode, useCallback, useEffect, useRef } from "react";
import type { ScreenWith } from "../app/routes.ts";
import { useChangeParameters } from "./address.tsx";
import { IconButton } from "./button.tsx";
import { isOverlayOpen } from "./keys.ts";

/** Closes the panel that `?open=` opened. */
export function useClosePanel(screen: ScreenWith<"open">): () => void {
  const change = useChangeParameters(screen);
  return useCallback(() => {
    const open = new URLSearchParams(location.search).get("open");
    const before = document.activeElement;
    void change({ open: undefined }, { resetScroll: false }).then(() => {
      // On a busy machine the user may be elsewhere by then.
      const now = document.activeElement;
      if (now !== before && now !== document.body) return;
      const row = [...document.querySelectorAll<HTMLElement>("a[data-row]")];
      row.find(({ dataset }) => dataset.row === open?.replace(/^"|"$/g, ""))?.focus();
    });
  }, [change]);
}

interface PanelProps {
  screen: ScreenWith<"open">;
  title: string;
  children: ReactNode;
}

export function Panel({ screen, title, children }: PanelProps) {
  const close = useClosePanel(screen);
  const heading = useRef<HTMLHeadingElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another row in the same panel takes the focus too.
  useEffect(() => heading.current?.focus({ preventScroll: true }), [title]);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key !== "Escape" || event.defaultPrevented) return;
      if (isOverlayOpen()) return;
      close();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [close]);
  return (
    <aside
      aria-label={title}
      className="slides fixed inset-0 z-30 overflow-y-auto border-line bg-surface mid:start-auto mid:w-[min(40rem,calc(100vw-6rem))] mid:border-s mid:shadow-float"
    >
      <div className="sticky top-0 z-10 flex items-center justify-between gap-3 border-b border-line bg-surface px-4 py-3 mid:px-6">
        <h2 ref={heading} tabIndex={-1} className="min-w-0 text-section font-semibold">
          {title}
        </h2>
        <IconButton label="Close" onClick={close}>
          <X aria-hidden size={18} />
        </IconButton>
      </div>
      <div className="p-4 pb-12 mid:p-6">{children}</div>
    </aside>
  );
}
