/** The network's possible answers to a send, by name, and how likely each is in which weather. */
import type { Outcome } from "#src/domain/messages/outcome.ts";

export type AnswerKind =
  | "accepted"
  | "accepted_as_another"
  | "not_on_network"
  | "undeliverable"
  | "control"
  | "bad_values"
  | "unlisted"
  | "template_paused"
  | "template_disabled"
  | "number_unready"
  | "account"
  | "throttled"
  | "throttled_pair"
  | "unreachable"
  | "lost"
  | "reset"
  /** Of the endpoint for marketing alone. */
  | "wrong_path";

export type Weather = "fair" | "mixed" | "crowded" | "away" | "silent" | "hostile" | "sick" | "strange";

const MIXED: readonly (readonly [number, AnswerKind])[] = [
  [30, "accepted"],
  [2, "accepted_as_another"],
  [4, "not_on_network"],
  [4, "undeliverable"],
  [2, "control"],
  [3, "bad_values"],
  [2, "unlisted"],
  [2, "template_paused"],
  [0.4, "template_disabled"],
  [2, "number_unready"],
  [2, "account"],
  [5, "throttled"],
  [3, "throttled_pair"],
  [4, "unreachable"],
  [5, "lost"],
  [5, "reset"],
];

export const weathers: Readonly<Record<Weather, readonly (readonly [number, AnswerKind])[]>> = {
  fair: [
    [95, "accepted"],
    [2, "undeliverable"],
    [2, "lost"],
    [1, "throttled"],
  ],
  mixed: MIXED,
  crowded: [
    [2, "accepted"],
    [6, "throttled"],
    [2, "throttled_pair"],
  ],
  away: [
    [1, "accepted"],
    [8, "unreachable"],
    [1, "lost"],
  ],
  silent: [
    [2, "accepted"],
    [4, "lost"],
    [4, "reset"],
  ],
  /** It refuses for reasons of its own, and its probe answers. */
  sick: [
    [1, "accepted"],
    [12, "undeliverable"],
  ],
  /** It refuses with a code that no one has listed, and is well. */
  strange: [
    [1, "accepted"],
    [30, "unlisted"],
  ],
  hostile: [
    [2, "accepted"],
    [3, "bad_values"],
    [3, "not_on_network"],
    [1, "template_paused"],
    [1, "number_unready"],
    [1, "account"],
  ],
};

/** Outcomes that prove that the network accepted nothing: the same message may be sent again. */
export function isProofOfNothing(outcome: Outcome): boolean {
  if (outcome.kind === "throttled" || outcome.kind === "unreachable") return true;
  return outcome.kind === "refused" && ["template", "number", "account", "network"].includes(outcome.scope);
}

/** The network refused the message for reasons of its own: it is sent again, but not without end. */
export function isNetworkRefusal(outcome: Outcome | null): boolean {
  return outcome?.kind === "refused" && outcome.scope === "network";
}

/** The network itself seems to be in trouble: `domain/numbers/network-health.ts` counts it. */
export function isTrouble(outcome: Outcome): boolean {
  return outcome.kind === "unknown" || isNetworkRefusal(outcome);
}

/** `id`: the network's message id; `recipientId`: the network's number variant of the recipient. */
export function outcomeOf(kind: AnswerKind, id: string, recipientId: string, retryAfterMs: number | null): Outcome {
  const refused = (code: string, scope: Extract<Outcome, { kind: "refused" }>["scope"]): Outcome => ({
    kind: "refused",
    code,
    message: `The network said ${code}.`,
    scope,
  });
  switch (kind) {
    case "accepted":
    case "accepted_as_another":
      return { kind: "accepted", networkMessageId: id, recipientId, recipientNetworkUserId: null };
    case "not_on_network":
      return refused("131026", "recipient");
    case "undeliverable":
      return refused("131000", "network");
    case "control":
      return refused("131050", "recipient");
    case "bad_values":
      return refused("132012", "message");
    case "unlisted":
      return refused("139999", "unlisted");
    case "template_paused":
      return refused("132015", "template");
    case "template_disabled":
      return refused("132016", "template");
    case "number_unready":
      return refused("131037", "number");
    case "account":
      return refused("131031", "account");
    case "throttled":
      return { kind: "throttled", code: "130429", message: "Too many messages.", retryAfterMs, scope: "number" };
    case "throttled_pair":
      return { kind: "throttled", code: "131056", message: "Too many to one person.", retryAfterMs, scope: "pair" };
    case "unreachable":
      return { kind: "unreachable", reason: "connection refused" };
    case "lost":
      return { kind: "unknown", reason: "no answer in time" };
    case "reset":
      return { kind: "unknown", reason: "the connection was reset" };
    case "wrong_path":
      return { ...refused("134100", "template"), isWrongPath: true } as Outcome;
  }
}
