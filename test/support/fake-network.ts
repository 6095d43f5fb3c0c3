/**
 * A network that answers as the test says and records every message sent. Its callbacks are read by the real parser, so
 * a test can deliver anything that the Cloud API could write.
 */
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { BlockPort, DoneOutcome, Network, OutboundMessage, ThreadControl } from "#src/networks/network.ts";
import type { BlockedPerson } from "#src/networks/profile-request.ts";
import { parseCallback } from "#src/networks/whatsapp/callback.ts";

type Answer = Outcome | ((outbound: OutboundMessage) => Outcome | Promise<Outcome>);

type ThreadAnswer = DoneOutcome | (() => DoneOutcome | Promise<DoneOutcome>);

export interface FakeNetwork extends Network {
  readonly blocks: BlockPort;
  /** Every request about the owner of a thread, in order. */
  readonly threadCalls: ThreadControl[];
  /** The outcome of all requests about threads to come; at first they are done. */
  threads(answer: ThreadAnswer): void;
  /** Every message sent, in order. */
  readonly sent: OutboundMessage[];
  /** Outcomes of the next sends, in order; afterwards everything is accepted. */
  next(...answers: Answer[]): void;
  /** The outcome of all sends to come. */
  always(answer: Answer): void;
  /** Whether a probe finds the host. */
  reachable(is: boolean): void;
}

export function fakeNetwork(): FakeNetwork {
  const sent: OutboundMessage[] = [];
  const script: Answer[] = [];
  let standing: Answer = (outbound) => accepted(outbound);
  let isReachable = true;
  const threadCalls: ThreadControl[] = [];
  const blocked = new Map<string, BlockedPerson>();
  let threadAnswer: ThreadAnswer = { kind: "done" };
  return {
    name: "simulator",
    sent,
    threadCalls,
    threads: (answer) => {
      threadAnswer = answer;
    },
    async controlThread(_, control) {
      threadCalls.push(control);
      return typeof threadAnswer === "function" ? threadAnswer() : threadAnswer;
    },
    blocks: {
      async setBlocked(_, person, isBlocked) {
        if (isBlocked) blocked.set(JSON.stringify(person), person);
        else blocked.delete(JSON.stringify(person));
        return { kind: "accepted", value: null, at: null };
      },
      listBlocked: async () => ({ ok: true, value: { people: [...blocked.values()], next: null }, at: null }),
    },
    parse: parseCallback,
    isReachable: async () => isReachable,
    probe: async () => isReachable,
    next: (...answers) => void script.push(...answers),
    always: (answer) => {
      standing = answer;
    },
    reachable: (is) => {
      isReachable = is;
    },
    async send(outbound) {
      sent.push(outbound);
      const answer = script.shift() ?? standing;
      return typeof answer === "function" ? answer(outbound) : answer;
    },
  };
}

/** Accepted under an id derived from the send token, so that a test can name it before the answer. */
export function accepted(
  outbound: OutboundMessage,
  named: { recipientId?: string; recipientNetworkUserId?: string } = {},
): Extract<Outcome, { kind: "accepted" }> {
  return {
    kind: "accepted",
    networkMessageId: networkIdOf(outbound),
    recipientId: named.recipientId ?? outbound.to?.slice(1) ?? null,
    recipientNetworkUserId: named.recipientNetworkUserId ?? null,
  };
}

export function networkIdOf({ sendToken }: { sendToken: string }): string {
  return `wamid.${sendToken}`;
}

export function refused(code: string): Outcome {
  return { kind: "refused", code, message: `The network said ${code}.`, scope: "recipient" };
}

export function throttled(retryAfterMs: number | null = null): Outcome {
  return { kind: "throttled", code: "130429", message: "Too many messages.", retryAfterMs, scope: "number" };
}

/** Throttles this recipient only: the number's own pace stays as it is. */
export function pairThrottled(retryAfterMs: number | null = null): Outcome {
  return { kind: "throttled", code: "131056", message: "Too many to one person.", retryAfterMs, scope: "pair" };
}

export const unreachable: Outcome = { kind: "unreachable", reason: "connection refused" };
export const unknown: Outcome = { kind: "unknown", reason: "the connection was reset" };

/** An answer that waits until the test gives it, and a promise that resolves when the network is called. */
export function gate(): {
  answer: (outbound: OutboundMessage) => Promise<Outcome>;
  reached: Promise<OutboundMessage>;
  open: (outcome: Outcome | "accepted") => void;
} {
  const { promise: reached, resolve: reach } = Promise.withResolvers<OutboundMessage>();
  const { promise: opened, resolve: open } = Promise.withResolvers<Outcome | "accepted">();
  return {
    reached,
    open,
    async answer(outbound) {
      reach(outbound);
      const outcome = await opened;
      return outcome === "accepted" ? accepted(outbound) : outcome;
    },
  };
}
