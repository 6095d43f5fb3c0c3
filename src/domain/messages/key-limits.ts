/**
 * The limits of an API key in addition to its scopes: the contacts of one group alone, a number of people a day, and an
 * amount of money a day. Each is evaluated and counted in the transaction that stores the messages, so parallel requests never exceed it. What was
 * counted stays counted, whatever becomes of the message. Keys without limits run no statement here.
 */

import { formatMoney, type Micros } from "#src/core/money.ts";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findAccount } from "../billing/account.ts";
import { identityOf } from "../contacts/identity.ts";
import type { Contact } from "../contacts/table.ts";
import { compileMatch } from "../filters/compile.ts";
import { readGroupFilter } from "../filters/group-filter.ts";
import { isDynamic } from "../groups/group.ts";
import { findGroup } from "../groups/read.ts";
import { membership } from "../groups/statements.ts";
import type { KeyLimits } from "../workspaces/api-keys.ts";
import type { Workspace } from "../workspaces/table.ts";
import { addMoneyToDay, moneyOfDay } from "./counter-statements.ts";
import { countPeople, dayBudget } from "./key-budget.ts";

/** A key that has at least one limit. Null: no such limit. */
export interface LimitedKey {
  keyId: number;
  groupId: number | null;
  dailyPeople: number | null;
  dailyMoney: Micros | null;
}

/** Null: the key has no limit. */
export function limitedKey({ keyId, groupId, dailyPeople, dailyMoney }: LimitedKey): LimitedKey | null {
  return groupId === null && dailyPeople === null && dailyMoney === null
    ? null
    : { keyId, groupId, dailyPeople, dailyMoney };
}

/** Of a key that is created. Throws `invalid_request`: the group is not there, or nothing says what a message costs. */
export function requireUsableLimits(
  tx: ReadTx,
  { id: workspaceId }: Pick<Workspace, "id">,
  { groupId, dailyMoney }: Pick<KeyLimits, "groupId" | "dailyMoney">,
): void {
  if (groupId !== null && findGroup(tx, workspaceId, groupId) === undefined) {
    throw invalidRequest({ group: [{ rule: "not_found", sentence: `This workspace has no group ${groupId}.` }] });
  }
  if (dailyMoney !== null && (findAccount(tx, workspaceId)?.rate ?? 0) <= 0) {
    const sentence = "This workspace has no rate, so nothing says what a message costs. Set a rate, or limit people.";
    throw invalidRequest({ money: [{ rule: "conflict", sentence }] });
  }
}

/** Throws 403, as for a scope that is missing, unless the contact is in the key's group now. */
export function requireInGroup(
  tx: ReadTx,
  { groupId }: Pick<LimitedKey, "groupId">,
  workspace: Workspace,
  contact: Contact | null,
): void {
  if (groupId === null || (contact !== null && isInGroup(tx, workspace, groupId, contact))) return;
  throw outsideGroup(groupId, "to");
}

/** `field`: what the request names the people with. */
export function outsideGroup(groupId: number, field: "to" | "group"): Problem {
  const sentence = `This API key may message the contacts of group ${groupId} alone.`;
  return new Problem("api_not_enabled", sentence, { fault: { field, rule: "missing_scope", sentence } });
}

function isInGroup(tx: ReadTx, workspace: Workspace, groupId: number, { id: contactId }: Contact): boolean {
  const group = findGroup(tx, workspace.id, groupId);
  if (group === undefined) return false;
  if (!isDynamic(group)) return membership(tx).get({ groupId, contactId }) !== undefined;
  try {
    const filter = readGroupFilter(tx, workspace, group.filter);
    const context = { workspaceId: workspace.id, timezone: workspace.timezone, now: tx.now };
    const { sql, parameters } = compileMatch(filter, context, contactId);
    return tx.db.$client.prepare(sql).get(...parameters) !== undefined;
  } catch (error) {
    // The filter names what was removed since: it matches no contact.
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** A message that is sent now. Throws `rate_limited`, or what `requireInGroup` throws. */
export function countMessage(tx: Tx, key: LimitedKey, workspace: Workspace, contact: Contact, price: Micros): void {
  requireInGroup(tx, key, workspace, contact);
  const { dailyPeople } = key;
  if (dailyPeople !== null) {
    countPeople(tx, dayBudget(tx, { keyId: key.keyId, dailyPeople }, workspace, null), [identityOf(contact)]);
  }
  countMoney(tx, key, workspace, price, null);
}

/** `sendAt`: when the messages are sent; null: now. Throws `rate_limited`, and counts nothing then. */
export function countMoney(
  tx: Tx,
  { keyId, dailyMoney }: LimitedKey,
  workspace: Workspace,
  cost: Micros,
  sendAt: number | null,
): void {
  if (dailyMoney === null || cost === 0) return;
  const { day, endsAt } = dayBudget(tx, { keyId, dailyPeople: 0 }, workspace, sendAt);
  const used = moneyOfDay(tx).get({ keyId, day })?.money ?? 0;
  if (used + cost > dailyMoney) {
    const left = formatMoney(Math.max(0, dailyMoney - used));
    const sentence = `This API key may spend ${formatMoney(dailyMoney)} a day. ${left} is left ${sendAt === null ? "today" : `on ${day}`}, and this request costs ${formatMoney(cost)}.`;
    throw new Problem("rate_limited", sentence, {
      retryAfterMs: endsAt - tx.now,
      isRetryable: sendAt === null && cost <= dailyMoney,
    });
  }
  addMoneyToDay(tx).run({ keyId, day, money: cost });
}
