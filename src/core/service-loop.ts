/**
 * A part of the server that works in the background, and the one implementation of its loop. A service runs when it is
 * started, when it is notified and when its timer fires, never twice at the same time.
 */
import type { Clock, Timer } from "./clock.ts";

export interface Service {
  readonly name: string;
  /** True while the service works; false while it only waits for a timer or a notification. */
  readonly isActive: boolean;
  start(): void;
  /** Begins nothing new and cancels the timer. What is in flight finishes: wait until `isActive` is false. */
  stop(): void;
  /** Asks for a run now. Cheap: several notifications in one turn are one run. Ignored while stopped. */
  notify(): void;
  /** One run of the loop. */
  runOnce(): Promise<NextRun>;
}

/** When the next run is due: at once, after so many milliseconds, or (null) at the next notification. */
export type NextRun = "at_once" | number | null;

interface ServiceOptions {
  name: string;
  clock: Pick<Clock, "setTimer">;
  /** A run that throws is reported and repeated after this long, or earlier when the service is notified. */
  retryAfterMs: number;
  onError: (error: unknown) => void;
  /** How long after the start the first run is due. Without it, the start itself runs. */
  firstRunAfterMs?: number;
  /** As of a timer: a clock that is moved over many runs makes one of them. */
  isUpkeep?: boolean;
}

export abstract class ServiceLoop implements Service {
  readonly #service: ServiceOptions;
  #timer: Timer | null = null;
  #isRunning = false;
  #isNotified = false;
  #isStopped = true;

  constructor(options: ServiceOptions) {
    this.#service = options;
  }

  abstract runOnce(): Promise<NextRun>;

  get name(): string {
    return this.#service.name;
  }

  get isActive(): boolean {
    return this.#isRunning;
  }

  /** Long runs read this between two steps and return early. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  start(): void {
    this.#isStopped = false;
    const { firstRunAfterMs } = this.#service;
    if (firstRunAfterMs === undefined) this.notify();
    else this.#pollAfter(firstRunAfterMs);
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  notify(): void {
    if (this.#isStopped) return;
    this.#isNotified = true;
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    try {
      let next: NextRun = null;
      while (this.#isNotified && !this.#isStopped) {
        this.#isNotified = false;
        this.#timer?.cancel();
        next = await this.runOnce();
        if (next === "at_once") this.#isNotified = true;
      }
      // No await between the test of the loop and the end of this function, so no notification is lost in between.
      if (typeof next === "number") this.#pollAfter(next);
    } catch (error) {
      this.#pollAfter(this.#service.retryAfterMs);
      this.#service.onError(error);
    } finally {
      this.#isRunning = false;
    }
  }

  /** A run may end after `stop`; a timer that it armed then would keep the process alive. */
  #pollAfter(delayMs: number): void {
    this.#timer?.cancel();
    if (this.#isStopped) return;
    const { clock, isUpkeep } = this.#service;
    this.#timer = clock.setTimer(delayMs, () => this.notify(), { isUpkeep });
  }
}
