/**
 * A network with somebody looking on: every attempt is counted, its answers tell the time, and are written down as they
 * came. Of an accepted message the note goes with the outcome, into its transaction; any other is queued before the outcome
 * is returned, so that it shares the commit that records it. No hand-over waits for either.
 */

import type { Clock } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { isOfErased } from "#src/domain/messages/message.ts";
import type { AttemptNote, Outcome } from "#src/domain/messages/outcome.ts";
import { noteAttempt } from "#src/domain/messages/provider-requests.ts";
import { findByReference } from "#src/domain/messages/read.ts";
import type { Network, RawAnswer } from "#src/networks/network.ts";

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
      const attempt = { ...attemptOf(outcome, answer), attemptedAt, durationMs: Math.round(durationMs) };
      if (outcome.kind === "accepted") return answer === null ? outcome : { ...outcome, attempt };
      // Without it the message's own row still tells how it ended; a disk that fails has worse to be told of.
      store.write((tx) => noteUnlessErased(tx, handover.reference, attempt)).catch(() => undefined);
      return outcome;
    },
  };
}

/** Not of somebody who was erased meanwhile: what the network says may name them. */
function noteUnlessErased(tx: Tx, reference: string, attempt: AttemptNote): void {
  const message = findByReference(tx, reference);
  if (message === undefined || !isOfErased(message)) noteAttempt(tx, reference, attempt);
}

function attemptOf(outcome: Outcome, answer: RawAnswer | null) {
  return {
    outcome: outcome.kind,
    code: "code" in outcome ? outcome.code : null,
    reason: reasonOf(outcome),
    httpStatus: answer?.httpStatus ?? null,
    answer: answer?.body ?? null,
  };
}

function reasonOf(outcome: Outcome): string {
  if (outcome.kind === "accepted") return `the network took it as ${outcome.networkMessageId}`;
  return "message" in outcome ? outcome.message : outcome.reason;
}
