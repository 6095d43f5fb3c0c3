/** Lets a request that waits for news of a message hear of it: whoever changes messages calls `changed` after commit. */
import type { Clock } from "./clock.ts";

export class MessageWatch {
  readonly #clock: Clock;
  readonly #waiting = new Map<number, Set<() => void>>();
  /** Hand-overs that are under way, also those whose caller has hung up: a stop waits for them. */
  underWay = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  changed(messageId: number): void {
    for (const wake of this.#waiting.get(messageId) ?? []) wake();
  }

  /** Resolves when the message changes, or after `limitMs`. */
  next(messageId: number, limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(messageId) ?? new Set();
      this.#waiting.set(messageId, waiting);
      const wake = (): void => {
        timer.cancel();
        waiting.delete(wake);
        if (waiting.size === 0) this.#waiting.delete(messageId);
        resolve();
      };
      const timer = this.#clock.setTimer(limitMs, wake);
      waiting.add(wake);
    });
  }
}
