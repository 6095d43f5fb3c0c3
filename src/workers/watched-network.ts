/**
 * A network with somebody looking on: every attempt is counted, its answers tell the time, and what was not accepted is
 * written down with the raw answer. The note is queued before the outcome is returned, so it shares the commit that records the outcome, and no
 * hand-over waits for it.
 */
import { noteAttempt } from "#src/domain/attempts/attempts.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { Network, RawAnswer } from "#src/networks/network.ts";
import type { Clock } from "#src/primitives/clock.ts";
import type { Store } from "#src/storage/store.ts";

export interface WatchOptions {
  store: Store;
  clock: Clock;
  onAttempt: (network: Network["name"], outcome: Outcome, durationMs: number) => void;
  /** How an answer was dated, milliseconds. */
  onTime: (networkTime: number) => void;
}

export function watchNetwork(network: Network, { store, clock, onAttempt, onTime }: WatchOptions): Network {
  return {
    ...network,
    isReachable: (timeoutMs) => network.isReachable(timeoutMs, onTime),
    async send(handover, timeoutMs) {
      const attemptedAt = clock.now();
      const startedAt = clock.monotonic();
      let answer: RawAnswer | null = null;
      const outcome = await network.send(handover, timeoutMs, (given) => {
        answer = given;
        if (given.at !== null) onTime(given.at);
      });
      const durationMs = clock.monotonic() - startedAt;
      onAttempt(network.name, outcome, durationMs);
      if (outcome.kind !== "accepted") {
        const attempt = attemptOf(outcome, answer);
        const { reference } = handover;
        // Without it the message's own row still tells how it ended; a disk that fails has worse to be told of.
        store
          .write((tx) => noteAttempt(tx, { ...attempt, reference, attemptedAt, durationMs: Math.round(durationMs) }))
          .catch(() => undefined);
      }
      return outcome;
    },
  };
}

function attemptOf(outcome: Exclude<Outcome, { kind: "accepted" }>, answer: RawAnswer | null) {
  return {
    outcome: outcome.kind,
    code: "code" in outcome ? outcome.code : null,
    reason: "message" in outcome ? outcome.message : outcome.reason,
    httpStatus: answer?.httpStatus ?? null,
    answer: answer?.body ?? null,
  };
}
