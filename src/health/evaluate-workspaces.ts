/** Evaluates what needs a person's attention in the workspaces: numbers, broadcasts, balances, callbacks. Pure. */
import { type Condition, condition } from "./conditions.ts";
import { findIssues } from "./connection-issues.ts";
import { conditionOf } from "./issue.ts";
import type { WorkspaceState } from "./workspace-state.ts";

/** The list is stored in a place of a fixed size; further conditions appear once these are resolved. */
const CONNECTIONS_MAX = 50;

export function evaluateWorkspaces(state: WorkspaceState): Condition[] {
  return [
    ...describeConnections(state),
    ...state.numbers.map(describeNumber),
    ...state.paused.map(describeBroadcast),
    ...byNumber(state.unlisted).map(describeUnlisted),
    ...state.balances.map(describeBalance),
    ...state.services.map(describeService),
    ...state.suspended.map(describeSuspension),
  ];
}

/** What is not of one number, such as the way to the network, is one condition. */
function describeConnections({ connections, server }: WorkspaceState): Condition[] {
  const all = connections.flatMap((input) => {
    const { number, workspaceId, workspace } = input;
    return findIssues(input).map((issue) => conditionOf(issue, { ...number, workspaceId, workspace }));
  });
  const byId = new Map([...server.map((issue) => conditionOf(issue, null)), ...all].map((one) => [one.id, one]));
  return [...byId.values()].toSorted(bySeverity).slice(0, CONNECTIONS_MAX);
}

function bySeverity(one: Condition, other: Condition): number {
  return Number(one.severity !== "critical") - Number(other.severity !== "critical");
}

function describeNumber({
  id,
  phone,
  reason,
  isByPerson,
  workspaceId,
  workspace,
}: WorkspaceState["numbers"][number]): Condition {
  return condition(`number_not_ready:${id}`, {
    subject: `number ${phone}`,
    workspaceId,
    subjectId: id,
    says: `${phone} can't send: ${reason}`,
    hits: `${workspace}: sends from this number are rejected and its broadcasts are paused.`,
    next: isByPerson
      ? "A user stopped sending from it. Set it to ready when the reason is resolved."
      : "Run the setup check: it says what the network requires.",
    command: isByPerson ? `waxwing number ready ${id}` : "waxwing doctor",
  });
}

function describeBroadcast({ id, name, reason, workspaceId, workspace }: WorkspaceState["paused"][number]): Condition {
  return condition(`broadcast_paused:${id}`, {
    subject: `broadcast ${id}`,
    says: `${name} is paused: ${reason}`,
    hits: `${workspace}: recipients who have not been sent the message yet.`,
    next: "Resume or cancel it. It does not resume automatically.",
    command: `waxwing broadcast show ${id}`,
    workspaceId,
    subjectId: id,
  });
}

/** One condition a number; templates first, because broadcasts wait for a person. */
function byNumber(unlisted: WorkspaceState["unlisted"]): WorkspaceState["unlisted"] {
  const templatesFirst = unlisted.toSorted((one, other) => (other.kind > one.kind ? 1 : -1));
  return [...new Map(templatesFirst.toReversed().map((one) => [one.id, one])).values()];
}

function describeUnlisted({
  id,
  phone,
  kind,
  code,
  says,
  since,
  workspaceId,
  workspace,
}: WorkspaceState["unlisted"][number]): Condition {
  const what = kind === "template" ? "templates" : "free messages";
  return condition(`unlisted_refusals:${id}`, {
    subject: `number ${phone}`,
    says: `WhatsApp refused ${what} of ${phone} to ten consecutive people with error ${code}, which this version does not know: ${says}`,
    since,
    hits:
      kind === "template"
        ? `${workspace}: broadcasts from this number are paused. Single messages are still sent.`
        : `${workspace}: replies from this number are likely to be refused. Templates are not affected.`,
    next: "Read what WhatsApp says, and look the code up in Meta's list. A message that is accepted ends this entry, and so does resuming a broadcast.",
    command: `waxwing doctor --workspace ${workspaceId}`,
    workspaceId,
    subjectId: id,
  });
}

function describeBalance({
  workspaceId,
  workspace,
  available,
  perDay,
  currency,
}: WorkspaceState["balances"][number]): Condition {
  const amount = (micros: number): string => `${(micros / 1e6).toFixed(2)} ${currency}`;
  return condition(`balance_low:${workspaceId}`, {
    subject: `workspace ${workspace}`,
    says: `The balance of ${workspace} is ${amount(available)}, less than it uses in a day (${amount(perDay)} on average of the last seven days).`,
    hits: `${workspace}: when the balance is used up, sends are rejected and broadcasts are paused.`,
    next: "Credit the workspace.",
    command: `waxwing workspace credit ${workspaceId} AMOUNT`,
    workspaceId,
  });
}

function describeService({
  id,
  phone,
  count,
  allowance,
  workspaceId,
  workspace,
}: WorkspaceState["services"][number]): Condition {
  const isUsedUp = count >= allowance;
  return condition(`service_allowance:${id}`, {
    subject: `number ${phone}`,
    says: `${phone} has sent ${count} of the ${allowance} service messages (replies) that Meta delivers free of charge in a month.`,
    hits: isUsedUp
      ? `${workspace}: Meta bills each further reply, and delivers none without a payment method.`
      : `${workspace}: Meta will bill replies beyond ${allowance}, and deliver none without a payment method.`,
    next: "Check in Meta's Business Manager that the WhatsApp account has a payment method.",
    command: `waxwing doctor --workspace ${workspaceId}`,
    workspaceId,
    subjectId: id,
  });
}

function describeSuspension({ id, name, at, reason }: WorkspaceState["suspended"][number]): Condition {
  return condition(`workspace_suspended:${id}`, {
    subject: `workspace ${name}`,
    says: `${name} is suspended: ${reason}`,
    since: at,
    hits: `${name}: it can't send messages.`,
    next: "Resume it in Workspaces when the reason is resolved.",
    command: `waxwing workspace resume ${id}`,
    workspaceId: id,
  });
}
