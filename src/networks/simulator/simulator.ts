/**
 * A network inside the process, for developers and tests. It answers sends according to the recipient's last digits and
 * calls back as the real network does. Its callbacks go, with the time at which they are due, through the same durable
 * queue as the real network's, so they survive a restart.
 */

import { type Clock, sleep } from "#src/core/clock.ts";
import { randomText } from "#src/core/id.ts";
import type { Random } from "#src/core/random.ts";
import type { Outcome } from "#src/domain/messages/outcome.ts";
import type { Network, OutboundMessage } from "../network.ts";
import { parseCallback } from "../whatsapp/callback.ts";
import { describeCode, failureOf } from "../whatsapp/errors.ts";
import { statusCallback } from "./callback.ts";
import { type Script, type SimulatorTimes, scriptFor } from "./script.ts";

interface SimulatorOptions {
  clock: Clock;
  random: Random;
  times: SimulatorTimes;
  /** Receives its callbacks: each a body and the wall time at which it arrives. */
  callBack: (callbacks: { body: string; dueAt: number }[]) => void;
}

/** How many times a throttled message is refused before it is accepted. */
const THROTTLES = 2;
/** Bounds the map of throttled send tokens: a caller that gives up never removes its entry. */
const REMEMBERED_MAX = 10_000;

export function createSimulator({ clock, random, times, callBack }: SimulatorOptions): Network {
  const throttled = new Map<string, number>();

  const scheduleStatuses = (outbound: OutboundMessage, to: string, networkMessageId: string, script: Script): void => {
    const now = clock.now();
    callBack(
      script.statuses.map(({ status, afterMs }) => ({
        dueAt: now + afterMs,
        body: statusCallback(outbound.sender, {
          networkMessageId,
          sendToken: outbound.sendToken,
          status,
          at: now + afterMs,
          to,
          error: status === "failed" ? { code: script.code, title: describeCode(script.code) } : null,
        }),
      })),
    );
  };

  return {
    name: "simulator",
    parse: parseCallback,
    isReachable: () => Promise.resolve(true),
    probe: () => Promise.resolve(true),
    async send(outbound, timeoutMs): Promise<Outcome> {
      const to = outbound.to;
      if (to === null) return { kind: "refused", code: "131026", message: describeCode("131026"), scope: "recipient" };
      const script = scriptFor(to, times);
      const networkMessageId = `wamid.${randomText(random, 32).toUpperCase()}`;
      const accepted = {
        kind: "accepted",
        networkMessageId,
        recipientId: to.slice(1),
        recipientNetworkUserId: null,
      } as const;
      switch (script.answer) {
        case "refused":
          return { kind: "refused", ...failureOf({ code: Number(script.code), subcode: null, details: null }) };
        case "none":
          scheduleStatuses(outbound, to, networkMessageId, script);
          await sleep(clock, Math.min(times.noAnswerAfterMs, timeoutMs));
          return { kind: "unknown", reason: "the simulated network did not answer" };
        case "throttled_twice": {
          const count = throttled.get(outbound.sendToken) ?? 0;
          if (throttled.size >= REMEMBERED_MAX) throttled.clear();
          if (count < THROTTLES) {
            throttled.set(outbound.sendToken, count + 1);
            const message = describeCode(script.code);
            return { kind: "throttled", code: script.code, message, retryAfterMs: null, scope: "number" };
          }
          throttled.delete(outbound.sendToken);
          scheduleStatuses(outbound, to, networkMessageId, script);
          return accepted;
        }
        case "accepted":
          scheduleStatuses(outbound, to, networkMessageId, script);
          return accepted;
      }
    },
  };
}
