/**
 * Random choices from a seed: the same seed gives the same numbers on every machine and in every run. Streams that are
 * forked by name are independent, so a change in one part of a scenario leaves the choices in the other parts as they
 * were.
 */
import type { Random } from "#src/core/random.ts";

export class SeededRandom implements Random {
  readonly #seed: number;
  #state: number;

  constructor(seed: number) {
    this.#seed = seed >>> 0;
    this.#state = this.#seed;
    // The first numbers of similar seeds are similar; later ones are not.
    for (let i = 0; i < 3; i++) this.#next();
  }

  fork(name: string): SeededRandom {
    let seed = this.#seed ^ 0x9e3779b9;
    for (let i = 0; i < name.length; i++) seed = Math.imul(seed ^ name.charCodeAt(i), 0x85ebca6b) ^ (seed >>> 13);
    return new SeededRandom(seed);
  }

  bytes(count: number): Uint8Array {
    const bytes = new Uint8Array(count);
    for (let i = 0; i < count; i++) bytes[i] = this.#next() >>> 24;
    return bytes;
  }

  fraction(): number {
    return this.#next() / 4_294_967_296;
  }

  /** A whole number in [0, end). */
  below(end: number): number {
    return Math.floor(this.fraction() * end);
  }

  /** A whole number from `first` to `last`. */
  between(first: number, last: number): number {
    return first + this.below(last - first + 1);
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(list: readonly T[]): T {
    const picked = list[this.below(list.length)];
    if (picked === undefined) throw new Error("nothing to pick from");
    return picked;
  }

  /** By weight: `[3, "a"], [1, "b"]` gives "a" three times out of four. */
  weighted<T>(list: readonly (readonly [number, T])[]): T {
    let left = this.fraction() * list.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, value] of list) {
      left -= weight;
      if (left < 0) return value;
    }
    throw new Error("nothing to pick from");
  }

  /** mulberry32. */
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (t ^ (t >>> 14)) >>> 0;
  }
}
