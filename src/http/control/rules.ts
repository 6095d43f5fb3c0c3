/** `/control/v1/rules`: faults of the network for messages that match, and decisions on templates. */
import { type Static, Type } from "@sinclair/typebox";
import { formatInstant } from "#src/core/instant.ts";
import { Form, OneOf } from "#src/core/schema.ts";
import { threadActions } from "#src/domain/inbound/thread-actions.ts";
import type { Effect, Rule } from "#src/networks/simulator/control.ts";
import { FAILURE_CODE, phoneStatuses } from "#src/networks/simulator/phone.ts";
import { answerJson } from "../answer.ts";
import { declareCall, invalidField, readE164, readSpan } from "./route.ts";

const FAULT_MAX_MS = 31 * 86_400_000;

/** Each with the members that say more about it. */
const EFFECTS = {
  refuse: [],
  throttle: [],
  outage: [],
  unknown: ["arrives"],
  latency: [],
  status: ["code"],
  hold: ["code"],
  statuses: [],
  decide: ["reason"],
} as const;

const code = Type.Integer({ minimum: 1 });
/** On a template that is submitted. */
const decisions = ["APPROVED", "REJECTED", "PAUSED", "DISABLED"] as const;
const EffectBody = Type.Partial(
  Form({
    refuse: code,
    throttle: Type.String(),
    outage: Type.String(),
    unknown: Type.Unsafe<true>({ type: "boolean", enum: [true] }),
    arrives: Type.Boolean(),
    latency: Type.String(),
    status: OneOf(["failed"]),
    hold: Type.String(),
    code,
    statuses: Type.Array(OneOf(phoneStatuses), { maxItems: 20 }),
    decide: OneOf(decisions),
    reason: Type.String({ minLength: 1, maxLength: 100 }),
  }),
);
type EffectBody = Static<typeof EffectBody>;
const Match = Form({
  to: Type.Optional(Type.String()),
  template: Type.Optional(Type.String()),
  /** Of a request to take, release or pass a thread; without it, the rule is about messages. */
  thread: Type.Optional(OneOf(threadActions)),
});

const RuleBody = Form({
  match: Type.Optional(Match),
  times: Type.Optional(Type.Integer({ minimum: 1 })),
  // biome-ignore lint/suspicious/noThenProperty: the member's name is part of the interface.
  then: EffectBody,
});

export const ruleRoutes = [
  declareCall("GET /rules", {}, ({ simulator, clock }) =>
    answerJson(200, simulator.listRules(clock.now()).map(viewRule)),
  ),
  declareCall("POST /rules", { body: RuleBody }, ({ simulator, clock, body }) => {
    const { match = {}, times = null, then: effect } = body;
    if (match.thread !== undefined && match.template !== undefined)
      throw invalidField("match.template", "A request about a thread has no template.");
    const to = match.to === undefined ? null : readE164("match.to", match.to);
    const { template = null, thread = null } = match;
    const rule = { to, template, thread, times, effect: readEffect(effect) };
    return answerJson(201, viewRule(simulator.addRule(rule, clock.now())));
  }),
  declareCall("DELETE /rules", {}, ({ simulator, clock }) =>
    answerJson(200, { removed: simulator.removeRules(clock.now()) }),
  ),
];

/** Throws `invalid_request` unless exactly one effect is named. */
function readEffect(body: EffectBody): Effect {
  const named = (Object.keys(EFFECTS) as (keyof typeof EFFECTS)[]).filter((name) => body[name] !== undefined);
  const [name] = named;
  if (name === undefined || named.length > 1) {
    throw invalidField("then", `Name exactly one of ${Object.keys(EFFECTS).join(", ")}.`);
  }
  const allowed: readonly string[] = [name, ...EFFECTS[name]];
  const stray = Object.keys(body).find((member) => !allowed.includes(member));
  if (stray !== undefined) throw invalidField(`then.${stray}`, `This does not go with \`${name}\`.`);
  const span = (text = ""): number => readSpan(`then.${name}`, text, FAULT_MAX_MS);
  switch (name) {
    case "refuse":
      return { kind: "refuse", code: String(body.refuse) };
    case "throttle":
      return { kind: "throttle", retryAfterMs: span(body.throttle) };
    case "outage":
      return { kind: "outage", ms: span(body.outage) };
    case "unknown":
      return { kind: "unknown", arrives: body.arrives ?? false };
    case "latency":
      return { kind: "latency", ms: span(body.latency) };
    case "status":
      return { kind: "fail", code: String(body.code ?? FAILURE_CODE) };
    case "hold":
      return { kind: "hold", ms: span(body.hold), code: body.code === undefined ? null : String(body.code) };
    case "statuses":
      return { kind: "statuses", statuses: body.statuses ?? [] };
    case "decide":
      return { kind: "decide", event: body.decide ?? "APPROVED", reason: body.reason ?? "NONE" };
  }
}

function viewRule({ id, to, template, thread, times, matched, effect, createdAt }: Rule) {
  return {
    id,
    match: {
      ...(to === null ? {} : { to }),
      ...(template === null ? {} : { template }),
      ...(thread === null ? {} : { thread }),
    },
    times,
    matched,
    // biome-ignore lint/suspicious/noThenProperty: the member's name is part of the interface.
    then: viewEffect(effect),
    created_at: formatInstant(createdAt, "UTC"),
  };
}

function viewEffect(effect: Effect): EffectBody {
  switch (effect.kind) {
    case "refuse":
      return { refuse: Number(effect.code) };
    case "throttle":
      return { throttle: `${effect.retryAfterMs}ms` };
    case "outage":
      return { outage: `${effect.ms}ms` };
    case "unknown":
      return { unknown: true, arrives: effect.arrives };
    case "latency":
      return { latency: `${effect.ms}ms` };
    case "fail":
      return { status: "failed", code: Number(effect.code) };
    case "hold":
      return { hold: `${effect.ms}ms`, ...(effect.code === null ? {} : { code: Number(effect.code) }) };
    case "statuses":
      return { statuses: [...effect.statuses] };
    case "decide":
      return { decide: effect.event as (typeof decisions)[number], reason: effect.reason };
  }
}
