/** Random choices from a seed: the same seed makes the same choices in the same order, on every machine. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1): mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number in [0, end). */
  below(end: number): number {
    return Math.floor(this.next() * end);
  }

  happens(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(from: readonly T[]): T {
    const one = from[this.below(from.length)];
    if (one === undefined && from.length === 0) throw new Error("there is nothing to pick from");
    return one as T;
  }

  /** Up to `most` of them, possibly with repetitions. */
  some<T>(from: readonly T[], max: number): T[] {
    return Array.from({ length: this.below(max + 1) }, () => this.pick(from));
  }
}
