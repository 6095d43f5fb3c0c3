/** What is wrong with the connections to WhatsApp, as conditions. */
import type { ForeignText } from "#src/core/foreign-text.ts";
import { countKept } from "#src/domain/inbound/callback-list.ts";
import { wasVerified } from "#src/domain/numbers/callback-verification.ts";
import { addressRules, findKept } from "./address-rules.ts";
import type { Condition } from "./conditions.ts";
import { readConnectionInputs, type StoredInput } from "./connection-input.ts";
import { type Finding, findFirst } from "./connection-rule.ts";
import { findConnection } from "./find-connection.ts";
import type { Check, WorkspaceSources } from "./rule.ts";

/** The list is stored in a place of a fixed size; further conditions appear once these are resolved. */
const CONNECTIONS_MAX = 50;

/** What is not of one number, such as the way to the network, is one condition. */
export async function probeConnections(sources: WorkspaceSources): Promise<Condition[]> {
  const connections = await readConnectionInputs(sources);
  const ofNumbers = connections.flatMap((input) => {
    const { number, workspaceId, workspace } = input;
    return findConnection(input).map((finding) => conditionOf(finding, { ...number, workspaceId, workspace }));
  });
  const ofServer = findOfServer(sources, connections).map((finding) => conditionOf(finding, null));
  const byId = new Map([...ofServer, ...ofNumbers].map((one) => [one.id, one]));
  return [...byId.values()].toSorted(bySeverity).slice(0, CONNECTIONS_MAX);
}

function bySeverity(one: Condition, other: Condition): number {
  return Number(one.severity !== "critical") - Number(other.severity !== "critical");
}

/** What is wrong with the server's own address matters to numbers on WhatsApp only. */
function findOfServer({ store, settings }: WorkspaceSources, connections: readonly StoredInput[]): Finding[] {
  const kept = findKept(store.read(countKept));
  if (connections.length === 0) return kept;
  const isVerified = connections.some(({ number }) => number.provider === "graph");
  return [...findFirst(addressRules, { ...settings, isVerified, wasVerified: store.read(wasVerified) }), ...kept];
}

export interface ConnectionSubject {
  id: number;
  phone: string;
  ready: boolean;
  workspaceId: number;
  workspace: ForeignText;
}

const HITS = {
  sending: "sends from this number are rejected and its broadcasts are paused.",
  receiving: "received messages and statuses are not recorded.",
} as const;

/** Conditions that have had these names for longer than rules of connections. */
const CONDITION_IDS: Readonly<Record<string, "callbacks_refused" | "number_restricted">> = {
  app_secret_wrong: "callbacks_refused",
  restricted: "number_restricted",
};

/** `about`: the number; null for a finding that is not of one. */
export function conditionOf(finding: Finding, about: ConnectionSubject | null): Condition {
  const { kind = "", says, command = null, hits = null, isShared = false, isCritical = false } = finding;
  const isStopped = hits === "sending" && about?.ready === false;
  const base = {
    severity: isStopped || isCritical ? "critical" : "warning",
    check: "connection" satisfies Check,
    ...{ says, since: null, next: finding.next ?? "", command },
  } as const;
  if (isShared || about === null) {
    const affects = hits === null ? null : `Everyone: ${HITS[hits]}`;
    return { ...base, id: `connection:${kind}`, subject: "connection to WhatsApp", hits: affects };
  }
  const known = CONDITION_IDS[kind] ?? (isStopped ? "number_not_ready" : null);
  return {
    ...base,
    id: known === null ? `connection:${kind}:${about.id}` : `${known}:${about.id}`,
    subject: `number ${about.phone}`,
    hits: hits === null || (hits === "sending" && about.ready) ? null : `${about.workspace}: ${HITS[hits]}`,
    workspaceId: about.workspaceId,
    subjectId: about.id,
  };
}
