/**
 * Time and timers, injected everywhere. No other code calls `Date.now()` or `setTimeout`, so that a test or a seeded
 * simulation decides what time it is and when a timer fires.
 */
export interface Clock {
  /** True: its wall time is never set, so no service has to look whether it was. Of test control. */
  readonly isSteady?: boolean;
  /** Wall time in milliseconds since the epoch. Use it for anything that outlives the process. */
  now(): number;
  /** Milliseconds that never go backwards. Use it for waits and measurements inside the process. */
  monotonic(): number;
  /** Runs `fire` once after `delayMs`. Negative delays count as zero. */
  setTimer(delayMs: number, fire: () => void, options?: TimerOptions): Timer;
}

export interface TimerOptions {
  /** Its work repeats and only cleans up, so one run does the work of many. */
  isUpkeep?: boolean | undefined;
}

export interface Timer {
  cancel(): void;
}

/** Longest delay of the runtime's timers (2^31 - 1 ms); a longer one is split. */
const DELAY_MAX_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, fire) {
    let handle: ReturnType<typeof setTimeout>;
    const arm = (leftMs: number): void => {
      const pieceMs = Math.min(Math.max(0, leftMs), DELAY_MAX_MS);
      handle = setTimeout(() => (leftMs > pieceMs ? arm(leftMs - pieceMs) : fire()), pieceMs);
    };
    arm(delayMs);
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Resolves after `delayMs` of the clock, or immediately when `signal` is or becomes aborted. */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = (): void => {
      timer.cancel();
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = clock.setTimer(delayMs, finish);
    signal?.addEventListener("abort", finish);
  });
}

/** The wall time of one clock with the timers of another: for waits on real sockets while a test moves the time. */
export function withTimersOf(wall: Clock, timers: Clock): Clock {
  if (wall === timers) return wall;
  return {
    now: () => wall.now(),
    monotonic: () => timers.monotonic(),
    setTimer: (delayMs, fire, options) => timers.setTimer(delayMs, fire, options),
  };
}

/** Resolves in a later turn of the event loop, after the work that is ready now. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
