/** Evaluates what needs a person's attention in the workspaces: numbers, broadcasts, balances, callbacks. Pure. */
import type { Condition } from "./conditions.ts";
import type { WorkspaceState } from "./workspace-state.ts";

export function evaluateWorkspaces(state: WorkspaceState, at: number): Condition[] {
  return [
    ...state.refused.map(describeRefused(at)),
    ...state.numbers.map(describeNumber),
    ...state.paused.map(describeBroadcast),
    ...state.balances.map(describeBalance),
    ...state.services.map(describeService),
    ...state.suspended.map(describeSuspension),
  ];
}

function describeRefused(at: number) {
  return ({
    id,
    phone,
    count,
    since,
    lastAt,
    hasOwnSecret,
    workspaceId,
    workspace,
  }: WorkspaceState["refused"][number]) => {
    const minutes = Math.max(0, Math.round((at - lastAt) / 60_000));
    return {
      id: `callbacks_refused:${id}`,
      severity: "critical",
      check: "signature",
      subject: `number ${phone}`,
      says: `WhatsApp's callbacks arrive but their signature does not match the app secret of ${phone}: ${count} refused, the last ${minutes} minutes ago.`,
      since,
      hits: `${workspace}: received messages and statuses are not recorded.`,
      next: `Copy the app secret from Meta's dashboard (App settings, Basic) into ${
        hasOwnSecret ? "a file, then run the command." : "[whatsapp] app_secret, then restart the server."
      }`,
      command: hasOwnSecret ? `waxwing number update ${id} --app-secret-file FILE` : null,
      workspaceId,
      subjectId: id,
    } satisfies Condition;
  };
}

function describeNumber({
  id,
  phone,
  reason,
  isByPerson,
  restriction,
  workspaceId,
  workspace,
}: WorkspaceState["numbers"][number]): Condition {
  const about = { check: "number", subject: `number ${phone}`, since: null, workspaceId, subjectId: id } as const;
  if (restriction !== null) {
    return {
      ...about,
      id: `number_restricted:${id}`,
      severity: "critical",
      says: `WhatsApp restricts ${phone}: ${restriction}`,
      hits: `${workspace}: sends from this number may be rejected.`,
      next: "See in Meta's dashboard what the account is accused of, and ask there for a review.",
      command: `waxwing number show ${id}`,
    };
  }
  return {
    ...about,
    id: `number_not_ready:${id}`,
    severity: "critical",
    says: `${phone} can't send: ${reason}`,
    hits: `${workspace}: sends from this number are rejected and its broadcasts are paused.`,
    next: isByPerson
      ? "A user stopped sending from it. Set it to ready when the reason is resolved."
      : "Run the setup check: it says what the network requires.",
    command: isByPerson ? `waxwing number ready ${id}` : "waxwing doctor",
  };
}

function describeBroadcast({ id, name, reason, workspaceId, workspace }: WorkspaceState["paused"][number]): Condition {
  return {
    id: `broadcast_paused:${id}`,
    severity: "critical",
    check: "broadcast",
    subject: `broadcast ${id}`,
    says: `“${name}” is paused: ${reason}`,
    since: null,
    hits: `${workspace}: recipients who have not been sent the message yet.`,
    next: "Resume or cancel it. It does not resume automatically.",
    command: `waxwing broadcast show ${id}`,
    workspaceId,
    subjectId: id,
  };
}

function describeBalance({
  workspaceId,
  workspace,
  available,
  perDay,
  currency,
}: WorkspaceState["balances"][number]): Condition {
  const amount = (micros: number): string => `${(micros / 1e6).toFixed(2)} ${currency}`;
  return {
    id: `balance_low:${workspaceId}`,
    severity: "critical",
    check: "balance",
    subject: `workspace ${workspace}`,
    says: `The balance of ${workspace} is ${amount(available)}, less than it uses in a day (${amount(perDay)} on average of the last seven days).`,
    since: null,
    hits: `${workspace}: when the balance is used up, sends are rejected and broadcasts are paused.`,
    next: "Credit the workspace.",
    command: `waxwing workspace credit ${workspaceId} AMOUNT`,
    workspaceId,
  };
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
  return {
    id: `service_allowance:${id}`,
    severity: "warning",
    check: "number",
    subject: `number ${phone}`,
    says: `${phone} has sent ${count} of the ${allowance} service messages (replies) that Meta delivers free of charge in a month.`,
    since: null,
    hits: isUsedUp
      ? `${workspace}: Meta bills each further reply, and delivers none without a payment method.`
      : `${workspace}: Meta will bill replies beyond ${allowance}, and deliver none without a payment method.`,
    next: "Check in Meta's Business Manager that the WhatsApp account has a payment method.",
    command: `waxwing doctor --workspace ${workspaceId}`,
    workspaceId,
    subjectId: id,
  };
}

function describeSuspension({ id, name, at, reason }: WorkspaceState["suspended"][number]): Condition {
  return {
    id: `workspace_suspended:${id}`,
    severity: "warning",
    check: "workspace",
    subject: `workspace ${name}`,
    says: `${name} is suspended: ${reason}`,
    since: at,
    hits: `${name}: it can't send messages.`,
    next: "Resume it in Workspaces when the reason is resolved.",
    command: `waxwing workspace resume ${id}`,
    workspaceId: id,
  };
}
