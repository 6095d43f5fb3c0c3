/** Detects commits by other processes to the same file, such as a command that runs beside the server. */
import { systemClock, type Timer } from "#src/core/clock.ts";
import type { Store } from "./store.ts";

/** How often to poll for commits by other processes. */
const POLL_INTERVAL_MS = 250;

/**
 * Polls until the returned timer is cancelled. Calls `onOtherCommit` when another process has committed, and `onPoll`
 * at every poll.
 */
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
    // Uses the system clock even if the server runs on a simulated one, because the other process runs in real time.
    timer = systemClock.setTimer(POLL_INTERVAL_MS, poll);
  };
  poll();
  return { cancel: () => timer.cancel() };
}
