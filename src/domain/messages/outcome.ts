/**
 * The result of one dispatch to a network: a closed set of values, never an exception. Only `throttled` and
 * `unreachable` prove that the network did not accept the message, so only these two may be tried again.
 */

import type { FailureScope } from "./streak.ts";

export type Outcome =
  | {
      kind: "accepted";
      /** The network's id of the message; statuses carry it. */
      networkMessageId: string;
      /**
       * The recipient's phone number as the network writes it: digits without `+`. It may differ from the one that was
       * sent to.
       */
      recipientId: string | null;
      /** The network's own id of the person, if it gives one. */
      recipientNetworkUserId: string | null;
      /** The raw answer, to be recorded beside the outcome; undefined if the network has none. */
      providerRequest?: ProviderRequestRecord;
    }
  | {
      kind: "refused";
      /** The network's code as text, e.g. `"131026"`. */
      code: string;
      /** Plain text that can be shown to a person. */
      message: string;
      /** What the refusal applies to; it decides what happens to the rest of a broadcast. */
      scope: RefusalScope;
    }
  | {
      kind: "throttled";
      code: string;
      message: string;
      /** How long the network asks to wait, in milliseconds. */
      retryAfterMs: number | null;
      /** `pair`: only this recipient has to wait. `number`: everything that this number sends. */
      scope: "number" | "pair";
    }
  /** The request cannot have reached the network: name not resolved, connection refused, or TLS handshake refused. */
  | { kind: "unreachable"; reason: string }
  /** The message was sent and its outcome is unknown. Never sent again. */
  | { kind: "unknown"; reason: string };

/**
 * `recipient`: only this person. `message`: these values or this media. `template`, `number`, `account`: every message
 * of that template, number or account would be refused. `network`: a failure that concerns none of them.
 */
export type RefusalScope = FailureScope;

export type ProviderRequestOutcome = Outcome["kind"];

/** One request to the network and its raw answer, as the connector saw them. Times are in milliseconds. */
export interface ProviderRequestRecord {
  outcome: ProviderRequestOutcome;
  code: string | null;
  /** Plain text. */
  reason: string;
  /** Null if there was no answer. */
  httpStatus: number | null;
  /** The raw answer without the access token. */
  answer: string | null;
  requestedAt: number;
  durationMs: number;
}
