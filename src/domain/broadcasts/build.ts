/**
 * Builds a broadcast's recipients in batches of bounded size: values are resolved and frozen, and recipients that
 * cannot be sent to are skipped with a reason. Progress is stored in the broadcast together with the rows, so that
 * building continues after an interruption without building anyone twice.
 */
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findAccount } from "../billing/account.ts";
import { listPeople } from "../contacts/details.ts";
import { addressOf, getContact, isAddressable, listLinkedContacts, nameOfAddress } from "../contacts/find.ts";
import { identityOf } from "../contacts/identity.ts";
import type { Contact } from "../contacts/table.ts";
import { compileIds, type Sql } from "../filters/compile.ts";
import { readGroupFilter } from "../filters/group-filter.ts";
import { isDynamic } from "../groups/group.ts";
import { listMemberIds } from "../groups/membership.ts";
import { findGroup } from "../groups/read.ts";
import { adjustCounters, getCounters } from "../messages/adjust-counters.ts";
import { holdCost, reprice } from "../messages/broadcast-cost.ts";
import {
  addDelta,
  type CounterDelta,
  computeDelta,
  effectiveState,
  type RecipientStatus,
  zeroDelta,
} from "../messages/broadcast-counters.ts";
import { BudgetUse, releaseReserved } from "../messages/key-budget.ts";
import { hasActiveRecipient } from "../messages/read.ts";
import type { FrozenValues } from "../messages/table.ts";
import { getKey } from "../workspaces/api-keys.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { birthdayConditions, celebrants } from "./birthday.ts";
import { finishBroadcast } from "./finish.ts";
import { recordProgress, trigger, update } from "./move.ts";
import { pauseBroadcast } from "./pause.ts";
import { getBroadcast } from "./read.ts";
import { addRecipient, freezeRecipient, listWaiting, skipRecipient } from "./recipients.ts";
import { describeSkip, type SkipCode } from "./skip.ts";
import type { Broadcast } from "./table.ts";
import { type Addressee, areFixed, resolveValues } from "./values.ts";

/** Most recipients of one write; this bounds how long other writers wait. */
export const BUILD_BATCH = 64;

type NextBatch =
  /** The list's own rows. */
  | { kind: "list" }
  | { kind: "members"; contactIds: number[] }
  /** Members of a dynamic group: a query for rows with `id`, to be run where it may take long. */
  | { kind: "search"; query: Sql }
  /** The group is gone, or its filter refers to something that is gone. */
  | { kind: "group_gone"; reason: string };

/** Where the next batch comes from. */
export function nextBatch(tx: ReadTx, broadcast: Broadcast, limit: number): NextBatch {
  if (broadcast.groupId === null) return { kind: "list" };
  const group = findGroup(tx, broadcast.workspaceId, broadcast.groupId);
  if (group === undefined) return { kind: "group_gone", reason: "its group was removed" };
  if (!isDynamic(group)) {
    return { kind: "members", contactIds: listMemberIds(tx, group.id, broadcast.builtAfterId, limit) };
  }
  const workspace = getWorkspace(tx, broadcast.workspaceId);
  try {
    const filter = readGroupFilter(tx, workspace, group.filter);
    const context = {
      workspaceId: workspace.id,
      timezone: workspace.timezone,
      now: broadcast.dayStartsAt ?? tx.now,
    };
    return { kind: "search", query: compileIds(filter, context, broadcast.builtAfterId, limit) };
  } catch {
    return { kind: "group_gone", reason: `the dynamic group ${group.name} refers to something that was removed` };
  }
}

/** Builds the next batch of the list: freezes the values. True: there may be more. */
export function buildList(tx: Tx, id: number): boolean {
  const broadcast = getBroadcast(tx, id);
  if (broadcast.status !== "queueing") return false;
  const batch = listWaiting(tx, id, "pending", broadcast.builtAfterId, BUILD_BATCH);
  const fixed = fixedValues(tx, broadcast);
  const count = countDelta(tx, broadcast);
  for (const row of batch) {
    if (fixed !== undefined) {
      freezeRecipient(tx, row.id, fixed);
      continue;
    }
    const contact = row.contactId === null ? null : getContact(tx, broadcast.workspaceId, row.contactId);
    const resolved = resolveValues(tx, broadcast.variables, contact);
    if ("values" in resolved) freezeRecipient(tx, row.id, resolved.values);
    else if (skipRecipient(tx, row.id, "missing_variable", describeSkip("missing_variable", resolved.missing))) {
      count.add("pending", "skipped");
    }
  }
  advance(tx, broadcast, batch.at(-1)?.id ?? null, count.delta);
  return batch.length === BUILD_BATCH;
}

/** Builds these members of the group, in the order of their ids. */
export function buildMembers(tx: Tx, id: number, contactIds: readonly number[], instanceId: string): void {
  const broadcast = getBroadcast(tx, id);
  if (broadcast.status !== "queueing") return;
  const workspace = getWorkspace(tx, broadcast.workspaceId);
  const fixed = fixedValues(tx, broadcast);
  const conditions = broadcast.dayStartsAt === null ? null : readBirthdays(tx, broadcast, workspace);
  const count = countDelta(tx, broadcast);
  const budget = budgetOf(tx, broadcast);
  for (const contactId of contactIds) {
    // The ids were read in an earlier transaction; members up to `builtAfterId` are already built.
    if (contactId <= broadcast.builtAfterId) continue;
    const contact = getContact(tx, workspace.id, contactId);
    if (!isAddressable(contact)) continue;
    const addressees: (Addressee | null)[] =
      conditions === null
        ? [null]
        : celebrants(
            conditions,
            contact,
            listPeople(tx, contactId),
            broadcast.dayStartsAt ?? tx.now,
            workspace.timezone,
          );
    for (const addressee of addressees) {
      count.add(null, addMember(tx, broadcast, contact, { addressee, fixed, instanceId, budget }));
    }
  }
  if (budget !== null) storeBudget(tx, broadcast, budget);
  advance(tx, broadcast, contactIds.at(-1) ?? null, count.delta);
}

/** Null: the broadcast was not created with a key that has a daily budget. */
function budgetOf(tx: Tx, { workspaceId, budgetKeyId, budgetDay, budgetReserved }: Broadcast): BudgetUse | null {
  if (budgetKeyId === null || budgetDay === null) return null;
  const { dailyPeople } = getKey(tx, workspaceId, budgetKeyId);
  return new BudgetUse(tx, { keyId: budgetKeyId, day: budgetDay, dailyPeople: dailyPeople ?? 0 }, budgetReserved);
}

function storeBudget(tx: Tx, broadcast: Broadcast, budget: BudgetUse): void {
  budget.store();
  update(tx, broadcast, { budgetReserved: budget.reserved });
}

/** All recipients are built: holds their cost and starts sending. */
export function finishBuilding(tx: Tx, id: number): void {
  const broadcast = getBroadcast(tx, id);
  if (broadcast.status !== "queueing") return;
  releaseReserved(tx, broadcast);
  const built = update(tx, broadcast, { isBuilt: true, budgetReserved: 0 });
  reprice(tx, id, findAccount(tx, broadcast.workspaceId) ?? null);
  if (!holdCost(tx, id)) {
    pauseBroadcast(tx, built, "balance", "the balance does not cover it");
    return;
  }
  const running = trigger(tx, built, "built");
  const { pending, sending } = getCounters(tx, id);
  if (running !== null && pending + sending === 0) finishBroadcast(tx, running, "completed", null);
}

interface MemberOptions {
  addressee: Addressee | null;
  fixed: FrozenValues | null | undefined;
  instanceId: string;
  budget: BudgetUse | null;
}

function addMember(
  tx: Tx,
  broadcast: Broadcast,
  contact: Contact,
  { addressee, fixed, instanceId, budget }: MemberOptions,
): "queued" | "skipped" {
  const to = nameOfAddress(addressOf(tx, contact));
  const skip = (code: SkipCode, detail: string | null = null): "skipped" => {
    const recipient = { contactId: contact.id, to, status: "skipped" as const, values: null };
    addRecipient(tx, broadcast, { ...recipient, skip: { code, reason: describeSkip(code, detail) } }, instanceId);
    return "skipped";
  };
  if (contact.consent === "opted_out") return skip("opted_out");
  if (contact.mayWantToStopSince !== null) return skip("may_want_to_stop");
  if (contact.consent !== "opted_in") return skip("no_opt_in");
  if (addressee === null && hasLinkedRecipient(tx, broadcast, contact)) return skip("duplicate");
  const resolved = fixed === undefined ? resolveValues(tx, broadcast.variables, contact, addressee) : { values: fixed };
  if ("missing" in resolved) return skip("missing_variable", resolved.missing);
  if (budget?.add(identityOf(contact)) === false) return skip("daily_cap", "of the API key");
  addRecipient(
    tx,
    broadcast,
    { contactId: contact.id, to, status: "queued", values: resolved.values, skip: null },
    instanceId,
  );
  return "queued";
}

/** Linked contacts are one person, who gets one message: on the first contact that can be sent to. */
function hasLinkedRecipient(tx: Tx, broadcast: Broadcast, contact: Contact): boolean {
  return listLinkedContacts(tx, contact).some(({ id }) => hasActiveRecipient(tx, broadcast.id, id));
}

/** Undefined if the values depend on the person. */
function fixedValues(tx: Tx, { variables }: Broadcast): FrozenValues | null | undefined {
  if (!areFixed(variables)) return undefined;
  const resolved = resolveValues(tx, variables, null);
  return "values" in resolved ? resolved.values : undefined;
}

function readBirthdays(tx: Tx, broadcast: Broadcast, workspace: Workspace) {
  const group = broadcast.groupId === null ? undefined : findGroup(tx, workspace.id, broadcast.groupId);
  return group === undefined ? [] : birthdayConditions(readGroupFilter(tx, workspace, group.filter));
}

/** Sums the counter deltas of a batch, so that the counters are written once. */
function countDelta(tx: Tx, broadcast: Broadcast) {
  const counters = getCounters(tx, broadcast.id);
  const delta = { ...zeroDelta };
  const stateOf = (status: RecipientStatus) =>
    effectiveState({ status, money: status === "skipped" ? "released" : "held" }, counters);
  return {
    delta,
    add(before: RecipientStatus | null, after: RecipientStatus): void {
      addDelta(delta, computeDelta(before === null ? null : stateOf(before), stateOf(after), counters.rate));
    },
  };
}

function advance(tx: Tx, broadcast: Broadcast, lastId: number | null, delta: CounterDelta): void {
  adjustCounters(tx, { broadcastId: broadcast.id, workspaceId: broadcast.workspaceId }, delta);
  if (lastId !== null) recordProgress(tx, broadcast, Math.max(lastId, broadcast.builtAfterId));
}
