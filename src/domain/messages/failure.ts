/**
 * What a failure of one message means for everything else. Pure. A connector translates the network's error into a
 * `Failure`; `decide` alone says what follows for the message, its broadcast, the number and the template: of a single
 * message and of a recipient, before, during and after a broadcast, whether it came as the answer or minutes later in a
 * status. `whatStops` says what it stops for every other message, and `stop.ts` carries that out.
 */
import { clauseOf } from "#src/core/sentence.ts";

/**
 * `recipient`: only this person. `message`: these values or this media. `template`, `number`, `account`: every message
 * of that template, number or account would fail too. `network`: the network itself is in trouble, or gives no reason.
 * `unlisted`: the network refused the message with a code that this version does not know, which says nothing about the
 * network.
 */
export type FailureScope = "recipient" | "message" | "template" | "number" | "account" | "network" | "unlisted";

export interface Failure {
  /** The network's code as text. */
  code: string;
  /** Plain text that can be shown to a person: our words, then the network's own. */
  message: string;
  scope: FailureScope;
  /** What the failure proves beyond its scope. Absent in rows of older versions. */
  effect?: FailureEffect;
  /** Time alone mends it: how long to wait, in milliseconds. Absent: a person has to act. */
  mendsAfterMs?: number;
}

/**
 * `number_unready`: the number cannot send until it is set up. `template_disabled`: the template is gone for good.
 * `kind_refused`: only messages of this kind are refused, and others may be sent. `window_closed`: the person's window.
 * `marketing_refused`: the person switched marketing off. `payment_missing`: of the account. Rows of older versions may
 * have `template_paused`, which means nothing beyond its scope.
 */
export type FailureEffect =
  | ("number_unready" | "template_disabled" | "kind_refused")
  | ("window_closed" | "marketing_refused" | "payment_missing");

export type FailureSource = "answer" | "status";

interface Verdict {
  /**
   * `fail`: the message has failed. `requeue`: the recipient waits until its broadcast resumes. `retry`: it is sent
   * again, at most `NETWORK_RETRIES_MAX` times. A status is always final.
   */
  message: "fail" | "requeue" | "retry";
  broadcast:
    | { kind: "continue" }
    /** A streak of these stops it. */
    | { kind: "count"; streak: "message" | "unlisted" | "network" }
    | { kind: "pause"; cause: "account" | "number" | "template" | "wait"; resumeAfterMs: number | null }
    | { kind: "fail" };
}

/** A recipient whose message the network refused for reasons of its own is sent to again this many times. */
export const NETWORK_RETRIES_MAX = 3;

export function decide(failure: Omit<Failure, "message">, source: FailureSource): Verdict {
  const verdict = (message: Verdict["message"], broadcast: Verdict["broadcast"]): Verdict => ({
    message: source === "status" ? "fail" : message,
    broadcast,
  });
  const { scope, effect, mendsAfterMs } = failure;
  switch (scope) {
    case "recipient":
      return verdict("fail", { kind: "continue" });
    case "message":
    case "unlisted":
      return verdict("fail", { kind: "count", streak: scope });
    case "network":
      return verdict("retry", { kind: "count", streak: "network" });
    case "template":
    case "number":
    case "account":
      break;
  }
  if (effect === "template_disabled") return verdict("requeue", { kind: "fail" });
  const pause = (cause: "account" | "number" | "template" | "wait"): Verdict["broadcast"] => ({
    kind: "pause",
    cause,
    resumeAfterMs: mendsAfterMs ?? null,
  });
  if (mendsAfterMs !== undefined) return verdict("requeue", pause("wait"));
  if (effect === "number_unready") return verdict("requeue", pause("number"));
  if (scope === "template") return verdict("requeue", pause("template"));
  return verdict("requeue", pause("account"));
}

/**
 * What sends nothing more, for anybody, until the network reports otherwise; the same for answers and statuses, before,
 * during and after a broadcast. A single message is refused alone: its caller gets the refusal, and may know better. Only proof that
 * the number is not set up, or that the template was stopped while the network checked it, stops others too.
 */
export function whatStops(
  { scope, effect, mendsAfterMs }: Omit<Failure, "message">,
  met: { isSingle: boolean; wasHeldBack: boolean },
): "number" | "template" | null {
  if (mendsAfterMs !== undefined || effect === "kind_refused") return null;
  if (effect === "number_unready") return "number";
  if (scope === "template") return met.isSingle && !met.wasHeldBack ? null : "template";
  return (scope === "number" || scope === "account") && !met.isSingle ? "number" : null;
}

/** Whether every message of that template, number or account would fail too. */
export function affectsEveryone({ scope }: Pick<Failure, "scope">): boolean {
  return scope === "template" || scope === "number" || scope === "account";
}

export function describeFailure({ code, message }: Pick<Failure, "code" | "message">): string {
  return `${clauseOf(message)} (error ${code})`;
}
