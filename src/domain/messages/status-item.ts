/** What a network reports of messages after it has taken them. */
import type { RefusalScope } from "./outcome.ts";

/** One status of one message, as the network told it. Statuses arrive twice, late, and in any order. */
export interface StatusItem {
  kind: "status";
  /** The network's id of the sending number. */
  phoneNumberId: string;
  networkMessageId: string;
  /** Our own reference, when the network echoes it. */
  sendToken: string | null;
  status: "sent" | "delivered" | "read" | "failed";
  /** The network's time of the status, milliseconds. */
  at: number;
  /** How the network spells the recipient (digits), and its own id of the person. */
  recipientId: string | null;
  recipientNetworkUserId: string | null;
  /** Why it failed; null for every other status. */
  error: { code: string; message: string; scope: RefusalScope } | null;
}
