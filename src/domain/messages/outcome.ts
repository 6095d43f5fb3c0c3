/**
 * What a network answered to one hand-over: a closed set of values, never an exception.
 * Only `throttled` and `unreachable` prove that the network took nothing, so only these two may be tried again.
 */

import type { FailureScope } from "./streak.ts";

export type Outcome =
  | {
      kind: "accepted";
      /** The network's id of the message; statuses carry it. */
      networkMessageId: string;
      /** How the network spells the recipient: digits without `+`; it may differ from what was sent to. */
      recipientId: string | null;
      /** The network's own id of the person, where it names one. */
      recipientNetworkUserId: string | null;
      /** How the network put it, to be written down beside the outcome; left out where it has no words. */
      providerRequest?: ProviderRequestRecord;
    }
  | {
      kind: "refused";
      /** The network's code as text, e.g. `"131026"`. */
      code: string;
      /** The reason in words fit to show a person. */
      message: string;
      /** Whom the refusal speaks of; it decides what happens to the rest of a broadcast. */
      scope: RefusalScope;
    }
  | {
      kind: "throttled";
      code: string;
      message: string;
      /** The network's hint how long to wait, in milliseconds. */
      retryAfterMs: number | null;
      /** `pair`: only this recipient is asked to wait; `number`: everything that this number sends. */
      scope: "number" | "pair";
    }
  /** The request cannot have reached the network: name not resolved, connection refused, TLS handshake refused. */
  | { kind: "unreachable"; reason: string }
  /** Handed over, and what became of it is not known. Never sent again. */
  | { kind: "unknown"; reason: string };

/**
 * `recipient`: this person only · `message`: these values or this media · `template` · `number` · `account`: everything
 * of that template, number or account would be refused alike · `network`: a failure that speaks of none of them.
 */
export type RefusalScope = FailureScope;

export type ProviderRequestOutcome = Outcome["kind"];

/** One request to the network and its raw answer, as the connector knows them. Times are milliseconds. */
export interface ProviderRequestRecord {
  outcome: ProviderRequestOutcome;
  code: string | null;
  /** In words. */
  reason: string;
  /** Null: there was no answer. */
  httpStatus: number | null;
  /** As it came, without the access token. */
  answer: string | null;
  requestedAt: number;
  durationMs: number;
}
