/**
 * Sends a broadcast, for the API and the console: stores the broadcast, the recipients of its list, their consent and the hold in one transaction.
 * Nothing is sent before the commit; building and sending follow on their own. A broadcast that has not started is changed in the
 * same way, under its id.
 */

import type { Micros } from "#src/core/money.ts";
import { Problem } from "#src/core/problem.ts";
import { insertRow, updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { reschedule } from "#src/jobs/enqueue.ts";
import { available } from "../billing/account.ts";
import type { BillingAccount } from "../billing/table.ts";
import { changeConsent } from "../contacts/change-consent.ts";
import { createPerson } from "../contacts/create.ts";
import { nameOfAddress } from "../contacts/find.ts";
import { identityOf } from "../contacts/identity.ts";
import { createCounters, holdCost, holdUpFront } from "../messages/broadcast-cost.ts";
import { type BudgetedKey, countPeople, dayBudget, reservePeople } from "../messages/key-budget.ts";
import { countMoney, type LimitedKey, outsideGroup, requireInGroup } from "../messages/key-limits.ts";
import { portfolioOf } from "../numbers/user-id-scope.ts";
import type { Repeats } from "./again.ts";
import { dayOf } from "./birthday.ts";
import { BROADCASTS } from "./broadcast.ts";
import { publishBroadcast, trigger } from "./move.ts";
import { type BroadcastInput, type BroadcastPlan, planBroadcast } from "./plan.ts";
import { addRecipient } from "./recipients.ts";
import { type ResolvedRecipient, resolveList } from "./resolve-list.ts";
import { describeSkip } from "./skip.ts";
import { type Broadcast, type BroadcastParts, broadcasts } from "./table.ts";
import { keepUploads } from "./uploads.ts";

interface BroadcastRequest {
  workspaceId: number;
  input: BroadcastInput;
  instanceId: string;
  /**
   * How many members of the group have opted in, counted just before; required if a group's cost is held at once, or if
   * the key has a budget.
   */
  audienceSize: number | null;
  /** The API key, if it has limits in addition to its scopes. */
  limitedKey?: LimitedKey | null;
  /** The evidence for the consents that are recorded. */
  evidence: Record<string, unknown>;
  /** What it repeats, for those who failed. Absent: nothing. */
  again?: Repeats;
  /** The broadcast that becomes this one; `change.ts` has emptied it. Absent: a new one. */
  changes?: Broadcast;
}

interface AcceptedBroadcast {
  broadcast: Broadcast;
  plan: BroadcastPlan;
  /** The skipped recipients of the list, in its order. */
  skipped: ResolvedRecipient[];
}

/** Throws the `Problem` that blocks the broadcast; nothing is stored then. */
export function sendBroadcast(tx: Tx, request: BroadcastRequest): AcceptedBroadcast {
  const { workspaceId, input } = request;
  const plan = planBroadcast(tx, workspaceId, input);
  const { workspace, account, group, sendAt } = plan;
  const people =
    "to" in input.audience
      ? resolveList(tx, input.audience.to, {
          workspace,
          variables: plan.variables,
          address: plan,
          isCapChecked: sendAt === null,
          again: request.again,
        })
      : [];
  const skipped = people.filter(({ skip }) => skip !== null);
  const pending = people.length - skipped.length;

  requireWithin(tx, request.limitedKey ?? null, plan, people);
  const broadcast = storeBroadcast(tx, plan, request, people.length);
  const identityIds = people.flatMap((resolved) => addResolved(tx, plan, broadcast, resolved, request));
  keepUploads(tx, broadcast);
  createCounters(tx, {
    broadcastId: broadcast.id,
    workspaceId,
    pending,
    skipped: skipped.length,
    isCharged: account !== null,
    rate: account?.rate ?? 0,
  });
  if (sendAt === null && account !== null) {
    const isCovered =
      group === null
        ? holdCost(tx, broadcast.id)
        : holdUpFront(tx, broadcast.id, account.rate * requireCounted(request.audienceSize));
    if (!isCovered)
      throw notCovered(account, account.rate * (group === null ? pending : requireCounted(request.audienceSize)));
  }
  countUse(tx, request, plan, broadcast, identityIds);
  tx.notify(BROADCASTS);
  if (request.changes !== undefined) publishBroadcast(tx, broadcast, "broadcast.resumed");
  // One that is changed may have been due earlier.
  if (sendAt !== null)
    reschedule(tx, { kind: "start_broadcast", subject: broadcast.id, queueKey: workspaceId, dueAt: sendAt });
  return { broadcast, plan, skipped };
}

/** Throws 403: a person whom the broadcast would reach is not in the key's group, or it names a group that the key may not use. */
function requireWithin(
  tx: Tx,
  key: LimitedKey | null,
  { workspace, group }: BroadcastPlan,
  people: readonly ResolvedRecipient[],
): void {
  if (key === null) return;
  if (group !== null && key.groupId !== null && group.group.id !== key.groupId)
    throw outsideGroup(key.groupId, "group");
  if (group !== null && key.dailyMoney !== null) {
    const sentence =
      "This API key has a daily amount, so it sends broadcasts to `to`: what a group costs is known only later.";
    throw new Problem("api_not_enabled", sentence, { fault: { field: "group", rule: "missing_scope", sentence } });
  }
  for (const { skip, contactLookup } of people) {
    if (skip === null) requireInGroup(tx, key, workspace, contactLookup?.contact ?? null);
  }
}

/** Throws `rate_limited` if the key may not send so much on that day. Each person of a list costs one message. */
function countUse(
  tx: Tx,
  request: BroadcastRequest,
  plan: BroadcastPlan,
  broadcast: Broadcast,
  identityIds: readonly number[],
): void {
  const { limitedKey } = request;
  if (limitedKey == null) return;
  const { keyId, dailyPeople } = limitedKey;
  if (dailyPeople !== null) countInBudget(tx, { keyId, dailyPeople }, request, plan, broadcast, identityIds);
  countMoney(tx, limitedKey, plan.workspace, identityIds.length * (plan.account?.rate ?? 0), plan.sendAt);
}

/** Throws `rate_limited` if the key may not message as many people on that day. */
function countInBudget(
  tx: Tx,
  key: BudgetedKey,
  { audienceSize }: BroadcastRequest,
  { workspace, group, sendAt }: BroadcastPlan,
  { id }: Broadcast,
  identityIds: readonly number[],
): void {
  const budget = dayBudget(tx, key, workspace, sendAt);
  if (group === null) {
    countPeople(tx, budget, identityIds);
    return;
  }
  const budgetReserved = requireCounted(audienceSize);
  reservePeople(tx, budget, budgetReserved);
  updateRows(tx, broadcasts, { id }, { budgetKeyId: budget.keyId, budgetDay: budget.day, budgetReserved });
}

function notCovered(account: BillingAccount, needed: Micros): Problem {
  return new Problem("insufficient_balance", "The balance does not cover the cost of this broadcast.", {
    needed,
    available: available(account),
  });
}

function requireCounted(audienceSize: number | null): number {
  if (audienceSize === null) throw new Error("a group whose cost is held at once must be counted first");
  return audienceSize;
}

function storeBroadcast(
  tx: Tx,
  plan: BroadcastPlan,
  { input, again, changes }: BroadcastRequest,
  requested: number,
): Broadcast {
  const { workspace, sender, template, group, sendAt } = plan;
  const day = group?.isAboutBirthdays === true ? dayOf(sendAt ?? tx.now, workspace.timezone) : null;
  const values = {
    workspaceId: workspace.id,
    numberId: sender.id,
    name: input.name,
    status: sendAt === null ? ("queueing" as const) : ("scheduled" as const),
    templateName: template.name,
    templateLanguage: template.language,
    templateCategory: template.category,
    templateFormat: template.parameterFormat,
    templateComponents: template.components,
    templateOrder: template.parameterOrder,
    variables: plan.variables,
    mediaLink: plan.media?.link ?? null,
    mediaFilename: plan.media?.filename ?? null,
    parts: partsOf(plan),
    fromPhone: sender.phone,
    groupId: group?.group.id ?? null,
    dayStartsAt: day?.startsAt ?? null,
    dayEndsAt: day?.endsAt ?? null,
    requested,
    againOf: again?.againOf ?? null,
    isAgainUnknown: again?.isAgainUnknown ?? false,
    sendAt,
    dueSince: sendAt ?? tx.now,
    isBuilt: false,
    builtAfterId: 0,
    isFailingUnsent: false,
    isUnsentSkipped: false,
    createdAt: changes?.createdAt ?? tx.now,
    startedAt: sendAt === null ? tx.now : null,
  };
  if (changes === undefined) return insertRow(tx, broadcasts, values);
  return trigger(tx, changes, "change", values) ?? raise(changes);
}

function raise({ id, status }: Broadcast): never {
  throw new Error(`broadcast ${id} is ${status} and cannot be changed`);
}

function partsOf({ media, parts }: BroadcastPlan): BroadcastParts | null {
  const upload = media?.upload;
  const all = { ...parts, ...(upload === undefined ? {} : { upload }) };
  return Object.keys(all).length === 0 ? null : all;
}

/**
 * Records an opt-in for everyone who has not opted out, including recipients that are skipped for another reason. Returns
 * whom the broadcast will reach.
 */
function addResolved(
  tx: Tx,
  { workspace, sender }: BroadcastPlan,
  broadcast: Broadcast,
  { input, contactLookup, skip }: ResolvedRecipient,
  { instanceId, evidence }: BroadcastRequest,
): number[] {
  const consentEvidence = { source: "api" as const, evidence: { ...evidence, broadcast: broadcast.id } };
  let contact = contactLookup?.contact ?? null;
  if (contactLookup !== null && skip?.reason !== "duplicate") {
    if (contactLookup.contact === null) {
      const networkPortfolio = portfolioOf(tx, sender);
      contact = createPerson(tx, workspace.id, contactLookup, { optIn: consentEvidence, networkPortfolio });
    } else if (contactLookup.contact.consent === "unknown") {
      changeConsent(tx, workspace, contactLookup.contact, { kind: "opt_in" }, consentEvidence);
    }
  }
  const recipient = {
    contactId: contact?.id ?? null,
    to: contactLookup === null ? input : nameOfAddress(contactLookup),
    values: null,
    status: skip === null ? ("pending" as const) : ("skipped" as const),
    skip: skip === null ? null : { code: skip.reason, reason: describeSkip(skip.reason, skip.detail) },
  };
  addRecipient(tx, broadcast, recipient, instanceId);
  return skip === null && contact !== null ? [identityOf(contact)] : [];
}
