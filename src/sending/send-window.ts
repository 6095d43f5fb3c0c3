/**
 * How many messages of one number may be in flight, and when the next may leave. A network in trouble gets one message
 * at a time, with the pauses of `numbers/network-health.ts`. A network that has fallen silent gets no more: each message
 * in flight would be in doubt if none is answered.
 */
import type { Clock } from "#src/core/clock.ts";
import { isOneAtATime, pauseMs } from "#src/domain/numbers/network-health.ts";
import type { NetworkHealth } from "#src/domain/numbers/table.ts";

/** With this many requests in flight and no answer for this long, the network counts as silent. */
const SILENT_IN_FLIGHT = 10;
const SILENCE_MS = 1_000;

export class SendWindow {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #findHealth: () => NetworkHealth | undefined;
  /** Monotonic time of each request in flight, the oldest first, and of the last answer of any kind. */
  readonly #requestedAt = new Map<number, number>();
  #answeredAt = 0;
  /** The results that were seen last, and the monotonic time before which they allow no message. */
  #seen = "";
  #until = 0;

  constructor(clock: Pick<Clock, "monotonic">, findHealth: () => NetworkHealth | undefined) {
    this.#clock = clock;
    this.#findHealth = findHealth;
  }

  get inFlight(): number {
    return this.#requestedAt.size;
  }

  open(id: number): void {
    const now = this.#clock.monotonic();
    this.#requestedAt.set(id, now);
    // An accepted message may fail minutes later: the pause counts from each attempt too.
    this.#until = Math.max(this.#until, now + pauseMs(this.#findHealth()));
  }

  /** Returns how long the request was in flight, in milliseconds. */
  close(id: number): number {
    const now = this.#clock.monotonic();
    const requestedAt = this.#requestedAt.get(id) ?? now;
    this.#requestedAt.delete(id);
    this.#answeredAt = now;
    return now - requestedAt;
  }

  /** Of `max`; at most one is in flight if `isProbing`. */
  freeSlots(max: number, isProbing: boolean): number {
    if (isProbing || isOneAtATime(this.#findHealth())) return 1 - this.inFlight;
    return this.#isSilent ? 0 : max - this.inFlight;
  }

  get #isSilent(): boolean {
    if (this.inFlight < SILENT_IN_FLIGHT) return false;
    const oldest = this.#requestedAt.values().next().value ?? 0;
    return this.#clock.monotonic() - Math.max(oldest, this.#answeredAt) >= SILENCE_MS;
  }

  /** Monotonic time before which nothing may leave. A new result starts the pause after it. */
  opensAt(): number {
    const health = this.#findHealth();
    const seen =
      health === undefined
        ? ""
        : `${health.state} ${health.answerFailures} ${health.statusFailures} ${health.successes}`;
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#until = this.#clock.monotonic() + pauseMs(health);
    }
    return this.#until;
  }
}
