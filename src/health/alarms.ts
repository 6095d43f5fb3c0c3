/** Which alarms are due: when a condition begins, while it lasts, and when it is over. Pure. */
import type { HealthMemory, Notice } from "./condition-file.ts";
import { FLICKER_MS, type KnownCondition } from "./conditions.ts";

interface AlarmRules {
  now: number;
  /** The channels that are configured: `webhook`, `email`. */
  channels: readonly string[];
  repeatAfterMs: number;
}

/** A receiver that is down for weeks must not fill the file; the oldest notices are dropped. */
const NOTICES_MAX = 200;

/** The list with the alarms of this moment added. Store it before anything of it is sent. */
export function planAlarms(memory: HealthMemory, rules: AlarmRules): Pick<HealthMemory, "conditions" | "notices"> {
  const planned = memory.conditions.map((condition) => planFor(condition, rules));
  const conditions = planned.map(({ condition }) => condition).filter((one) => !isOver(one, rules.now));
  const waiting = memory.notices.filter(({ channel }) => rules.channels.includes(channel));
  // A repetition says nothing new while an earlier notice about the same condition is still waiting.
  const isWaiting = ({ channel, condition: { id } }: Notice): boolean =>
    waiting.some((other) => other.channel === channel && other.condition.id === id);
  const added = planned
    .flatMap(({ notices }) => notices)
    .filter((notice) => notice.state !== "continues" || !isWaiting(notice));
  return { conditions, notices: [...waiting, ...added].slice(-NOTICES_MAX) };
}

function planFor(condition: KnownCondition, rules: AlarmRules): { condition: KnownCondition; notices: Notice[] } {
  const { now } = rules;
  // A channel that is not configured any more is told nothing, and must not keep the condition.
  const told: Record<string, number> = {};
  const notices: Notice[] = [];
  for (const channel of rules.channels) {
    const toldAt = condition.told[channel];
    const state = isAboutChannel(condition, channel) ? null : nextState(condition, toldAt, rules);
    if (state !== null) notices.push(createNotice(condition, channel, state, now));
    if (state === null && toldAt !== undefined) told[channel] = toldAt;
    if (state === "began" || state === "continues") told[channel] = now;
  }
  return { condition: { ...condition, told }, notices };
}

function isOver({ goneAt, told }: KnownCondition, now: number): boolean {
  return goneAt !== null && now - goneAt >= FLICKER_MS && Object.keys(told).length === 0;
}

function nextState(
  { seenAt, goneAt }: KnownCondition,
  toldAt: number | undefined,
  { now, repeatAfterMs }: AlarmRules,
): Notice["state"] | null {
  if (goneAt !== null) return toldAt !== undefined && now - goneAt >= FLICKER_MS ? "over" : null;
  if (toldAt === undefined) return now - seenAt >= FLICKER_MS ? "began" : null;
  return now - toldAt >= repeatAfterMs ? "continues" : null;
}

function createNotice(condition: KnownCondition, channel: string, state: Notice["state"], now: number): Notice {
  const { id, severity, subject, says, next, since } = condition;
  return {
    key: `${id}-${channel}-${state}-${now}`,
    channel,
    state,
    condition: { id, severity, subject, says, next, since },
    at: now,
    attempts: 0,
    dueAt: now,
  };
}

export function channelConditionId(channel: string) {
  return `alarm_undelivered:${channel}` as const;
}

/** A channel that cannot be reached cannot be told so. */
function isAboutChannel({ id }: KnownCondition, channel: string): boolean {
  return id === channelConditionId(channel);
}
