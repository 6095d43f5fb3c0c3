/**
 * Account syncs, which compare an account with the network: when the next one is due, and the result of the last one.
 * Each account of a workspace has one job, identified by the account's first number there.
 */
import { asc } from "drizzle-orm";
import { findRow, listRows, updateRows, upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { reschedule } from "#src/jobs/enqueue.ts";
import { findJob } from "#src/jobs/outbox.ts";
import { findNumber } from "./read.ts";
import { type AccountSync, accountSyncs, type DirectSendState, numbers, type SendingNumber } from "./table.ts";

/** All account syncs share one queue: the network counts these calls, and none of them is urgent. */
const QUEUE_KEY = 0;

/** The numbers of one account in one workspace; the first one identifies its job. */
export function listSiblings(tx: ReadTx, { workspaceId, accountId, network }: SendingNumber): SendingNumber[] {
  return listRows(tx, numbers, { workspaceId, accountId, network, removedAt: null }, asc(numbers.id));
}

/**
 * Schedules a sync within `inMs`, or at the earlier time of one that is already due; after a running one, if there is
 * one. The simulator needs none.
 */
export function scheduleSync(tx: Tx, number: SendingNumber, inMs: number): void {
  if (number.network === "simulator") return;
  const firstNumber = listSiblings(tx, number)[0];
  if (firstNumber === undefined) return;
  const scheduledAt = nextSyncAt(tx, firstNumber.id);
  const requestedAt = tx.now + inMs;
  // One that is due is running, or about to: it may have seen the account as it was.
  const isAhead = scheduledAt !== null && scheduledAt > tx.now;
  const dueAt = isAhead ? Math.min(scheduledAt, requestedAt) : requestedAt;
  reschedule(tx, { kind: "sync_account", subject: firstNumber.id, queueKey: QUEUE_KEY, dueAt });
}

/** When the next sync is due; null if none is scheduled. */
export function nextSyncAt(tx: ReadTx, firstNumberId: number): number | null {
  return findJob(tx, "sync_account", firstNumberId)?.dueAt ?? null;
}

export function findSync(tx: ReadTx, workspaceId: number, accountId: string): AccountSync | undefined {
  return findRow(tx, accountSyncs, { workspaceId, accountId });
}

/** What the account says of itself; null: it did not say. */
export function recordAccount(
  tx: Tx,
  workspaceId: number,
  accountId: string,
  changes: Pick<AccountSync, "portfolio" | "hasPaymentMethod">,
): void {
  upsertRow(tx, accountSyncs, ["workspaceId", "accountId"], { workspaceId, accountId, ...changes }, changes);
}

/** The network's word for an account that may send to its endpoint for marketing. */
export const MARKETING_ONBOARDED = "ONBOARDED";

/** `status`: in the network's word. */
export function recordMarketingStatus(tx: Tx, workspaceId: number, accountId: string, status: string): void {
  upsertRow(
    tx,
    accountSyncs,
    ["workspaceId", "accountId"],
    { workspaceId, accountId, marketingStatus: status },
    { marketingStatus: status },
  );
}

/** What the network answered to a message without a template. Writes only what is new, or a refusal. */
export function recordDirectSend(
  tx: Tx,
  { workspaceId, accountId }: Pick<SendingNumber, "workspaceId" | "accountId">,
  state: DirectSendState["state"],
): void {
  const known = findSync(tx, workspaceId, accountId)?.directSend ?? null;
  if (known?.state === state && state === "allowed") return;
  const since = known?.state === state ? known.since : tx.now;
  setDirectSend(tx, { workspaceId, accountId }, { ...known, state, since, at: tx.now });
}

/** The network reports that a message without a template was none for its category. */
export function recordMisuse(
  tx: Tx,
  { workspaceId, accountId }: Pick<SendingNumber, "workspaceId" | "accountId">,
  misuse: NonNullable<DirectSendState["misuse"]>,
): void {
  const known = findSync(tx, workspaceId, accountId)?.directSend ?? null;
  const state = known ?? { state: "allowed" as const, since: misuse.at, at: misuse.at };
  setDirectSend(tx, { workspaceId, accountId }, { ...state, misuse });
}

function setDirectSend(
  tx: Tx,
  account: Pick<SendingNumber, "workspaceId" | "accountId">,
  directSend: DirectSendState,
): void {
  upsertRow(
    tx,
    accountSyncs,
    ["workspaceId", "accountId"],
    { workspaceId: account.workspaceId, accountId: account.accountId, directSend },
    { directSend },
  );
}

/** A long list meets the same refusal many times. */
const REFUSAL_NOTED_EVERY_MS = 60_000;
const COMPARED_WITHIN_MS = 5_000;

/**
 * The endpoint for marketing has answered that a message is not its own. The next comparison of the account finds out
 * whether its template has another category.
 */
export function noteMarketingRefusal(tx: Tx, numberId: number, code: string): void {
  const number = findNumber(tx, numberId);
  if (number === undefined) return;
  const { workspaceId, accountId } = number;
  const known = findSync(tx, workspaceId, accountId)?.marketingRefusal ?? null;
  if (known !== null && Math.abs(tx.now - known.at) < REFUSAL_NOTED_EVERY_MS) return;
  updateRows(tx, accountSyncs, { workspaceId, accountId }, { marketingRefusal: { code, at: tx.now } });
  scheduleSync(tx, number, COMPARED_WITHIN_MS);
}

/** `error`: why the sync failed, in plain text; null if it succeeded. */
export function recordSync(tx: Tx, workspaceId: number, accountId: string, error: string | null): void {
  const changes = error === null ? { succeededAt: tx.now, failedAt: null, error } : { failedAt: tx.now, error };
  upsertRow(tx, accountSyncs, ["workspaceId", "accountId"], { workspaceId, accountId, ...changes }, changes);
}

export interface AccountUpdate {
  kind: "account_update";
  /** The network's id of the account. */
  accountId: string;
  /** Digits of the number concerned; null: every number of the account. */
  phone: string | null;
  /** The network's time, milliseconds; null if it gave none. */
  at: number | null;
  change: /** The number must not send. `until`: milliseconds; null: until the network reports otherwise. */
    | { type: "restricted"; reason: string; until: number | null }
    /** The restriction is over. */
    | { type: "lifted" }
    /** The number can still send, but the operator should know. */
    | { type: "warned"; message: string }
    /** How people take the number's messages, in the network's word. */
    | { type: "quality"; quality: string }
    /** How many different people may be written to in a day: digits, or `unlimited`. */
    | { type: "limit"; messagingLimit: string }
    /** An app of this id can no longer send for the account; null: the network names none. */
    | { type: "disconnected"; appId: string | null; reason: string }
    /** Something that a person should know. `says` null: the network revokes the report of this kind. */
    | { type: "notice"; kind: string; says: string | null }
    /** A message without a template was none for its category. `category`: the right one, in the network's word. */
    | { type: "misused"; category: string }
    /** The account may send to the endpoint for marketing, or not: in the network's word. */
    | { type: "marketing"; status: string }
    /** A change that only an account sync can find out. */
    | { type: "changed" };
}
