/**
 * Which networks sent a large callback that proved worthless (wrongly signed, too slow, cut short), and which sent a
 * signed one. The large bodies of the first are refused unread for a while: reading and hashing them takes the time of
 * all other requests, and they occupy the memory that genuine ones need. A network that sent a signed callback recently
 * is never among them, however many wrong ones come from it, because a proxy may stand for many senders.
 */
import type { Clock } from "#src/core/clock.ts";

const DISTRUSTED_MS = 30_000;
const VOUCHED_MS = 60 * 60_000;
/** Of each kind; when there are more, the oldest are forgotten. */
const NETWORKS_MAX = 10_000;

export class SenderTrust {
  readonly #clock: Clock;
  /** The monotonic time at which an entry ends. Oldest first. */
  readonly #distrusted = new Map<string, number>();
  readonly #vouched = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  noteSigned(network: string): void {
    this.#distrusted.delete(network);
    this.#put(this.#vouched, network, VOUCHED_MS);
  }

  noteWorthless(network: string): void {
    this.#put(this.#distrusted, network, DISTRUSTED_MS);
  }

  mayReadLarge(network: string): boolean {
    return this.#has(this.#vouched, network) || !this.#has(this.#distrusted, network);
  }

  #put(entries: Map<string, number>, network: string, forMs: number): void {
    entries.delete(network);
    entries.set(network, this.#clock.monotonic() + forMs);
    const [oldest] = entries.keys();
    if (entries.size > NETWORKS_MAX && oldest !== undefined) entries.delete(oldest);
  }

  #has(entries: ReadonlyMap<string, number>, network: string): boolean {
    return (entries.get(network) ?? Number.NEGATIVE_INFINITY) > this.#clock.monotonic();
  }
}
