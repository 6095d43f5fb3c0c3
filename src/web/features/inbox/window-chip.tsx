/** The time left in which free-form text can be sent: open, closing soon, or closed. It counts down. */
import { useEffect, useState } from "react";
import { Chip } from "../../ui/chip.tsx";
import { formatTimeLeft, strings } from "./strings.ts";

export const SOON_MS = 60 * 60_000;

/** Milliseconds until the window closes; 0 or less if it is closed. */
export function useWindowLeft(endsAt: string | null): number {
  const [now, setNow] = useState(() => Date.now());
  const left = endsAt === null ? 0 : Date.parse(endsAt) - now;
  const isOpen = left > 0;
  const isClosing = left < SOON_MS;
  useEffect(() => {
    if (!isOpen) return;
    const timer = setInterval(() => setNow(Date.now()), isClosing ? 1_000 : 15_000);
    return () => clearInterval(timer);
  }, [isOpen, isClosing]);
  return left;
}

export function WindowChip({ endsAt }: { endsAt: string | null }) {
  const left = useWindowLeft(endsAt);
  if (left <= 0) {
    return (
      <Chip tone="grey" title={strings.windowHint}>
        {strings.windowClosed}
      </Chip>
    );
  }
  return (
    <Chip tone={left < SOON_MS ? "amber" : "green"} title={strings.windowHint}>
      {left < SOON_MS ? strings.windowClosing(formatTimeLeft(left)) : strings.windowOpen(formatTimeLeft(left))}
    </Chip>
  );
}
