/**
 * Applies one item of a callback to the number or account that it names, provided that the secret which signed the body
 * belongs to it. An account update that is older than our last comparison is recorded at its own time, changes nothing
 * else, and schedules another comparison.
 */

import type { Tx } from "#src/db/transaction.ts";
import { applyCall } from "#src/domain/inbound/call.ts";
import { changeNumber } from "#src/domain/inbound/change-number.ts";
import { applyControlPass } from "#src/domain/inbound/control-pass.ts";
import { recordHistoryProgress } from "#src/domain/inbound/history-import.ts";
import { applyPreference } from "#src/domain/inbound/marketing-preference.ts";
import { applyPhoneContact } from "#src/domain/inbound/phone-contact.ts";
import { receive } from "#src/domain/inbound/receive.ts";
import { applyStatusToEcho, recordEcho } from "#src/domain/inbound/record-echo.ts";
import type { Callback as Stored } from "#src/domain/inbound/table.ts";
import { NOT_OURS, type Unused } from "#src/domain/inbound/unused-items.ts";
import { applyStatus } from "#src/domain/messages/apply-status.ts";
import type { CounterDeltas } from "#src/domain/messages/counter-deltas.ts";
import { effectOf } from "#src/domain/messages/error-codes.ts";
import type { StatusItem } from "#src/domain/messages/status-item.ts";
import { type AccountUpdate, findSync, scheduleSync } from "#src/domain/numbers/account-sync.ts";
import { addNotice, dropNotices } from "#src/domain/numbers/connection.ts";
import { applyUpdate, findState } from "#src/domain/numbers/network-state.ts";
import { findByPhoneNumberId, listOfAccount } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { applyTemplateUpdate, type TemplateStatusUpdate, type TemplateUpdate } from "#src/domain/templates/sync.ts";
import type { CallbackItem } from "#src/networks/network.ts";

export interface ItemResult {
  /** Why the item had no effect; null: it was applied. */
  unused: Unused | null;
  /** The message that changed. */
  messageId: number | null;
  /** The item names an erased contact, so the body must be deleted. */
  isContactErased?: boolean;
}

/** The callback without its body: the network that sent it, and the secret that signed it. */
export type Callback = Omit<Stored, "body">;

type Applicable = Exclude<CallbackItem, { kind: "broken" | "ignored" | "unhandled" }>;

/** Account updates often arrive together: one comparison serves all of them. */
const SYNC_SOON_MS = 5_000;
/** Allows for the difference between the network's clock and ours, and for the duration of a comparison. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** Shared by the items of one write. */
export interface BatchContext {
  instanceId: string;
  deltas: CounterDeltas;
}

export function applyItem(tx: Tx, callback: Callback, given: Applicable, context: BatchContext): ItemResult {
  const item = notLater(given, tx.now);
  // An item that is not a status may read or write the counters.
  if (item.kind !== "status") context.deltas.flush();
  if (item.kind === "template" || item.kind === "template_update" || item.kind === "account_update") {
    return applyAccountItem(tx, callback, item);
  }
  const number = findByPhoneNumberId(tx, item.phoneNumberId);
  if (number === undefined || number.network !== callback.network) {
    return foreign(`${WORDS[item.kind]} for a number that is not on this server`);
  }
  if (!speaksFor(callback, number)) return foreign(`${WORDS[item.kind]} for a number whose secret did not sign it`);
  switch (item.kind) {
    case "status":
      return applyStatusItem(tx, number, item, context);
    case "inbound":
      receive(tx, number, item);
      return APPLIED;
    case "number_change":
      changeNumber(tx, number, item);
      return APPLIED;
    case "number_error":
      addNotice(tx, { numberId: number.id, kind: `error ${item.code}`, says: item.says, at: tx.now });
      return APPLIED;
    case "preference":
      applyPreference(tx, number, item);
      return APPLIED;
    case "echo":
      recordEcho(tx, number, item);
      return APPLIED;
    case "control_pass":
      applyControlPass(tx, number, item);
      return APPLIED;
    case "history_progress":
      recordHistoryProgress(tx, number.id, item);
      return APPLIED;
    case "call":
      applyCall(tx, number, item);
      return APPLIED;
    case "phone_contact":
      applyPhoneContact(tx, number, item);
      return APPLIED;
  }
}

/** Nothing happened later than now; an item without a readable time happened when it is applied. */
function notLater<Item extends Applicable>(item: Item, now: number): Item {
  return "at" in item && item.at !== null && item.at > now ? { ...item, at: now } : item;
}

/** A body may name any number, so it applies only to numbers under the secret that signed it. */
export function speaksFor({ network, trust }: Callback, number: SendingNumber): boolean {
  if (trust === null) return network === "simulator";
  return trust.numbers.includes(number.id) || (trust.configuration && number.appSecret === null);
}

function applyStatusItem(
  tx: Tx,
  number: SendingNumber,
  item: StatusItem,
  { instanceId, deltas }: BatchContext,
): ItemResult {
  const applied = applyStatus(tx, number, item, instanceId, deltas);
  if (effectOf(item.error?.code ?? null) === "marketing_refused") {
    deltas.flush();
    const { phoneNumberId, recipientId: waId, recipientNetworkUserId: networkUserId, at } = item;
    applyPreference(tx, number, { kind: "preference", phoneNumberId, waId, networkUserId, value: "stop", at });
  }
  if (applied.kind === "applied")
    return { unused: null, messageId: applied.messageId, isContactErased: applied.isContactErased };
  if (applied.kind === "parked") applyStatusToEcho(tx, number, item);
  return applied.kind === "dropped" ? { unused: NOT_OURS, messageId: null } : APPLIED;
}

/** Once for each workspace with numbers of the account under the secret that signed the body. */
function applyAccountItem(
  tx: Tx,
  callback: Callback,
  item: TemplateStatusUpdate | TemplateUpdate | AccountUpdate,
): ItemResult {
  const all = listOfAccount(tx, callback.network, item.accountId);
  if (all.length === 0) return foreign(`${WORDS[item.kind]} for an account that is not on this server`);
  const signed = all.filter((number) => speaksFor(callback, number));
  if (signed.length === 0) return foreign(`${WORDS[item.kind]} for an account whose secret did not sign it`);
  // The simulator tells in order, in whole seconds: a person may have decided earlier in the same one.
  const isSimulated = callback.network === "simulator";
  const at = isSimulated ? tx.now : Math.min(item.at ?? callback.receivedAt, tx.now);
  if (item.kind === "account_update") {
    applyAccountUpdate(tx, signed, item, at);
    return APPLIED;
  }
  for (const number of onePerWorkspace(signed)) {
    const syncedAt = findSync(tx, number.workspaceId, number.accountId)?.succeededAt ?? 0;
    applyTemplateUpdate(tx, number, item, at, isOutdated(at, syncedAt) ? syncedAt : 0);
    scheduleSync(tx, number, SYNC_SOON_MS);
  }
  return APPLIED;
}

function applyAccountUpdate(tx: Tx, signed: SendingNumber[], item: AccountUpdate, at: number): void {
  const affected = signed.filter(({ phone }) => item.phone === null || phone === `+${item.phone}`);
  for (const number of affected) {
    if (item.change.type === "notice") applyNotice(tx, number.id, item.change, at);
    else {
      const checkedAt = findState(tx, number.id)?.checkedAt ?? 0;
      applyUpdate(tx, number, item.change, at, isOutdated(at, checkedAt) ? checkedAt : 0);
    }
  }
  for (const number of onePerWorkspace(signed)) scheduleSync(tx, number, SYNC_SOON_MS);
}

function applyNotice(tx: Tx, numberId: number, { kind, says }: Notice, at: number): void {
  if (says === null) dropNotices(tx, numberId, kind);
  else addNotice(tx, { numberId, kind, says, at });
}

type Notice = Extract<AccountUpdate["change"], { type: "notice" }>;

function isOutdated(at: number, syncedAt: number): boolean {
  return at < syncedAt - CLOCK_TOLERANCE_MS;
}

function onePerWorkspace(numbers: SendingNumber[]): SendingNumber[] {
  return [...new Map(numbers.map((number) => [number.workspaceId, number])).values()];
}

const APPLIED: ItemResult = { unused: null, messageId: null };

const WORDS: Readonly<Record<Applicable["kind"], string>> = {
  status: "a status",
  inbound: "a received message",
  number_change: "a change of number",
  preference: "a marketing preference",
  template: "a decision on a template",
  template_update: "a change of a template",
  account_update: "an account update",
  number_error: "an error report",
  echo: "a message of another sender",
  control_pass: "a pass of control",
  history_progress: "a part of a history",
  call: "a call",
  phone_contact: "a contact of the phone",
};

function foreign(about: string): ItemResult {
  return { unused: { reason: "foreign", about }, messageId: null };
}
