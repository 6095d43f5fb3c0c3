/**
 * Applies one item of a callback: to the number or account that it names, and only where whoever signed the body may
 * speak for it. News that are older than our last look at the account change nothing and cause another look.
 */

import type { Tx } from "#src/db/transaction.ts";
import { MARKETING_REFUSED } from "#src/domain/contacts/opt-out.ts";
import { changeNumber } from "#src/domain/inbound/change-number.ts";
import { applyPreference } from "#src/domain/inbound/marketing-preference.ts";
import { receive } from "#src/domain/inbound/receive.ts";
import type { Callback as Stored } from "#src/domain/inbound/table.ts";
import { applyStatus } from "#src/domain/messages/apply-status.ts";
import type { CounterDeltas } from "#src/domain/messages/counter-deltas.ts";
import type { StatusItem } from "#src/domain/messages/status-item.ts";
import { findSync, scheduleSync } from "#src/domain/numbers/account-sync.ts";
import type { AccountUpdate } from "#src/domain/numbers/account-update.ts";
import { applyUpdate, findState } from "#src/domain/numbers/network-state.ts";
import { findByPhoneNumberId, listOfAccount } from "#src/domain/numbers/read.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { applyTemplateUpdate } from "#src/domain/templates/sync.ts";
import type { TemplateStatusUpdate, TemplateUpdate } from "#src/domain/templates/template-update.ts";
import type { CallbackItem } from "#src/networks/network.ts";

/** What is noted of a status whose message nobody here has ever handed over. */
export const NOT_OURS = "a status of a message that is not ours";

export interface ItemResult {
  /** What could not be applied, in words; null: nothing. */
  note: string | null;
  /** The message that changed. */
  messageId: number | null;
  /** It speaks of somebody who was erased: its body must not stay. */
  isContactErased?: boolean;
}

/** Where it came from and whose word it is; the body has been taken apart. */
type Callback = Omit<Stored, "body">;

type Applicable = Exclude<CallbackItem, { kind: "broken" | "ignored" }>;

/** Several updates come together: one look serves all of them. */
const SYNC_SOON_MS = 5_000;
/** The network's clock and ours differ, and a look takes its time. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** What the items of one write have in common. */
export interface BatchContext {
  instanceId: string;
  deltas: CounterDeltas;
  /** Whom statuses were for: of a number only what never changes is used, so it is looked up once. */
  numbers: Map<string, SendingNumber | undefined>;
}

export function applyItem(tx: Tx, callback: Callback, item: Applicable, context: BatchContext): ItemResult {
  // Whatever is no status may look at figures, or write them.
  if (item.kind !== "status") context.deltas.flush();
  if (item.kind === "template" || item.kind === "template_update" || item.kind === "account_update") {
    return result(applyAccountItem(tx, callback, item));
  }
  const number = item.kind === "status" ? numberOf(tx, item, context) : findByPhoneNumberId(tx, item.phoneNumberId);
  if (number === undefined || number.network !== callback.network) {
    return result(`${item.kind} for a number that is not on this server`);
  }
  if (!speaksFor(callback, number)) return result(`${item.kind} for a number whose secret did not sign it`);
  switch (item.kind) {
    case "status":
      return applyStatusItem(tx, number, item, context);
    case "inbound":
      receive(tx, number, item);
      return result(null);
    case "number_change":
      changeNumber(tx, number, item);
      return result(null);
    case "preference":
      applyPreference(tx, number, item);
      return result(null);
  }
}

/** A forged body may name anybody's number: whoever signed it speaks for the numbers under that secret alone. */
function speaksFor({ network, trust }: Callback, number: SendingNumber): boolean {
  if (trust === null) return network === "simulator";
  return trust.numbers.includes(number.id) || (trust.configuration && number.appSecret === null);
}

function numberOf(tx: Tx, { phoneNumberId }: StatusItem, { numbers }: BatchContext): SendingNumber | undefined {
  if (!numbers.has(phoneNumberId)) numbers.set(phoneNumberId, findByPhoneNumberId(tx, phoneNumberId));
  return numbers.get(phoneNumberId);
}

function applyStatusItem(
  tx: Tx,
  number: SendingNumber,
  item: StatusItem,
  { instanceId, deltas }: BatchContext,
): ItemResult {
  const applied = applyStatus(tx, number, item, instanceId, deltas);
  if (item.error?.code === MARKETING_REFUSED) {
    deltas.flush();
    const { phoneNumberId, recipientId: waId, recipientNetworkUserId: networkUserId, at } = item;
    applyPreference(tx, number, { kind: "preference", phoneNumberId, waId, networkUserId, value: "stop", at });
  }
  if (applied.kind === "applied")
    return { note: null, messageId: applied.messageId, isContactErased: applied.isContactErased };
  return result(applied.kind === "dropped" ? NOT_OURS : null);
}

/** Once for each workspace that has numbers of the account under the secret that signed. */
function applyAccountItem(
  tx: Tx,
  callback: Callback,
  item: TemplateStatusUpdate | TemplateUpdate | AccountUpdate,
): string | null {
  const all = listOfAccount(tx, callback.network, item.accountId);
  if (all.length === 0) return `${item.kind} for an account that is not on this server`;
  const signed = all.filter((number) => speaksFor(callback, number));
  if (signed.length === 0) return `${item.kind} for an account whose secret did not sign it`;
  const at = Math.min(item.at ?? callback.receivedAt, tx.now);
  if (item.kind === "account_update") {
    applyAccountUpdate(tx, signed, item, at);
    return null;
  }
  for (const number of onePerWorkspace(signed)) {
    const syncedAt = findSync(tx, number.workspaceId, number.accountId)?.succeededAt ?? 0;
    if (!isOutdated(at, syncedAt)) applyTemplateUpdate(tx, number, item, at);
    scheduleSync(tx, number, SYNC_SOON_MS);
  }
  return null;
}

function applyAccountUpdate(tx: Tx, signed: SendingNumber[], item: AccountUpdate, at: number): void {
  const affected = signed.filter(({ phone }) => item.phone === null || phone === `+${item.phone}`);
  for (const number of affected) {
    if (!isOutdated(at, findState(tx, number.id)?.checkedAt ?? 0)) applyUpdate(tx, number, item.change, at);
  }
  for (const number of onePerWorkspace(signed)) scheduleSync(tx, number, SYNC_SOON_MS);
}

function isOutdated(at: number, syncedAt: number): boolean {
  return at < syncedAt - CLOCK_TOLERANCE_MS;
}

function onePerWorkspace(numbers: SendingNumber[]): SendingNumber[] {
  return [...new Map(numbers.map((number) => [number.workspaceId, number])).values()];
}

function result(note: string | null): ItemResult {
  return { note, messageId: null };
}
