/**
 * How many requests one number may have in flight: what its pace needs at the latency of the recent answers, and no more,
 * because whatever is in flight when the process dies is in doubt. Only accepted messages count: requests that time out
 * during an outage must not raise the limit.
 */

/** Assumed until the first answer. */
const FIRST_LATENCY_MS = 200;
/** Weight of the newest answer. */
const WEIGHT = 0.05;
/** Answers of a network spread around their mean. */
const SPREAD = 1.5;
/** Recipients of the writes that are under way while answers arrive, in seconds of the pace. */
const CLAIM_SECONDS = 0.2;
const IN_FLIGHT_MIN = 16;
/** At most this many claims are awaited, however fast the number. */
const CLAIMED_MAX = 128;
/** Bounded by the connections of a number; see `net/transport.ts`. */
const IN_FLIGHT_MAX = 2_000;
/** The highest rate at Meta. A number without a pace, in a test, sends as fast as the answers arrive. */
const RATE_MAX = 1_000;

export class InFlightLimit {
  #latencyMs = FIRST_LATENCY_MS;

  noteAccepted(latencyMs: number): void {
    this.#latencyMs += (latencyMs - this.#latencyMs) * WEIGHT;
  }

  /** `throughput`: messages a second. */
  max(throughput: number): number {
    const rate = Math.min(throughput, RATE_MAX);
    const answering = (rate * this.#latencyMs * SPREAD) / 1000;
    const claimed = Math.min(CLAIMED_MAX, Math.max(IN_FLIGHT_MIN, rate * CLAIM_SECONDS));
    return Math.min(IN_FLIGHT_MAX, Math.ceil(answering + claimed));
  }
}
