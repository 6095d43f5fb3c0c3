/**
 * The result of one dispatch to a network: a closed set of values, never an exception. Only `throttled` and
 * `unreachable` prove that the network did not accept the message, so only these two may be tried again.
 */

import type { Failure } from "./failure.ts";

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
      /** The network has the message and holds it back, to send or drop it later. */
      isHeldBack?: true;
      /** The raw answer, to be recorded beside the outcome; undefined if the network has none. */
      providerRequest?: ProviderRequestRecord;
    }
  /** Readable, so it proves that nothing was sent. `failure.ts` decides what follows. */
  | ({
      kind: "refused";
      retryAfterMs?: number | null;
      /** The endpoint for marketing says that the message is not its own: the general one may take it. */
      isWrongPath?: true;
    } & Failure)
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
  /**
   * The message was sent and its outcome is unknown. Never sent again. `failure`: what the answer says although it
   * proves nothing about this message, for example an unreadable 401.
   */
  | { kind: "unknown"; reason: string; failure?: Failure; retryAfterMs?: number | null };

/** Of a request that the network did not do, or may not have done. */
export type FailedOutcome = Exclude<Outcome, { kind: "accepted" }>;

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
