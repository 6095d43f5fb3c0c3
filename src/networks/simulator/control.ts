/**
 * What a test can do to the simulated network, and see of it: rules that change the fate of matching messages, and the
 * journal of what it received. Kept in memory, and only under test control.
 */
import type { Clock } from "#src/core/clock.ts";
import { Journal } from "#src/core/journal.ts";
import type { ThreadAction } from "#src/domain/inbound/thread-actions.ts";
import type { Content } from "#src/domain/messages/content.ts";
import type { OutboundMessage } from "../network.ts";
import type { JsonObject } from "../whatsapp/json.ts";
import { ARRIVES_AFTER_MS, type Script, type SimulatorTimes, THROTTLED } from "./script.ts";

type Status = Script["statuses"][number]["status"];

/** What a rule does with a message. */
export type Effect =
  | { kind: "refuse"; code: string }
  | { kind: "throttle"; retryAfterMs: number }
  /** Nothing reaches the network for this long after the rule was made; with `times`, nothing of so many messages. */
  | { kind: "outage"; ms: number }
  /** The answer is lost; `arrives`: the message was accepted all the same, and its statuses follow. */
  | { kind: "unknown"; arrives: boolean }
  /** The answer comes later by this much; too late for the sender, it is lost. */
  | { kind: "latency"; ms: number }
  | { kind: "fail"; code: string }
  /** Accepted and held back for this long; then sent, or dropped with `code`. */
  | { kind: "hold"; ms: number; code: string | null }
  | { kind: "statuses"; statuses: readonly Status[] }
  /** Of a template that is submitted, not of a message: Meta's word for the decision, and its reason. */
  | { kind: "decide"; event: string; reason: string };

interface NewRule {
  /** E.164; null: every recipient. */
  to: string | null;
  /** Name; null: every message. */
  template: string | null;
  /** Of a request about who owns a thread; null: the rule is about messages. */
  thread: ThreadAction | null;
  /** How many messages it applies to; null: all. */
  times: number | null;
  effect: Effect;
}

export interface Rule extends NewRule {
  id: number;
  /** How many messages it has applied to. */
  matched: number;
  createdAt: number;
  /** The send tokens of those messages, of an outage with `times`: it lasts for their later attempts too. */
  tokens: Set<string>;
}

/** A request as the network received it. */
export interface SentMessage {
  sendToken: string;
  /** E.164 of the sending number. */
  from: string;
  /** E.164, or a user id. */
  to: string;
  content: Content;
  /** The body of the request. */
  request: JsonObject;
  at: number;
  outcome: "accepted" | "refused" | "throttled" | "unreachable" | "unknown";
  /** The network accepted it, whether or not its answer arrived. */
  isTaken: boolean;
}

const SENT_MAX = 20_000;

export class SimulatorControl {
  readonly sent = new Journal<SentMessage>(SENT_MAX);
  #rules: Rule[] = [];
  #lastId = 0;
  /** Sends that wait for the clock. */
  readonly #waiting = new Set<{ from: string; finish: (isWhole: boolean) => void }>();

  addRule(rule: NewRule, now: number): Rule {
    const added = { ...rule, id: ++this.#lastId, matched: 0, createdAt: now, tokens: new Set<string>() };
    this.#rules.push(added);
    return added;
  }

  listRules(now: number): readonly Rule[] {
    this.#rules = this.#rules.filter((rule) => !isSpent(rule, now));
    return this.#rules;
  }

  /** Returns how many there were. */
  removeRules(now: number): number {
    const { length } = this.listRules(now);
    this.#rules = [];
    return length;
  }

  /** Waits for a send of this number. Resolves to false at once if the number is cut off. */
  wait(clock: Clock, from: string, delayMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const finish = (isWhole: boolean): void => {
        timer.cancel();
        this.#waiting.delete(waiting);
        resolve(isWhole);
      };
      const timer = clock.setTimer(delayMs, () => finish(true));
      const waiting = { from, finish };
      this.#waiting.add(waiting);
    });
  }

  /** Ends the sends of these numbers that wait. */
  cut(phones: ReadonlySet<string>): void {
    for (const { from, finish } of [...this.#waiting]) if (phones.has(from)) finish(false);
  }

  reset(): void {
    this.#rules = [];
    this.sent.clear();
  }

  /** The effect of the oldest rule that matches; the rule counts the message. Null: no rule does. */
  matchRule(to: string, outbound: OutboundMessage, now: number): Effect | null {
    const rule = this.#findRule(to, outbound, now);
    if (rule === undefined) return null;
    if (!rule.tokens.has(outbound.sendToken)) rule.matched += 1;
    if (isOfFew(rule)) rule.tokens.add(outbound.sendToken);
    return rule.effect;
  }

  /** The same for a request about who owns the thread with a person. */
  matchThreadRule(to: string, action: ThreadAction, now: number): Effect | null {
    const rule = this.listRules(now).find((one) => one.thread === action && (one.to === null || one.to === to));
    if (rule === undefined) return null;
    rule.matched += 1;
    return rule.effect;
  }

  /** Whether an outage keeps this message from the network; no rule counts it. */
  isInOutage(to: string, outbound: OutboundMessage, now: number): boolean {
    return this.#findRule(to, outbound, now)?.effect.kind === "outage";
  }

  /** The oldest rule that matches. */
  #findRule(to: string, { content, sendToken }: OutboundMessage, now: number): Rule | undefined {
    if (this.#rules.length === 0) return undefined;
    const template = content.type === "template" ? content.name : null;
    return this.listRules(now).find(
      (one) =>
        one.thread === null &&
        one.effect.kind !== "decide" &&
        (one.to === null || one.to === to) &&
        (one.template === null || one.template === template) &&
        (one.times === null || one.matched < one.times || one.tokens.has(sendToken)),
    );
  }

  /** How a template of this name is decided; the rule counts it. Null: no rule says. */
  decisionFor(name: string, now: number): { event: string; reason: string } | null {
    for (const rule of this.listRules(now)) {
      const { effect, template, times, matched } = rule;
      if (effect.kind !== "decide" || (template !== null && template !== name)) continue;
      if (times !== null && matched >= times) continue;
      rule.matched += 1;
      return { event: effect.event, reason: effect.reason };
    }
    return null;
  }

  /** False during an outage that applies to every message. */
  isReachable(now: number): boolean {
    return !this.listRules(now).some(
      ({ effect, to, template, thread, times }) =>
        effect.kind === "outage" && to === null && template === null && thread === null && times === null,
    );
  }

  record(
    { sendToken, sender, content }: OutboundMessage,
    request: JsonObject,
    to: string,
    { at, outcome, isTaken }: Pick<SentMessage, "at" | "outcome" | "isTaken">,
  ): void {
    // A request that did not reach the network is not in its journal.
    if (outcome === "unreachable") return;
    this.sent.add({ sendToken, from: sender.phone, to, content, request, at, outcome, isTaken });
  }
}

function isSpent({ times, matched, effect, createdAt }: Rule, now: number): boolean {
  if (effect.kind === "outage") return now >= createdAt + effect.ms;
  return times !== null && matched >= times;
}

/** An outage that keeps some messages from the network, while all others reach it. */
function isOfFew({ effect, times }: Rule): boolean {
  return effect.kind === "outage" && times !== null;
}

/** The script of a message to which this effect applies. */
export function applyRule(script: Script, effect: Effect, times: SimulatorTimes): Script {
  const delays = { sent: 0, delivered: times.deliverAfterMs, read: times.readAfterMs, failed: times.deliverAfterMs };
  const follow = (statuses: readonly Status[], offsetMs = 0): Script["statuses"] =>
    statuses.map((status) => ({ status, afterMs: offsetMs + delays[status] }));
  switch (effect.kind) {
    case "refuse":
      return { answer: "refused", code: effect.code, statuses: [] };
    case "throttle":
      return { answer: "throttled", code: THROTTLED, retryAfterMs: effect.retryAfterMs, statuses: [] };
    case "outage":
      return { answer: "unreachable", code: "", statuses: [] };
    case "unknown": {
      const offsetMs = times.noAnswerAfterMs + ARRIVES_AFTER_MS;
      return {
        answer: "none",
        code: "",
        statuses: effect.arrives ? follow(["sent", "delivered", "read"], offsetMs) : [],
      };
    }
    case "latency":
    case "decide":
      return script;
    case "fail":
      return { answer: "accepted", code: effect.code, statuses: follow(["sent", "failed"]) };
    case "hold": {
      const held = { answer: "accepted", isHeldBack: true } as const;
      if (effect.code !== null)
        return { ...held, code: effect.code, statuses: [{ status: "failed", afterMs: effect.ms }] };
      return { ...held, code: "", statuses: follow(["sent", "delivered", "read"], effect.ms) };
    }
    case "statuses":
      return { answer: "accepted", code: script.code, statuses: follow(effect.statuses) };
  }
}
