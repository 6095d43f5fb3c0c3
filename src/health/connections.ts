/** Finds what is wrong with the connections to WhatsApp, for the list of conditions. */
import { countKept } from "#src/domain/inbound/callback-list.ts";
import { wasVerified } from "#src/domain/numbers/callback-verification.ts";
import type { Condition } from "./conditions.ts";
import { findIssues } from "./connection-issues.ts";
import { conditionOf, type Issue } from "./issue.ts";
import { readIssueInputs, type StoredInput } from "./issue-input.ts";
import type { WorkspaceSources } from "./rule.ts";
import { addressIssues, keptIssues } from "./server-issues.ts";

/** The list is stored in a place of a fixed size; further conditions appear once these are resolved. */
const CONNECTIONS_MAX = 50;

/** What is not of one number, such as the way to the network, is one condition. */
export async function probeConnections(sources: WorkspaceSources): Promise<Condition[]> {
  const connections = await readIssueInputs(sources);
  const ofNumbers = connections.flatMap((input) => {
    const { number, workspaceId, workspace } = input;
    return findIssues(input).map((issue) => conditionOf(issue, { ...number, workspaceId, workspace }));
  });
  const ofServer = serverIssues(sources, connections).map((issue) => conditionOf(issue, null));
  const byId = new Map([...ofServer, ...ofNumbers].map((one) => [one.id, one]));
  return [...byId.values()].toSorted(bySeverity).slice(0, CONNECTIONS_MAX);
}

function bySeverity(one: Condition, other: Condition): number {
  return Number(one.severity !== "critical") - Number(other.severity !== "critical");
}

/** What is wrong with the server's own address matters to numbers on WhatsApp only. */
function serverIssues({ store, settings }: WorkspaceSources, connections: readonly StoredInput[]): Issue[] {
  const kept = keptIssues(store.read(countKept));
  if (connections.length === 0) return kept;
  const isVerified = connections.some(({ number }) => number.provider === "graph");
  return [...addressIssues({ ...settings, isVerified, wasVerified: store.read(wasVerified) }), ...kept];
}
