/**
 * Every kind of condition that there is. The id of a condition begins with its kind, so none can exist that is not listed
 * here: the page about operating repeats this list, and a test provokes each critical kind.
 */
import { backupRules } from "./backup-rules.ts";
import { certificateRules } from "./certificate-rules.ts";
import { connectionRules } from "./connection-rules.ts";
import type { Rule } from "./rule.ts";
import { serverRules } from "./server-rules.ts";
import { templateRules } from "./template-rules.ts";
import { workspaceRules } from "./workspace-rules.ts";

export const conditionKinds = {
  ...serverRules,
  ...backupRules,
  ...certificateRules,
  ...connectionRules,
  ...workspaceRules,
  ...templateRules,
} as const;

type ConditionKind = keyof typeof conditionKinds;

/** Kinds of which there may be several carry what they are about behind a colon. */
type SeveralKind = {
  [Name in ConditionKind]: (typeof conditionKinds)[Name] extends { of: string } ? Name : never;
}[ConditionKind];

export type ConditionId = Exclude<ConditionKind, SeveralKind> | `${SeveralKind}:${string | number}`;

export function ruleOf(id: ConditionId): Rule {
  const [kind] = id.split(":");
  return conditionKinds[kind as ConditionKind];
}
