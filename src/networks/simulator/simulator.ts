/**
 * A network inside the process, for developers and tests. It refuses what the real network refuses, answers all else
 * according to the recipient's last digits, and calls back as the real network does. Its callbacks go, with the time at
 * which they are due, through the same durable queue as the real network's, so they survive a restart.
 */

import { type Clock, sleep } from "#src/core/clock.ts";
import { randomText } from "#src/core/id.ts";
import type { Random } from "#src/core/random.ts";
import { isUserId } from "#src/core/user-id.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import { kindOf } from "../kinds/kinds.ts";
import type { DoneOutcome, Network, OutboundMessage } from "../network.ts";
import { parseCallback } from "../whatsapp/callback.ts";
import { describeCode, failureOf } from "../whatsapp/errors.ts";
import type { JsonObject } from "../whatsapp/json.ts";
import { createPayload } from "../whatsapp/payload.ts";
import type { ApprovedTemplate } from "./approved-template.ts";
import { statusCallback } from "./callback.ts";
import { applyRule, type Effect, type SentMessage, type SimulatorControl } from "./control.ts";
import { evaluate, hasUnusableFile } from "./evaluate.ts";
import { createSimulatedMedia, type SimulatedFiles } from "./media.ts";
import { createSimulatedProfile, type SimulatedNumbers } from "./profile.ts";
import { failLater, type Script, type SimulatorTimes, scriptFor, THROTTLED } from "./script.ts";
import { createSimulatedTemplates } from "./templates.ts";
import { refuseUpload } from "./uploads.ts";

interface SimulatorOptions {
  clock: Clock;
  random: Random;
  times: SimulatorTimes;
  /**
   * Receives its callbacks: each a body and the wall time at which it arrives. `phoneNumberId`: of a number whose account
   * in its workspace the callback is about, because all workspaces share one account.
   */
  callBack: (callbacks: { body: string; dueAt: number; phoneNumberId?: string }[]) => void;
  /** The template as the network has approved it; null for one that it does not know, and for a free message. */
  findApproved: (outbound: OutboundMessage) => ApprovedTemplate | null;
  /** Whether the recipient is the number of another business of this simulator. */
  isAnotherBusiness?: (outbound: OutboundMessage) => boolean;
  /** Whether the number blocks the recipient. */
  isBlocked?: (outbound: OutboundMessage) => boolean;
  /** What the network keeps of its numbers; without it, they have no profile and block no one. */
  numbers?: SimulatedNumbers;
  /** Under test control: rules that change what it does, and the journal of what it received. */
  control?: SimulatorControl | undefined;
  /** Files that were played in; without it, there are only samples. */
  files?: SimulatedFiles;
}

/** How many times a throttled message is refused before it is accepted. */
const THROTTLES = 2;
/** Meta's codes: a required parameter is missing, a parameter has a wrong value, the message needs a phone number. */
const PARAMETER_MISSING = "131008";
const PARAMETER_INVALID = "131009";
/** Meta's code for a file that it could not fetch or use. */
const MEDIA_UNUSABLE = "131053";
const PHONE_NEEDED = "131062";
/** Meta's code for a message whose sender and recipient are the same number. */
const TO_ITSELF = "131021";
/** Meta's code for a number that cannot receive. */
const UNDELIVERABLE = "131026";
const ANOTHER_BUSINESS = "The number is a sending number of another workspace, and receives no messages of businesses.";
const BLOCKED = "The number blocks this person.";
/** Of a send whose workspace is reset. */
const CUT_OFF: Outcome = { kind: "unknown", reason: "the workspace is being reset" };
/** Bounds the map of throttled send tokens: a caller that gives up never removes its entry. */
const REMEMBERED_MAX = 10_000;

export function createSimulator({
  clock,
  random,
  times,
  callBack,
  findApproved,
  isAnotherBusiness,
  isBlocked,
  numbers,
  control,
  files,
}: SimulatorOptions): Network {
  const throttled = new Map<string, number>();

  const scheduleStatuses = (outbound: OutboundMessage, to: string, networkMessageId: string, script: Script): void => {
    const now = clock.now();
    callBack(
      script.statuses.map(({ status, afterMs, code = script.code }) => ({
        dueAt: now + afterMs,
        body: statusCallback(outbound.sender, {
          networkMessageId,
          sendToken: outbound.sendToken,
          status,
          at: now + afterMs,
          to,
          error: status === "failed" ? { code, title: describeCode(code) } : null,
        }),
      })),
    );
  };

  /** What the network refuses before anything else decides; null: nothing, or the message does not reach it. */
  const findRefusal = (outbound: OutboundMessage, to: string, request: JsonObject): Outcome | null => {
    if (control?.isInOutage(to, outbound, clock.now()) === true) return null;
    if (to === outbound.sender.phone) return refuse(TO_ITSELF);
    if (isAnotherBusiness?.(outbound) === true) return refuse(UNDELIVERABLE, ANOTHER_BUSINESS);
    if (isBlocked?.(outbound) === true) return refuse(UNDELIVERABLE, BLOCKED);
    const refusedAddress = refuseUserId(outbound);
    if (refusedAddress !== null) return refusedAddress;
    const refusal =
      evaluate(request, findApproved(outbound)) ?? refuseUpload(request, outbound.sender.phoneNumberId, clock.now());
    return refusal === null ? null : refuse(refusal.code, refusal.message);
  };

  /** By the last digits, by the rule that matched, and by the file, in this order. */
  const scriptOf = (request: JsonObject, to: string, effect: Effect | null): Script => {
    const usual = scriptFor(to, times);
    const script = effect === null ? usual : applyRule(usual, effect, times);
    if (hasUnusableFile(request)) return failLater(script, MEDIA_UNUSABLE, times);
    // Meta reports neither the delivery of a reaction nor that it was read.
    const isReported = ({ status }: Script["statuses"][number]): boolean => status === "sent" || status === "failed";
    return request.type === "reaction" ? { ...script, statuses: script.statuses.filter(isReported) } : script;
  };

  /** False: test control ended the wait. */
  const wait = ({ sender }: OutboundMessage, delayMs: number): Promise<boolean> =>
    control === undefined ? sleep(clock, delayMs).then(() => true) : control.wait(clock, sender.phone, delayMs);

  /** Whether this attempt is one of those that are throttled before the message is accepted. */
  const isThrottled = (sendToken: string): boolean => {
    const count = throttled.get(sendToken) ?? 0;
    if (throttled.size >= REMEMBERED_MAX) throttled.clear();
    if (count < THROTTLES) throttled.set(sendToken, count + 1);
    else throttled.delete(sendToken);
    return count < THROTTLES;
  };

  const answer = async (outbound: OutboundMessage, to: string, script: Script, limitMs: number): Promise<Outcome> => {
    const { code } = script;
    const networkMessageId = `wamid.${randomText(random, 32).toUpperCase()}`;
    const throttle = (retryAfterMs: number | null): Outcome => {
      return { kind: "throttled", code, message: describeCode(code), retryAfterMs, scope: "number" };
    };
    switch (script.answer) {
      case "refused":
        return refuse(code);
      case "unreachable":
        return { kind: "unreachable", reason: "the simulated network is out of reach" };
      case "throttled":
        return throttle(script.retryAfterMs ?? null);
      case "none":
        scheduleStatuses(outbound, to, networkMessageId, script);
        await wait(outbound, Math.min(times.noAnswerAfterMs, limitMs));
        return { kind: "unknown", reason: "the simulated network did not answer" };
      case "throttled_twice":
        if (isThrottled(outbound.sendToken)) return throttle(null);
    }
    scheduleStatuses(outbound, to, networkMessageId, script);
    const { isHeldBack } = script;
    const accepted = { kind: "accepted", networkMessageId, ...(isHeldBack ? { isHeldBack } : {}) } as const;
    if (isUserId(to)) return { ...accepted, recipientId: null, recipientNetworkUserId: to };
    return { ...accepted, recipientId: to.slice(1), recipientNetworkUserId: null };
  };

  return {
    name: "simulator",
    parse: parseCallback,
    ...(files === undefined
      ? {}
      : {
          media: createSimulatedMedia(files, {
            clock,
            random,
            isReachable: () => control?.isReachable(clock.now()) ?? true,
          }),
        }),
    templates: createSimulatedTemplates({
      ...{ clock, random, callBack, decideAfterMs: times.deliverAfterMs },
      isReachable: () => control?.isReachable(clock.now()) ?? true,
      ruleFor: (name) => control?.decisionFor(name, clock.now()) ?? null,
    }),
    ...(numbers === undefined
      ? {}
      : createSimulatedProfile({
          ...{ numbers, now: () => clock.now() },
          isReachable: () => control?.isReachable(clock.now()) ?? true,
        })),
    isReachable: () => Promise.resolve(control?.isReachable(clock.now()) ?? true),
    markRead: () =>
      Promise.resolve(
        control?.isReachable(clock.now()) === false
          ? { kind: "unreachable", reason: "the simulated network is out of reach" }
          : { kind: "done" },
      ),
    controlThread: (sender, { action, to, recipientNetworkUserId }, timeoutMs) =>
      answerThreadCall(control?.matchThreadRule(to ?? recipientNetworkUserId ?? "", action, clock.now()) ?? null, {
        isReachable: control?.isReachable(clock.now()) !== false,
        wait: (ms) =>
          control === undefined ? Promise.resolve(true) : control.wait(clock, sender.phone, Math.min(ms, timeoutMs)),
        timeoutMs,
      }),
    probe: () => Promise.resolve(control?.isReachable(clock.now()) ?? true),
    async send(outbound, timeoutMs): Promise<Outcome> {
      const to = outbound.to ?? outbound.recipientNetworkUserId ?? "";
      const request = requestOf(outbound);
      const record = (outcome: SentMessage["outcome"], isTaken: boolean): void =>
        control?.record(outbound, request, to, { at: clock.now(), outcome, isTaken });
      const refusal = findRefusal(outbound, to, request);
      if (refusal !== null) {
        record("refused", false);
        return refusal;
      }
      if (control === undefined) return answer(outbound, to, scriptOf(request, to, null), timeoutMs);
      const rule = control.matchRule(to, outbound, clock.now());
      // Slower than the sender waits: the message is accepted, and the sender never learns of it.
      const isLate = rule?.kind === "latency" && rule.ms > timeoutMs;
      if (rule?.kind === "latency" && !isLate && !(await wait(outbound, rule.ms))) return CUT_OFF;
      const ruled = scriptOf(request, to, isLate ? { kind: "unknown", arrives: true } : rule);
      // A request without an answer is in the journal while its sender still waits.
      if (ruled.answer === "none") {
        record("unknown", ruled.statuses.length > 0);
        return answer(outbound, to, ruled, timeoutMs);
      }
      const outcome = await answer(outbound, to, ruled, timeoutMs);
      record(outcome.kind, outcome.kind === "accepted");
      return outcome;
    },
  };
}

interface ThreadAnswering {
  isReachable: boolean;
  /** False: test control ended the wait. */
  wait: (ms: number) => Promise<boolean>;
  timeoutMs: number;
}

/** The simulator has no other senders: who owns a thread is what is reported. `effect`: of the rule that matches. */
async function answerThreadCall(
  effect: Effect | null,
  { isReachable, wait, timeoutMs }: ThreadAnswering,
): Promise<DoneOutcome> {
  const reason = "the simulated network is out of reach";
  if (!isReachable || effect?.kind === "outage") return { kind: "unreachable", reason };
  switch (effect?.kind) {
    case "refuse":
    case "fail":
      return { kind: "refused", ...failureOf({ code: Number(effect.code), subcode: null, details: null }) };
    case "throttle": {
      const { retryAfterMs } = effect;
      return { kind: "throttled", code: THROTTLED, message: describeCode(THROTTLED), retryAfterMs, scope: "number" };
    }
    case "unknown":
      return { kind: "unknown", reason: "the simulated network did not answer" };
    case "latency":
      if (!(await wait(effect.ms)) || effect.ms > timeoutMs) return { kind: "unknown", reason: "it answered too late" };
      return { kind: "done" };
    default:
      return { kind: "done" };
  }
}

/** What the network refuses where it is given no phone number. */
function refuseUserId({ to, recipientNetworkUserId, content }: OutboundMessage): Outcome | null {
  if (to !== null) return null;
  if (recipientNetworkUserId === null) return refuse(PARAMETER_MISSING);
  if (!isUserId(recipientNetworkUserId)) return refuse(PARAMETER_INVALID);
  return kindOf(content).needsPhone?.(content) === true ? refuse(PHONE_NEEDED) : null;
}

/** The JSON as it would leave for Meta. */
function requestOf(outbound: OutboundMessage): JsonObject {
  return JSON.parse(JSON.stringify(createPayload(outbound))) as JsonObject;
}

/** `details`: what the network adds to the meaning of its code. */
function refuse(code: string, details: string | null = null): Outcome {
  return { kind: "refused", ...failureOf({ code: Number(code), subcode: null, details }) };
}
