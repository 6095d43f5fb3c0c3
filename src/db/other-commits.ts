/** Notices what other processes have committed to the same file: a command beside the server, for one. */
import { systemClock, type Timer } from "#src/core/clock.ts";
import type { Store } from "./store.ts";

/** How often other processes' commits are looked for. */
const LOOK_EVERY_MS = 250;

/** `onFound` is called when there were any, `onLook` at every look. It goes on until it is cancelled. */
export function watchOtherCommits(store: Store, onFound: () => void, onLook: () => void): Timer {
  let seen = store.dataVersion();
  let timer: Timer;
  const look = (): void => {
    const found = store.dataVersion();
    if (found !== seen) {
      seen = found;
      onFound();
    }
    onLook();
    // By the machine's own clock, whatever clock the server runs on: the other process lives in real time.
    timer = systemClock.setTimer(LOOK_EVERY_MS, look);
  };
  look();
  return { cancel: () => timer.cancel() };
}
