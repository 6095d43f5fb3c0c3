/**
 * The health of the network as one number meets it. Results on the network's side are counted across all broadcasts and
 * single messages of the number:
 *
 *     well ─ 5 consecutive ─► slow            one message at a time, with growing pauses
 *     slow ─ 10 more, or 5 minutes ─► down nothing is sent; a probe asks once a minute
 *     slow ─ a success ─► recovering
 *     down ─ two consecutive good probes, or a person ─► recovering     one message at a time
 *     recovering ─ 5 successes, or 10 minutes without a failure ─► well
 *     recovering ─ a failure ─► slow
 *
 * Answers and statuses are counted apart, because the network accepts messages that it fails later. A number that never
 * had trouble has no row.
 */
import { listRows, upsertRow } from "#src/db/rows.ts";
import { remembered } from "#src/db/settings-cache.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { healthOfNumber } from "./statements.ts";
import { type NetworkHealth, networkHealth } from "./table.ts";

/** The topic that notifies the code that probes. */
export const NETWORK_HEALTH = "network_health";

const SLOW_AFTER = 5;
const DOWN_AFTER_MORE = 10;
const DOWN_AFTER_MS = 5 * 60_000;
const GOOD_PROBES = 2;
export const PROBE_EVERY_MS = 60_000;
const SUCCESSES = 5;
const RECOVERING_MAX_MS = 10 * 60_000;
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MAX_MS = 60_000;

type NetworkResult =
  /** For an answer: accepted. For a status: delivered or read. */
  | { kind: "succeeded" }
  /** `dispatchedAt`: when the message was sent; null if another copy of this database sent it. */
  | { kind: "failed"; message: string; dispatchedAt: number | null };

type Source = "answer" | "status";

export const findNetworkHealth = remembered((tx, numberId: number): NetworkHealth | undefined =>
  healthOfNumber(tx).get({ numberId }),
);

/** Why nothing is sent, in the network's words; null while the number may send. */
export function downReason(health: NetworkHealth | undefined): string | null {
  return health?.state === "down" ? health.message : null;
}

/** Records one result. Returns whether the number went down by it. */
export function recordNetworkResult(tx: Tx, numberId: number, source: Source, result: NetworkResult): boolean {
  const before = findNetworkHealth(tx, numberId);
  if (before === undefined && result.kind === "succeeded") return false;
  const after = healthAfter(before ?? wellHealth(numberId), source, result, tx.now);
  if (after === null) return false;
  write(tx, after);
  return after.state === "down" && before?.state !== "down";
}

/** Whether successes can still change anything: lets callers skip them. */
export function hasNetworkTrouble(tx: ReadTx, numberId: number): boolean {
  const health = findNetworkHealth(tx, numberId);
  return health !== undefined && (health.state !== "well" || health.answerFailures + health.statusFailures > 0);
}

/** Null: nothing changes. */
function healthAfter(health: NetworkHealth, source: Source, result: NetworkResult, now: number): NetworkHealth | null {
  const count = source === "answer" ? "answerFailures" : "statusFailures";
  if (result.kind === "succeeded") return afterSuccess(health, source, count, now);
  const { message, dispatchedAt } = result;
  switch (health.state) {
    case "down":
      return null;
    case "well": {
      // Sent before the last recovery: it tells of the trouble that is over.
      if (isBefore(dispatchedAt, health.recoveredAt)) return null;
      const failures = health[count] + 1;
      const counted = { ...health, [count]: failures, message };
      return failures < SLOW_AFTER ? counted : { ...counted, state: "slow", source, changedAt: now };
    }
    case "recovering":
      if (isBefore(dispatchedAt, health.changedAt)) return null;
      return { ...health, state: "slow", source, changedAt: now, [count]: SLOW_AFTER, message, successes: 0 };
    case "slow": {
      const isOver = now - health.changedAt >= DOWN_AFTER_MS;
      // Ignore requests sent before the slowdown.
      if (isBefore(dispatchedAt, health.changedAt + 1) && !isOver) return null;
      const failures = health[count] + 1;
      const counted = { ...health, [count]: failures, message };
      const isDown = isOver || failures >= SLOW_AFTER + DOWN_AFTER_MORE;
      return isDown ? { ...counted, state: "down", source, changedAt: now, goodProbes: 0, probedAt: null } : counted;
    }
  }
}

function afterSuccess(
  health: NetworkHealth,
  source: Source,
  count: "answerFailures" | "statusFailures",
  now: number,
): NetworkHealth | null {
  const reset = { ...health, [count]: 0 };
  switch (health.state) {
    case "well":
      return health[count] === 0 ? null : reset;
    case "down":
      return null;
    case "slow":
      // An accepted message says nothing about one that fails later.
      if (source !== health.source) return null;
      return { ...reset, state: "recovering", changedAt: now, recoveredAt: now, successes: 0 };
    case "recovering": {
      const successes = health.successes + (source === health.source ? 1 : 0);
      if (successes < SUCCESSES && now - health.changedAt < RECOVERING_MAX_MS) {
        return successes === health.successes ? null : { ...reset, successes };
      }
      return { ...wellHealth(health.numberId), recoveredAt: health.changedAt };
    }
  }
}

function isBefore(dispatchedAt: number | null, moment: number | null): boolean {
  return moment !== null && (dispatchedAt ?? 0) < moment;
}

/** Whether only one message may be in flight. */
export function isOneAtATime(health: NetworkHealth | undefined): boolean {
  return health?.state === "slow" || health?.state === "recovering";
}

/** How long to wait after the last result before the next message. */
export function pauseMs(health: NetworkHealth | undefined): number {
  if (health?.state === "recovering") return FIRST_PAUSE_MS;
  if (health?.state !== "slow") return 0;
  const failures = Math.max(health.answerFailures, health.statusFailures) - SLOW_AFTER;
  return Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, failures));
}

/** Numbers that are down. Only numbers that had trouble have a row. */
export function listDown(tx: ReadTx): NetworkHealth[] {
  return listRows(tx, networkHealth, { state: "down" });
}

/** When the next probe is due; a probe in the future means that the clock was set back. */
export function probeDueAt({ probedAt, changedAt }: NetworkHealth, now: number): number {
  const last = probedAt ?? changedAt;
  return last > now ? now : last + PROBE_EVERY_MS;
}

export function recordProbe(tx: Tx, numberId: number, isGood: boolean): void {
  const health = findNetworkHealth(tx, numberId);
  if (health?.state !== "down") return;
  const goodProbes = isGood ? health.goodProbes + 1 : 0;
  if (goodProbes < GOOD_PROBES) write(tx, { ...health, goodProbes, probedAt: tx.now });
  else startRecovery(tx, health);
}

/** A person has looked at it: send again, one message at a time. */
export function overrideNetworkHealth(tx: Tx, numberId: number): void {
  const health = findNetworkHealth(tx, numberId);
  if (health?.state === "down" || health?.state === "slow") startRecovery(tx, health);
}

function startRecovery(tx: Tx, health: NetworkHealth): void {
  write(tx, {
    ...wellHealth(health.numberId),
    state: "recovering",
    source: health.source,
    message: health.message,
    changedAt: tx.now,
    recoveredAt: tx.now,
  });
}

function wellHealth(numberId: number): NetworkHealth {
  return {
    numberId,
    state: "well",
    source: "answer",
    answerFailures: 0,
    statusFailures: 0,
    message: "",
    changedAt: 0,
    recoveredAt: null,
    successes: 0,
    goodProbes: 0,
    probedAt: null,
  };
}

function write(tx: Tx, health: NetworkHealth): void {
  upsertRow(tx, networkHealth, ["numberId"], health);
  tx.notify(NETWORK_HEALTH);
}
