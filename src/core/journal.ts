/**
 * A bounded list of what happened, oldest first, for which a reader can wait. Only servers under test control keep
 * journals.
 */
import type { Clock } from "./clock.ts";

export class Journal<Entry> {
  readonly #max: number;
  #entries: Entry[] = [];
  readonly #waiting = new Set<() => void>();

  /** Beyond `max` entries, the oldest are dropped. */
  constructor(max: number) {
    this.#max = max;
  }

  add(entry: Entry): void {
    this.#entries.push(entry);
    // Dropping a tenth at once keeps the cost of an entry constant.
    if (this.#entries.length > this.#max) this.#entries = this.#entries.slice(-Math.floor(this.#max * 0.9));
    for (const check of this.#waiting) check();
  }

  list(matches: (entry: Entry) => boolean): Entry[] {
    return this.#entries.filter(matches);
  }

  remove(matches: (entry: Entry) => boolean): void {
    this.#entries = this.#entries.filter((entry) => !matches(entry));
  }

  clear(): void {
    this.#entries = [];
  }

  /** The matching entries as soon as there are `count` of them, or after `waitMs` those that there are. */
  async waitFor(matches: (entry: Entry) => boolean, count: number, waitMs: number, clock: Clock): Promise<Entry[]> {
    const isComplete = (): boolean => this.list(matches).length >= count;
    if (waitMs > 0 && !isComplete()) {
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          timer.cancel();
          this.#waiting.delete(check);
          resolve();
        };
        const check = (): void => {
          if (isComplete()) finish();
        };
        const timer = clock.setTimer(waitMs, finish);
        this.#waiting.add(check);
      });
    }
    return this.list(matches);
  }
}
