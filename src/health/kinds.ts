/**
 * Every kind of condition that there is. The id of a condition begins with its kind, so none can exist that is not listed
 * here: the page about operating repeats this list, and a test provokes each critical kind.
 */
import { backupRules } from "./backup-rules.ts";
import { certificateRules } from "./certificate-rules.ts";
import { connectionRules } from "./connection-rules.ts";
import type { Rule } from "./rule.ts";
import { serverRules } from "./server-rules.ts";
import { workspaceRules } from "./workspace-rules.ts";

export const conditionKinds = {
  ...serverRules,
  ...backupRules,
  ...certificateRules,
  ...connectionRules,
  ...workspaceRules,
} as const;

type ConditionKind = keyof typeof conditionKinds;

type KindsWith<Part> = {
  [Name in ConditionKind]: (typeof conditionKinds)[Name] extends Part ? Name : never;
}[ConditionKind];

/** Kinds of which there may be several carry what they are about behind a colon. */
export type ConditionId =
  | Exclude<ConditionKind, KindsWith<{ of: string }>>
  | `${KindsWith<{ of: string }>}:${string | number}`;

/** The kinds that may be critical. */
export type CriticalKind = KindsWith<{ severity: "critical" | "either" }>;

export const criticalKinds = (Object.keys(conditionKinds) as ConditionKind[]).filter(
  (kind): kind is CriticalKind => conditionKinds[kind].severity !== "warning",
);

export function ruleOf(id: ConditionId): Rule {
  const [kind] = id.split(":");
  return conditionKinds[kind as ConditionKind];
}
