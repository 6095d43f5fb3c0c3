/**
 * Compares an account with the network: its numbers, templates and stored samples; on command, on schedule and after an
 * account update. It reads everything first and writes a few rows at a time. An incomplete listing retires nothing. A
 * request that fails is reported as a problem and changes nothing.
 */

import type { Clock } from "#src/core/clock.ts";
import { ifReadable, type SecretBox } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import { listSiblings, recordAccount, recordMarketingStatus, recordSync } from "#src/domain/numbers/account-sync.ts";
import { saveConnection, setSendsProof } from "#src/domain/numbers/connection.ts";
import { type ConnectionFacts, NO_FACTS } from "#src/domain/numbers/connection-facts.ts";
import { applyDetails, applyProblem, findState } from "#src/domain/numbers/network-state.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import { syncReadiness } from "#src/domain/numbers/readiness.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { applyListing, keyOf, retireMissing } from "#src/domain/templates/sync.ts";
import type { ResolveName } from "#src/net/checked-lookup.ts";
import { type OpenedNumber, secretOf, senderOf } from "#src/networks/credentials.ts";
import { type AccountInspection, factsOf, inspectAccount, withProof } from "#src/networks/inspect-connection.ts";
import type { AccountPort, ListedNumber, NetworkName, RequestFailure, Result } from "#src/networks/network.ts";
import { uploadSamples } from "./upload-samples.ts";

export interface SyncOptions {
  store: Store;
  clock: Clock;
  /** Access to the accounts of a network; undefined: the network has none. */
  portOf: (network: NetworkName) => AccountPort | undefined;
  box: SecretBox;
  /** Allows samples at private addresses. */
  allowPrivate: boolean;
  /** Resolves the host names of samples; replaced in tests. */
  lookup?: ResolveName | undefined;
}

export type SyncScope = "numbers" | "templates";

export interface SyncResult {
  /** Null: not requested, or failed. */
  templates: { total: number; added: number; changed: number; retired: number } | null;
  /** Empty: everything was compared. */
  problems: string[];
  /** The network was busy or unreachable: retry soon. */
  isTemporary: boolean;
}

const TEMPLATES_PER_WRITE = 100;

/** Compares the account of `number` in its workspace. Does nothing on a network without accounts. */
export async function syncAccount(
  options: SyncOptions,
  number: SendingNumber,
  scopes: readonly SyncScope[] = ["numbers", "templates"],
): Promise<SyncResult> {
  const { store, portOf } = options;
  const port = portOf(number.network);
  const result: SyncResult = { templates: null, problems: [], isTemporary: false };
  if (port === undefined) return result;
  const senders = await openSenders(options, number, result);
  // Without a query for numbers, the listing of templates tells whether they can send.
  const known = senders.filter(({ sender }) => port.knowsNumbers(sender));
  if (scopes.includes("numbers") && known.length > 0) await syncNumbers(store, port, known, result);
  if (scopes.includes("templates")) {
    await syncTemplates(store, port, number, senders, result);
    const failures = await uploadSamples(options, port, number, senders);
    result.problems.push(...failures);
  }
  const error = result.problems.length === 0 ? null : [...new Set(result.problems)].join(" ");
  await store.write((tx) => recordSync(tx, number.workspaceId, number.accountId, error));
  return result;
}

/** The account's numbers with a readable token; the others are reported, and cannot send. */
async function openSenders(
  { store, box }: SyncOptions,
  number: SendingNumber,
  result: SyncResult,
): Promise<OpenedNumber[]> {
  const openedNumbers: OpenedNumber[] = [];
  for (const sibling of store.read((tx) => listSiblings(tx, number))) {
    const sender = ifReadable(() => ({ ...senderOf(box, sibling), appSecret: secretOf(box, sibling) }));
    if (sender !== null) openedNumbers.push({ number: sibling, sender });
    else {
      const problem = "The access token cannot be read with this server's key file.";
      await recordProblem(store, sibling, problem);
      const failure = { code: "key", message: problem, kind: "key" } as const;
      await store.write((tx) => saveConnection(tx, sibling.id, { ...NO_FACTS, failure }));
      result.problems.push(`${sibling.phone}: ${problem}`);
    }
  }
  return openedNumbers;
}

async function syncNumbers(
  store: Store,
  port: AccountPort,
  senders: OpenedNumber[],
  result: SyncResult,
): Promise<void> {
  let isRecorded = false;
  // One inspection for all numbers that share a token: the network limits these calls.
  for (const group of Map.groupBy(senders, ({ sender }) => sender.accessToken).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const inspected = await inspectAccount(port, first.sender);
    const { numbers: listed } = inspected;
    // The token may have access to the number but not to the account.
    if (isOneByOne(listed)) result.problems.push(`${first.number.phone}: ${wordsOf(listed.failure, first.number)}`);
    // What the account says of itself decides how the answers about its numbers are applied.
    if (listed.ok && !isRecorded) {
      isRecorded = await syncAccountDetails(store, port, first, inspected);
      await syncMarketingStatus(store, port, first, inspected);
    }
    for (const opened of group) await applyInspection(store, port, opened, inspected, result);
  }
}

/** Not every token may see the account: without an answer, what is known about it stays. */
async function syncAccountDetails(
  store: Store,
  port: AccountPort,
  { number, sender }: OpenedNumber,
  { proof }: AccountInspection,
): Promise<boolean> {
  const fetched = await port.fetchAccount(withProof(sender, proof));
  if (!fetched.ok) return false;
  const { portfolio, hasPaymentMethod } = fetched.value;
  const { workspaceId, accountId } = number;
  await store.write((tx) => recordAccount(tx, workspaceId, accountId, { portfolio, hasPaymentMethod }));
  return true;
}

/** As above: without an answer, what is known stays. */
async function syncMarketingStatus(
  store: Store,
  port: AccountPort,
  { number, sender }: OpenedNumber,
  { proof }: AccountInspection,
): Promise<void> {
  const fetched = await port.fetchMarketingStatus(withProof(sender, proof));
  if (!fetched.ok || fetched.value === null) return;
  const status = fetched.value;
  await store.write((tx) => recordMarketingStatus(tx, number.workspaceId, number.accountId, status));
}

function isOneByOne(listed: Result<unknown>): listed is Extract<Result<unknown>, { ok: false }> {
  return !listed.ok && !PREVENTS_ASKING.includes(listed.failure.kind);
}

/** Changes how `opened` sends, if the network accepts the proof of the app secret or demands none. */
async function applyInspection(
  store: Store,
  port: AccountPort,
  opened: OpenedNumber,
  inspected: AccountInspection,
  result: SyncResult,
): Promise<void> {
  const { numbers: listed, proof } = inspected;
  const { number } = opened;
  opened.sender = withProof(opened.sender, proof);
  const sendsProof = opened.sender.sendsProof === true;
  if (sendsProof !== number.sendsProof) await store.write((tx) => setSendsProof(tx, number.id, sendsProof));
  const isListed = listed.ok && listed.value.some((one) => one.phoneNumberId === number.phoneNumberId);
  const isFetched = isOneByOne(listed) || (listed.ok && !isListed);
  const fetched = isFetched ? await port.fetchNumber(opened.sender) : null;
  const facts = factsOf(inspected, opened.sender, fetched);
  if (listed.ok) await applyNumberListing(store, number, listed.value, listed.at);
  else if (fetched !== null) await syncNumber(store, number, fetched, facts, result);
  else await handleFailure(store, number, listed.failure, result);
  await store.write((tx) => saveConnection(tx, number.id, facts));
}

/** What an account answers so that its numbers need not be asked for one by one. */
const PREVENTS_ASKING: readonly RequestFailure["kind"][] = ["token", "proof", "later", "foreign"];

async function syncNumber(
  store: Store,
  number: SendingNumber,
  fetched: Result<ListedNumber>,
  { accountFailure }: ConnectionFacts,
  result: SyncResult,
): Promise<void> {
  if (!fetched.ok) return handleFailure(store, number, fetched.failure, result);
  // The number could send, but its templates would never come, and callbacks name another account.
  if (accountFailure?.kind === "number") return recordProblem(store, number, wrongAccount(number));
  await applyListedNumber(store, number, fetched.value, fetched.at);
}

/** Of a query about the account, an unknown id is the account's. */
function wordsOf({ kind, message }: RequestFailure, { accountId }: SendingNumber): string {
  return kind === "number" ? `WhatsApp knows no account with the id ${accountId} that this token may use.` : message;
}

function wrongAccount({ accountId }: SendingNumber): string {
  return `WhatsApp knows no account with the id ${accountId} that this token may use; the number is in another one.`;
}

async function applyNumberListing(
  store: Store,
  number: SendingNumber,
  listed: readonly ListedNumber[],
  at: number | null,
): Promise<void> {
  const { phoneNumberId, accountId } = number;
  const listedNumber = listed.find((one) => one.phoneNumberId === phoneNumberId);
  if (listedNumber !== undefined) return applyListedNumber(store, number, listedNumber, at);
  return recordProblem(store, number, `The WhatsApp account ${accountId} has no number with the id ${phoneNumberId}.`);
}

/** A number with another phone would send under an unexpected name. */
async function applyListedNumber(
  store: Store,
  number: SendingNumber,
  listedNumber: ListedNumber,
  at: number | null,
): Promise<void> {
  const { phoneNumberId, phone, ...details } = listedNumber;
  if (phone !== null && `+${phone}` !== number.phone) {
    const problem = `The phone number id ${phoneNumberId} belongs to +${phone}, not to ${number.phone}.`;
    return recordProblem(store, number, problem);
  }
  await store.write((tx) => {
    const current = findNumber(tx, number.id);
    if (current !== undefined) applyDetails(tx, current, details, at ?? tx.now);
  });
}

const STOPS: readonly RequestFailure["kind"][] = ["token", "number", "proof"];

/** Only an answer that rules out sending stops a number; a number that was never seen reports at least the reason. */
async function handleFailure(
  store: Store,
  number: SendingNumber,
  failure: RequestFailure,
  result: SyncResult,
): Promise<void> {
  result.problems.push(`${number.phone}: ${failure.message}`);
  if (failure.kind === "later" || failure.kind === "foreign") result.isTemporary = true;
  if (STOPS.includes(failure.kind)) return recordProblem(store, number, failure.message);
  await store.write((tx) => {
    const current = findNumber(tx, number.id);
    if (current === undefined || current.ready || findState(tx, number.id) !== undefined) return;
    syncReadiness(tx, current, `not synchronized with the network yet: ${failure.message}`);
  });
}

function recordProblem(store: Store, number: SendingNumber, problem: string): Promise<void> {
  return store.write((tx) => {
    const current = findNumber(tx, number.id);
    if (current !== undefined) applyProblem(tx, current, problem);
  });
}

async function syncTemplates(
  store: Store,
  port: AccountPort,
  account: SendingNumber,
  senders: OpenedNumber[],
  result: SyncResult,
): Promise<void> {
  const startedAt = store.read(({ now: current }) => current);
  const listing = await listTemplates(store, port, senders, result);
  if (listing === null) return;
  const at = listing.at ?? startedAt;
  const counts = { total: listing.value.length, added: 0, changed: 0, retired: 0 };
  for (let start = 0; start < listing.value.length; start += TEMPLATES_PER_WRITE) {
    const batch = listing.value.slice(start, start + TEMPLATES_PER_WRITE);
    const applied = await store.write((tx) => applyListing(tx, account, batch, at));
    counts.added += applied.added;
    counts.changed += applied.changed;
  }
  const listed = new Set(listing.value.map(keyOf));
  for (;;) {
    const retired = await store.write((tx) => retireMissing(tx, account, listed, startedAt, TEMPLATES_PER_WRITE));
    counts.retired += retired;
    if (retired < TEMPLATES_PER_WRITE) break;
  }
  result.templates = counts;
}

/** Uses the first token with access. If only templates can be listed, that tells whether a number can send. */
async function listTemplates(
  store: Store,
  port: AccountPort,
  senders: OpenedNumber[],
  result: SyncResult,
): Promise<Extract<Awaited<ReturnType<AccountPort["listTemplates"]>>, { ok: true }> | null> {
  const failures: string[] = [];
  for (const { number, sender } of senders) {
    const listing = await port.listTemplates(sender);
    if (listing.ok) {
      if (!port.knowsNumbers(sender)) {
        await markSendable(store, number);
        await store.write((tx) => saveConnection(tx, number.id, NO_FACTS));
      }
      return listing;
    }
    failures.push(`Templates: ${wordsOf(listing.failure, number)}`);
    if (!port.knowsNumbers(sender)) {
      await handleFailure(store, number, listing.failure, result);
      await store.write((tx) => saveConnection(tx, number.id, { ...NO_FACTS, failure: listing.failure }));
    }
    if (listing.failure.kind === "later") {
      result.isTemporary = true;
      break;
    }
  }
  result.problems.push(...new Set(failures));
  return null;
}

/** The token works, and nothing more is known; a stop that the network reported by callback stays. */
function markSendable(store: Store, number: SendingNumber): Promise<void> {
  return store.write((tx) => {
    const current = findNumber(tx, number.id);
    if (current !== undefined && findState(tx, number.id)?.restriction == null) syncReadiness(tx, current, null);
  });
}
