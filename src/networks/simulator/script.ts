/**
 * What the simulator does with a message, decided by the last four digits of the recipient's number or
 * user id. The other digits
 * are free, so every country has test recipients who never answer, whose phone is off, or who are not on the network.
 */
export interface Script {
  /** The answer to the send request. */
  answer: "accepted" | "refused" | "throttled_twice" | "throttled" | "unreachable" | "none";
  /** Error code of a refusal or of a `failed` status. */
  code: string;
  /** With `throttled`: how long the network asks to wait. */
  retryAfterMs?: number;
  /** With `accepted`: the network says that it holds the message back. */
  isHeldBack?: true;
  /** The statuses that follow, each after its delay; a `failed` status carries its own code or that of the script. */
  statuses: { status: "sent" | "delivered" | "read" | "failed"; afterMs: number; code?: string }[];
}

export interface SimulatorTimes {
  deliverAfterMs: number;
  readAfterMs: number;
  /** How long a request to a recipient without an answer stays open. */
  noAnswerAfterMs: number;
}

/** How long after the missing answer the first status of a lost message arrives. */
export const ARRIVES_AFTER_MS = 2_000;

const NOT_ON_NETWORK = "131026";
const SOMETHING_WENT_WRONG = "131000";
/** Meta's code for its throughput limit. */
export const THROTTLED = "130429";

export function scriptFor(phone: string, { deliverAfterMs, readAfterMs, noAnswerAfterMs }: SimulatorTimes): Script {
  const sent = { status: "sent", afterMs: 0 } as const;
  const delivered = { status: "delivered", afterMs: deliverAfterMs } as const;
  const read = { status: "read", afterMs: readAfterMs } as const;
  const accepted = { answer: "accepted", code: "", statuses: [sent, delivered, read] } as const;
  switch (phone.slice(-4)) {
    case "0001":
      return { answer: "refused", code: NOT_ON_NETWORK, statuses: [] };
    case "0002":
      return { answer: "refused", code: SOMETHING_WENT_WRONG, statuses: [] };
    case "0003":
      return {
        answer: "accepted",
        code: NOT_ON_NETWORK,
        statuses: [sent, { status: "failed", afterMs: deliverAfterMs }],
      };
    case "0004":
      return { ...accepted, statuses: [sent] };
    case "0005":
      return { ...accepted, statuses: [sent, delivered] };
    case "0006":
      return { ...accepted, answer: "throttled_twice", code: THROTTLED, statuses: [...accepted.statuses] };
    case "0007": {
      const arrivesAfterMs = noAnswerAfterMs + ARRIVES_AFTER_MS;
      return {
        answer: "none",
        code: "",
        statuses: [sent, delivered, read].map(({ status, afterMs }) => ({ status, afterMs: arrivesAfterMs + afterMs })),
      };
    }
    case "0008":
      return { answer: "none", code: "", statuses: [] };
    case "0009":
      // `read` first, then the earlier statuses, then everything again.
      return {
        ...accepted,
        statuses: [
          { status: "read", afterMs: deliverAfterMs },
          { status: "delivered", afterMs: deliverAfterMs },
          sent,
          { status: "sent", afterMs: readAfterMs },
          { status: "delivered", afterMs: readAfterMs },
          { status: "read", afterMs: readAfterMs },
        ],
      };
    default:
      return { ...accepted, statuses: [...accepted.statuses] };
  }
}

/**
 * The script of a message whose file is unusable: the network fetches it after it has accepted the message, so the
 * answer stays, and a failure takes the place of the statuses.
 */
export function failLater(script: Script, code: string, { deliverAfterMs }: SimulatorTimes): Script {
  // Nothing arrived, or nothing is to be reported.
  if (script.statuses.length === 0) return script;
  const acceptedAfterMs = Math.min(...script.statuses.map(({ afterMs }) => afterMs));
  return { ...script, statuses: [{ status: "failed", afterMs: acceptedAfterMs + deliverAfterMs, code }] };
}
