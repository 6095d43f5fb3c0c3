/**
 * A network with somebody looking on: every attempt is counted, its answers tell the time, and are written down as they
 * came. Of an accepted message the note goes with the outcome, into its transaction; any other is queued before the outcome
 * is returned, so that it shares the commit that records it. No hand-over waits for either.
 */

import type { Clock } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { isContactErased } from "#src/domain/messages/message.ts";
import type { Outcome, ProviderRequestRecord } from "#src/domain/messages/outcome.ts";
import { recordProviderRequest } from "#src/domain/messages/provider-requests.ts";
import { findBySendToken } from "#src/domain/messages/read.ts";
import type { Network, RawAnswer } from "#src/networks/network.ts";

export interface ProviderLogOptions {
  store: Store;
  clock: Clock;
  onRequest: (network: Network["name"], outcome: Outcome, durationMs: number) => void;
  /** How an answer was dated, milliseconds. */
  onTime: (networkTime: number) => void;
}

export function withProviderLog(network: Network, { store, clock, onRequest, onTime }: ProviderLogOptions): Network {
  return {
    ...network,
    isReachable: (timeoutMs) => network.isReachable(timeoutMs, onTime),
    async send(outbound, timeoutMs) {
      const requestedAt = clock.now();
      const startedAt = clock.monotonic();
      let answer: RawAnswer | null = null;
      const outcome = await network.send(outbound, timeoutMs, (raw) => {
        answer = raw;
        if (raw.at !== null) onTime(raw.at);
      });
      const durationMs = clock.monotonic() - startedAt;
      onRequest(network.name, outcome, durationMs);
      const providerRequest = { ...requestOf(outcome, answer), requestedAt, durationMs: Math.round(durationMs) };
      if (outcome.kind === "accepted") return answer === null ? outcome : { ...outcome, providerRequest };
      // Without it the message's own row still tells how it ended; a disk that fails has worse to be told of.
      store.write((tx) => recordUnlessErased(tx, outbound.sendToken, providerRequest)).catch(() => undefined);
      return outcome;
    },
  };
}

/** Not of somebody who was erased meanwhile: what the network says may name them. */
function recordUnlessErased(tx: Tx, sendToken: string, request: ProviderRequestRecord): void {
  const message = findBySendToken(tx, sendToken);
  if (message === undefined || !isContactErased(message)) recordProviderRequest(tx, sendToken, request);
}

function requestOf(outcome: Outcome, answer: RawAnswer | null) {
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
