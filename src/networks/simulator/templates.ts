/**
 * The simulated network takes templates as Meta does, and reviews them: one whose name ends as a row of `ENDINGS` says is
 * decided automatically, or by a rule of test control; every other one waits until a person decides.
 */
import type { Clock } from "#src/core/clock.ts";
import { randomText } from "#src/core/id.ts";
import type { Random } from "#src/core/random.ts";
import type { Sender, TemplatePort } from "../network.ts";
import { newTemplateJson, type Submitted } from "../template-request.ts";
import type { JsonObject } from "../whatsapp/json.ts";
import { accountCallback } from "./callback.ts";
import { evaluateSubmission } from "./evaluate-submission.ts";
import { searchLibrary } from "./library.ts";

/** Meta's word for the decision, and its reason. */
interface Decision {
  event: string;
  reason: string;
}

interface SimulatedReviews {
  clock: Clock;
  random: Random;
  /** From the submission to the decision. */
  decideAfterMs: number;
  isReachable: () => boolean;
  /** Of the rule that matches the name; null: none does. */
  ruleFor: (name: string) => Decision | null;
  /** Receives the decision: its body, the wall time at which it arrives, and the number of the account. */
  callBack: (callbacks: { body: string; dueAt: number; phoneNumberId: string }[]) => void;
}

const ENDINGS: readonly { end: string; decision: Decision }[] = [
  { end: "_approved", decision: { event: "APPROVED", reason: "NONE" } },
  { end: "_rejected", decision: { event: "REJECTED", reason: "INVALID_FORMAT" } },
];

export function createSimulatedTemplates(reviews: SimulatedReviews): TemplatePort {
  const { clock, random, decideAfterMs, isReachable, ruleFor, callBack } = reviews;

  function answer<T>(value: T, request: JsonObject | null): Submitted<T> {
    if (!isReachable()) return { kind: "later", message: "The simulated network is out of reach.", retryAfterMs: null };
    const refusal = request === null ? null : evaluateSubmission(JSON.parse(JSON.stringify(request)) as JsonObject);
    return refusal === null ? { kind: "accepted", value, at: clock.now() } : { kind: "refused", ...refusal };
  }

  function review(sender: Sender, name: string, language: string): void {
    const decision = ruleFor(name) ?? ENDINGS.find(({ end }) => name.endsWith(end))?.decision ?? null;
    if (decision === null) return;
    const dueAt = clock.now() + decideAfterMs;
    const value = { ...decision, message_template_name: name, message_template_language: language };
    const body = accountCallback(sender, "message_template_status_update", value, dueAt);
    callBack([{ body, dueAt, phoneNumberId: sender.phoneNumberId }]);
  }

  return {
    create(sender, request) {
      // The language, which a correction does not repeat, is part of the id.
      const networkId = `sim.${request.language}.${randomText(random, 12)}.${request.name}`;
      // The words of the library are reviewed already.
      const isReviewed = request.library !== undefined && ruleFor(request.name) === null;
      const reviewed = { networkId, status: isReviewed ? "APPROVED" : "PENDING", category: request.category };
      const given = answer(reviewed, newTemplateJson(request));
      if (given.kind === "accepted" && !isReviewed) review(sender, request.name, request.language);
      return Promise.resolve(given);
    },
    correct(sender, networkId, request) {
      const given = answer(null, { ...request });
      const [, language, , name] = /^sim\.(\w+)\.(\w+)\.(\w+)$/.exec(networkId) ?? [];
      if (given.kind === "accepted" && name !== undefined && language !== undefined) review(sender, name, language);
      return Promise.resolve(given);
    },
    listLibrary: (_sender, query) => {
      const given = answer(searchLibrary(query), null);
      const failure = {
        code: "unreachable",
        message: "The simulated network is out of reach.",
        kind: "later",
      } as const;
      return Promise.resolve(
        given.kind === "accepted" ? { ok: true, value: given.value, at: given.at } : { ok: false, failure },
      );
    },
    remove: () => Promise.resolve(answer(null, null)),
    uploadSample: (_sender, { contentType, bytes }) =>
      Promise.resolve(answer({ handle: `4::${Buffer.from(contentType).toString("base64")}:${bytes}` }, null)),
  };
}
