/**
 * A condition: one thing about the server that needs a person. One list of them is what `waxwing status`, the console's
 * Health, `/metrics` and alarms show. `updateConditions` keeps it from one evaluation to the next.
 */
import { type ConditionId, ruleOf } from "./kinds.ts";
import type { Check, Found } from "./rule.ts";

type Severity = "warning" | "critical";

export interface Condition {
  /** Stable while the condition lasts: `disk_full`, `number_not_ready:12`. */
  id: ConditionId;
  severity: Severity;
  /** What was checked: `disk`, `queue`, `backup` … */
  check: Check;
  /** What it is about, in words: `database`, `number +442079460100`. */
  subject: string;
  says: string;
  /** When it began, milliseconds; null: it is not recorded, so the first evaluation that finds it counts. */
  since: number | null;
  /** Who is affected; null if no one is yet. */
  hits: string | null;
  next: string;
  /** A command to copy; null if none helps. */
  command: string | null;
  /** Set for a condition of a workspace: its id, and the id of the number or broadcast. */
  workspaceId?: number;
  subjectId?: number;
}

/** What is not in `found` is that of its rule. A text is what it says. */
export function condition(id: ConditionId, found: string | Omit<Found, "of">): Condition {
  const { severity, check, subject = "", hits = null, next = "", command = null } = ruleOf(id);
  return {
    ...{ id, check, subject, since: null, hits, next, command },
    ...{ severity: severity === "either" ? "warning" : severity },
    ...(typeof found === "string" ? { says: found } : found),
  };
}

/** What only the process of the server knows; another process reads it from the stored list. */
export const processChecks: readonly Check[] = ["write", "file", "commit", "version", "alarm"];

export interface KnownCondition extends Condition {
  since: number;
  /** The first evaluation that found it, milliseconds. */
  seenAt: number;
  /** The first evaluation since which it is no longer found; null: it lasts. */
  goneAt: number | null;
  /** When each alarm channel was last told, milliseconds. */
  told: Readonly<Record<string, number>>;
}

/** A condition that comes back within this time is the same one. */
export const FLICKER_MS = 30_000;

/**
 * The list after an evaluation that found `found`. A check in `unknown` could not be evaluated: its conditions stay as
 * they are. Conditions that are gone stay, marked, until `isDropped`.
 */
export function updateConditions(
  known: readonly KnownCondition[],
  found: readonly Condition[],
  { now, unknown = [] }: { now: number; unknown?: readonly Check[] },
): KnownCondition[] {
  const before = new Map(known.map((one) => [one.id, one]));
  const ids = new Set(found.map(({ id }) => id));
  const lasting = found.map((condition): KnownCondition => {
    const old = before.get(condition.id);
    if (old === undefined) return { ...condition, since: condition.since ?? now, seenAt: now, goneAt: null, told: {} };
    return { ...condition, since: old.since, seenAt: old.seenAt, goneAt: null, told: old.told };
  });
  const gone = known
    .filter(({ id }) => !ids.has(id))
    .map((one) => (unknown.includes(one.check) ? one : { ...one, goneAt: one.goneAt ?? now }))
    // What no channel was told of needs no all-clear.
    .filter(({ goneAt, told }) => goneAt === null || Object.keys(told).length > 0 || now - goneAt < FLICKER_MS);
  return [...lasting, ...gone].toSorted(bySeverity);
}

/** Critical ones first, then the longest-standing. */
function bySeverity(one: KnownCondition, other: KnownCondition): number {
  if (one.severity !== other.severity) return one.severity === "critical" ? -1 : 1;
  return one.since - other.since;
}

export function lasts({ goneAt }: Pick<KnownCondition, "goneAt">): boolean {
  return goneAt === null;
}
