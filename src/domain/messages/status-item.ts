/** What the network reports about a message after it has accepted it. */
import type { Failure } from "./failure.ts";

/** How the network bills a message. `category` and `type` are the network's own words, in lower case. */
export interface Pricing {
  billable: boolean;
  category: string;
  type: string;
  model: string | null;
}

/** One status of one message. Statuses arrive twice, late, and in any order. */
export interface StatusItem {
  kind: "status";
  /** The network's id of the sending number. */
  phoneNumberId: string;
  networkMessageId: string;
  /** Our send token, if the network echoes it. */
  sendToken: string | null;
  status: "sent" | "delivered" | "read" | "failed";
  /** With `sent`: the network has accepted the message, and holds it back. */
  isHeldBack?: true;
  /** The network's time of the status, milliseconds. */
  at: number;
  /** The recipient's phone number as the network writes it (digits only); below, the network's own id of the person. */
  recipientId: string | null;
  recipientNetworkUserId: string | null;
  /** The id that the portfolios of one parent company share. */
  recipientParentUserId?: string | null;
  recipientUsername?: string | null;
  /** Why the message failed; null for every other status. */
  error: Failure | null;
  /** On one of delivered and read, and on sent. */
  pricing?: Pricing | null;
}
