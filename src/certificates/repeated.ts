/** What was logged and need not be logged again: an order is repeated for weeks, and its reason stays the same. */

const REPEATED_MS = 24 * 60 * 60_000;
const SENTENCES_MAX = 20;

export class RepeatedSentences {
  readonly #saidAt = new Map<string, number>();

  /** False for what was said within a day. */
  isNew(sentence: string, now: number): boolean {
    const saidAt = this.#saidAt.get(sentence);
    if (saidAt !== undefined && Math.abs(now - saidAt) < REPEATED_MS) return false;
    if (this.#saidAt.size === SENTENCES_MAX) this.#saidAt.clear();
    this.#saidAt.set(sentence, now);
    return true;
  }

  clear(): void {
    this.#saidAt.clear();
  }
}
