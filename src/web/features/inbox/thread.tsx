/**
 * A list of messages and notes, oldest first. It stays at its end, also while pictures load and messages arrive, unless the user has
 * scrolled up.
 */
import { type ReactNode, useEffect, useRef } from "react";
import { dayOf } from "../messages/message-view.ts";
import { DayLine } from "./bubble.tsx";

/** Distance from the end that still counts as being at the end. */
const NEAR_PX = 120;

interface ThreadProps<Item> {
  label: string;
  zone: string;
  /** Newest first, as the server lists them. */
  items: readonly Item[];
  /** Rendered above the items: the control that loads older ones. */
  top?: ReactNode;
  /** Rendered below the newest: what has not left yet. */
  waiting?: ReactNode;
  /** Rendered below them where they are not the newest. */
  bottom?: ReactNode;
  /** The key of the item that is shown first, and marked; without it, the end is. */
  marked?: string | undefined;
  empty: string;
  renderItem: (item: Item) => ReactNode;
}

export function Thread<Item extends { key: string; at: string }>({
  label,
  zone,
  items,
  top,
  waiting,
  bottom,
  marked,
  empty,
  renderItem,
}: ThreadProps<Item>) {
  const box = useRef<HTMLElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(marked === undefined);
  // Until the user scrolls, whatever loads above or below it.
  const isAtMark = useRef(marked !== undefined);
  const isEnd = bottom === undefined;
  const scrolledTo = useRef(0);
  useEffect(() => {
    if (box.current === null || content.current === null) return;
    const shown = box.current;
    // A picture has no height until it is there, and the composer below takes more or less room.
    const observer = new ResizeObserver(() => {
      if (isAtMark.current) shown.querySelector("[data-marked]")?.scrollIntoView({ block: "center" });
      else if (isAtEnd.current && isEnd) shown.scrollTop = shown.scrollHeight;
    });
    observer.observe(shown);
    observer.observe(content.current);
    return () => observer.disconnect();
  }, [isEnd]);
  const leaveMark = () => {
    isAtMark.current = false;
  };
  const shown = items.toReversed();
  return (
    <section
      ref={box}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
      tabIndex={0}
      className="flex min-h-0 flex-1 flex-col overflow-y-auto bg-sunken p-3"
      onWheel={leaveMark}
      onTouchMove={leaveMark}
      onPointerDown={leaveMark}
      onKeyDown={leaveMark}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        // The event comes later than what caused it: by then a picture may have moved the end. Only the user scrolls up.
        if (scrollHeight - clientHeight - scrollTop < NEAR_PX) isAtEnd.current = true;
        else if (scrollTop < scrolledTo.current) isAtEnd.current = false;
        scrolledTo.current = scrollTop;
      }}
    >
      <div ref={content} className="flex flex-auto shrink-0 flex-col gap-2">
        {top}
        {shown.length === 0 && <p className="m-auto text-quiet">{empty}</p>}
        {shown.map((item, index) => {
          const day = dayOf(item.at, zone);
          const previous = shown[index - 1];
          return (
            <div
              key={item.key}
              data-marked={item.key === marked || undefined}
              aria-current={item.key === marked ? "true" : undefined}
              className={`flex flex-col ${item.key === marked ? "-mx-1.5 rounded-panel bg-amber-tint p-1.5 outline-2 outline-amber" : ""}`}
            >
              {(previous === undefined || dayOf(previous.at, zone) !== day) && <DayLine day={day} />}
              {renderItem(item)}
            </div>
          );
        })}
        {isEnd && waiting}
        {bottom}
      </div>
    </section>
  );
}
