/** A list of messages, oldest first. It scrolls to new messages unless the user has scrolled up. */
import { type ReactNode, useEffect, useRef } from "react";
import { type ConversationItem, dayOf } from "../messages/message-view.ts";
import { DayLine } from "./bubble.tsx";

/** Distance from the end that still counts as being at the end. */
const NEAR_PX = 120;

interface ThreadProps {
  label: string;
  zone: string;
  /** Newest first, as the server lists them. */
  items: readonly ConversationItem[];
  /** Rendered above the items: the control that loads older ones. */
  top?: ReactNode;
  empty: string;
  renderItem: (item: ConversationItem) => ReactNode;
}

export function Thread({ label, zone, items, top, empty, renderItem }: ThreadProps) {
  const box = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const newest = items[0]?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: reruns for each new item without reading it.
  useEffect(() => {
    if (box.current !== null && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight;
  }, [newest]);
  const shown = items.toReversed();
  return (
    <section
      ref={box}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard.
      tabIndex={0}
      className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto bg-sunken p-3"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - clientHeight - scrollTop < NEAR_PX;
      }}
    >
      {top}
      {shown.length === 0 && <p className="m-auto text-quiet">{empty}</p>}
      {shown.map((item, index) => {
        const day = dayOf(item.at, zone);
        const previous = shown[index - 1];
        return (
          <div key={item.key} className="flex flex-col">
            {(previous === undefined || dayOf(previous.at, zone) !== day) && <DayLine day={day} />}
            {renderItem(item)}
          </div>
        );
      })}
    </section>
  );
}
