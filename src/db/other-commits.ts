/** Notices what other processes have committed to the same file: a command beside the server, for one. */
import { systemClock, type Timer } from "#src/core/clock.ts";
import type { Store } from "./store.ts";

/** How often other processes' commits are looked for. */
const POLL_INTERVAL_MS = 250;

/** `onFound` is called when there were any, `onLook` at every look. It goes on until it is cancelled. */
export function watchOtherCommits(store: Store, onOtherCommit: () => void, onPoll: () => void): Timer {
  let lastVersion = store.dataVersion();
  let timer: Timer;
  const poll = (): void => {
    const version = store.dataVersion();
    if (version !== lastVersion) {
      lastVersion = version;
      onOtherCommit();
    }
    onPoll();
    // By the machine's own clock, whatever clock the server runs on: the other process lives in real time.
    timer = systemClock.setTimer(POLL_INTERVAL_MS, poll);
  };
  poll();
  return { cancel: () => timer.cancel() };
}
