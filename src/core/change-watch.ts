/** Notifies requests that wait for a message to change. Code that changes messages calls `notify` after the commit. */
import type { Clock } from "./clock.ts";

export class MessageWatch {
  readonly #clock: Clock;
  readonly #waiters = new Map<number, Set<() => void>>();
  readonly #inFlight = new Set<number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sends in progress, including those whose caller has disconnected. Shutdown waits for them. */
  get inFlightCount(): number {
    return this.#inFlight.size;
  }

  /** Their messages. */
  listInFlight(): readonly number[] {
    return [...this.#inFlight];
  }

  begin(messageId: number): void {
    this.#inFlight.add(messageId);
  }

  end(messageId: number): void {
    this.#inFlight.delete(messageId);
  }

  notify(messageId: number): void {
    for (const finish of this.#waiters.get(messageId) ?? []) finish();
  }

  /** Resolves when the message changes, or after `timeoutMs`. */
  waitForChange(messageId: number, timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const waiters = this.#waiters.get(messageId) ?? new Set();
      this.#waiters.set(messageId, waiters);
      const finish = (): void => {
        timer.cancel();
        waiters.delete(finish);
        if (waiters.size === 0) this.#waiters.delete(messageId);
        resolve();
      };
      const timer = this.#clock.setTimer(timeoutMs, finish);
      waiters.add(finish);
    });
  }
}
