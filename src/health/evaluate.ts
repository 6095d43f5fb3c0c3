/** Finds the conditions of the server and of its workspaces, by their rules. */
import { type Condition, condition } from "./conditions.ts";
import { probeConnections } from "./connections.ts";
import type { HealthFacts } from "./facts.ts";
import { type ConditionId, conditionKinds } from "./kinds.ts";
import type { Found, Rule, WorkspaceSources } from "./rule.ts";

const rules: readonly (readonly [string, Rule])[] = Object.entries(conditionKinds);

/** What needs a person's attention in the server itself. Pure. */
export function evaluateHealth(facts: HealthFacts): Condition[] {
  return rules.flatMap(([kind, { evaluate }]) => [evaluate?.(facts) ?? []].flat().map((one) => conditionOf(kind, one)));
}

/** What needs a person's attention in the workspaces. */
export async function probeWorkspaces(sources: WorkspaceSources): Promise<Condition[]> {
  const [connections, ...others] = await Promise.all([
    probeConnections(sources),
    ...rules.map(async ([kind, { probe }]) => (await probe?.(sources))?.map((one) => conditionOf(kind, one)) ?? []),
  ]);
  return [...connections, ...others.flat()];
}

/** Kinds of which there may be several carry what they are about behind a colon. */
function conditionOf(kind: string, found: string | Found): Condition {
  if (typeof found === "string") return condition(kind as ConditionId, found);
  const { of, ...others } = found;
  return condition((of === undefined ? kind : `${kind}:${of}`) as ConditionId, others);
}
