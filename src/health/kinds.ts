/**
 * Every kind of condition that there is. The id of a condition begins with its kind, so none can exist that is not listed
 * here: the page about operating repeats this list, and a test provokes each critical kind.
 */
import { backupRules } from "./backup-rules.ts";
import { certificateRules } from "./certificate-rules.ts";
import type { Rule } from "./rule.ts";
import { serverRules } from "./server-rules.ts";
import { templateRules } from "./template-rules.ts";
import { workspaceRules } from "./workspace-rules.ts";

/** What `find-connection.ts` finds, by rules of its own. */
const connectionRules = {
  number_restricted: { severity: "critical", check: "connection", of: "ID", when: "WhatsApp restricts a number" },
  callbacks_refused: {
    severity: "critical",
    check: "connection",
    of: "ID",
    when: "callbacks of the last day have a wrong signature, and none was accepted since; or Meta does not accept the app secret",
  },
  connection: {
    severity: "either",
    check: "connection",
    of: "KIND",
    when: "what is wrong with the connection to WhatsApp, or of one number (`connection:KIND:ID`): see below",
  },
} as const satisfies Record<string, Rule>;

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
