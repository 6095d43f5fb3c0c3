/**
 * A second implementation of a message's states, without any database: the model with which the property test compares
 * the real one. Written from the description of the states, not from their code.
 */
export type Step =
  | { kind: "answer"; answer: "accepted" | "refused" | "unknown" | "throttled" }
  | { kind: "status"; status: Reported; byReference: boolean; agoMs: number };

export type Reported = "sent" | "delivered" | "read" | "failed";

const ladder: Reported[] = ["sent", "delivered", "read"];

/** -1 for a state that is not on the ladder. */
function rankOf(state: string): number {
  return (ladder as readonly string[]).indexOf(state);
}

export class MessageModel {
  status: "sending" | Reported = "sending";
  isUnknown = false;
  errorCode: string | null = null;
  money: "held" | "charged" | "released" = "held";
  consent: "unknown" | "opted_in" = "unknown";
  events: string[] = [];
  /** Whether the network's id of the message is known, and the statuses parked until it is. */
  isNamed = false;
  parked: Reported[] = [];
  #isAnswered = false;
  readonly #wasIn = new Set<Reported>();

  apply(step: Step): void {
    if (step.kind === "answer") this.#answer(step.answer);
    else if (step.byReference || this.isNamed) this.#named(step.status);
    else this.parked.push(step.status);
  }

  /** An attempt is in flight and has no answer. */
  get isOpen(): boolean {
    return !this.#isAnswered;
  }

  #named(status: Reported): void {
    this.isNamed = true;
    this.#report(status);
    for (const waiting of this.parked.splice(0)) this.#report(waiting);
  }

  #answer(answer: Extract<Step, { kind: "answer" }>["answer"]): void {
    // A throttled message is sent again; every other answer is final.
    this.#isAnswered = answer !== "throttled" || this.status !== "sending";
    if (answer === "throttled") return;
    if (answer === "accepted") {
      if (this.status === "sending") this.#enter("sent");
      this.isNamed = true;
      for (const waiting of this.parked.splice(0)) this.#report(waiting);
      return;
    }
    if (this.status !== "sending") return;
    this.#enter("failed");
    this.errorCode = answer === "refused" ? "131000" : "timeout";
    this.isUnknown = answer === "unknown";
  }

  #report(reported: Reported): void {
    if (reported === "failed") {
      this.#reportFailure();
      return;
    }
    if (this.status === "failed" && reported === "sent" && !this.isUnknown) return;
    if (rankOf(reported) <= rankOf(this.status)) return;
    // The states that the report has overtaken come first, except one that the message was in before.
    for (const state of ladder.slice(0, rankOf(reported))) if (!this.#wasIn.has(state)) this.#enter(state);
    this.#enter(reported);
  }

  #reportFailure(): void {
    if (this.status === "failed") {
      if (this.isUnknown) this.errorCode = "131026";
      this.isUnknown = false;
    } else if (this.status === "sending" || this.status === "sent") {
      this.#enter("failed");
      this.errorCode = "131026";
    }
  }

  #enter(state: Reported): void {
    this.status = state;
    this.#wasIn.add(state);
    this.isUnknown = false;
    this.errorCode = null;
    this.events.push(`message.${state}`);
    if (state !== "failed") this.consent = "opted_in";
    if (state === "delivered" || state === "read") this.money = "charged";
    else if (state === "failed" && this.money === "held") this.money = "released";
  }
}
