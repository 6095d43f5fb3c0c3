/**
 * Wraps a network: counts every request, reports the date of its answer, and stores the raw answer. The record of an
 * accepted message travels with the outcome into its transaction; any other record is queued before the outcome is
 * returned, so that both share a commit. Sending waits for neither.
 */

import type { Clock } from "#src/core/clock.ts";
import type { Store } from "#src/db/store.ts";
import type { Tx } from "#src/db/transaction.ts";
import { isContactErased } from "#src/domain/messages/message.ts";
import type { Outcome, ProviderRequestRecord } from "#src/domain/messages/outcome.ts";
import { recordProviderRequest } from "#src/domain/messages/provider-requests.ts";
import { findBySendToken } from "#src/domain/messages/read.ts";
import type { Network, RawAnswer } from "#src/networks/network.ts";

interface ProviderLogOptions {
  store: Store;
  clock: Clock;
  onRequest: (network: Network["name"], outcome: Outcome, durationMs: number) => void;
  /** The date of an answer, milliseconds. */
  onTime: (networkTime: number) => void;
}

export function withProviderLog(network: Network, { store, clock, onRequest, onTime }: ProviderLogOptions): Network {
  return {
    ...network,
    isReachable: (timeoutMs, _onTime, sender) => network.isReachable(timeoutMs, onTime, sender),
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
      // If it fails, the message's own row still holds the outcome; the storage failure is logged elsewhere.
      store.write((tx) => recordUnlessErased(tx, outbound.sendToken, providerRequest)).catch(() => undefined);
      return outcome;
    },
  };
}

/** Not for a contact that was erased meanwhile: the answer may contain their data. */
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
  if (outcome.kind === "accepted") return `the network accepted it as ${outcome.networkMessageId}`;
  return "message" in outcome ? outcome.message : outcome.reason;
}
