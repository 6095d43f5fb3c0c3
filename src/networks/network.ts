/**
 * The port to a messaging network. A connector turns a hand-over into an `Outcome` and a callback's body into reports;
 * it knows nothing of storage, workspaces or HTTP routes. `simulator/` and `whatsapp/` implement it.
 */
import type { InboundReport, NumberChangeReport, PreferenceReport } from "#src/domain/inbound/report.ts";
import type { Content } from "#src/domain/messages/content.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { StatusReport } from "#src/domain/messages/report.ts";
import type { TemplateReport } from "#src/domain/templates/report.ts";

export interface Network {
  readonly name: NetworkName;
  /**
   * Hands one message over, once. Never rejects: whatever happens is an `Outcome`. Once `timeoutMs` has passed without
   * a readable answer the outcome is `unknown`. `onAnswer` is given the answer as it came, without the access token.
   */
  send(handover: Handover, timeoutMs: number, onAnswer?: (answer: RawAnswer) => void): Promise<Outcome>;
  /** Whether the network's host answers at all; carries nothing. Never rejects, and ends within `timeoutMs`. */
  isReachable(timeoutMs: number): Promise<boolean>;
  /** Reads a callback's body item by item. Never throws: what cannot be read becomes a `broken` item. */
  parse(body: string): Report[];
}

/** For a look at what went wrong. */
export interface RawAnswer {
  httpStatus: number;
  body: string;
}

export type NetworkName = "simulator" | "whatsapp";

export interface Handover {
  sender: Sender;
  /** E.164 with `+`; null only where the person is known by `recipientUserId` alone. */
  to: string | null;
  recipientUserId: string | null;
  /** Our reference, echoed on statuses. */
  reference: string;
  content: Content;
}

/** The sending number as its network knows it. */
export interface Sender {
  /** E.164. */
  phone: string;
  phoneNumberId: string;
  accountId: string;
  /** The access token in clear; null on networks that need none. Never logged. */
  accessToken: string | null;
}

export type Report =
  | StatusReport
  | InboundReport
  | NumberChangeReport
  | PreferenceReport
  | TemplateReport
  /** Understood and of no use to us (a field or kind that we do not act on). */
  | { kind: "ignored"; about: string }
  /** Could not be read; `raw` is kept for a look. */
  | { kind: "broken"; why: string; raw: string };
