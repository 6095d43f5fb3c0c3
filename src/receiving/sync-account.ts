/**
 * Compares an account with the network: its numbers, its templates, its stored samples. On command, on schedule and
 * after news. Reads everything first and writes a few rows at a time; a listing that did not come to its end retires
 * nothing. What could not be asked is told in words and leaves things as they were.
 */

import type { Clock } from "#src/core/clock.ts";
import { type SecretBox, SecretUnreadable } from "#src/core/secret.ts";
import type { Store } from "#src/db/store.ts";
import { listSiblings, recordSync } from "#src/domain/numbers/account-sync.ts";
import { applyFacts, applyObstacle, findState } from "#src/domain/numbers/network-state.ts";
import { findNumber } from "#src/domain/numbers/read.ts";
import { followNetwork } from "#src/domain/numbers/readiness.ts";
import type { SendingNumber } from "#src/domain/numbers/table.ts";
import { followListing, keyOf, retireMissing } from "#src/domain/templates/sync.ts";
import type { ResolveName } from "#src/net/checked-lookup.ts";
import { type Opened, senderOf } from "#src/networks/credentials.ts";
import type { AccountPort, ListedNumber, Looked, LookFailure, NetworkName } from "#src/networks/network.ts";
import { uploadSamples } from "./upload-samples.ts";

export interface SyncOptions {
  store: Store;
  clock: Clock;
  /** What can be asked of a network; undefined: nothing. */
  portOf: (network: NetworkName) => AccountPort | undefined;
  box: SecretBox;
  /** Stored samples may lie on this machine or in a private network. */
  allowPrivate: boolean;
  /** How samples' names are looked up; replaced in tests. */
  lookup?: ResolveName | undefined;
}

export type SyncPart = "numbers" | "templates";

export interface SyncResult {
  /** Null: not asked for, or it failed. */
  templates: { total: number; added: number; changed: number; retired: number } | null;
  /** What went wrong, in words; empty: everything was compared. */
  problems: string[];
  /** The network was busy or away: it may well work soon. */
  isTemporary: boolean;
}

const TEMPLATES_PER_WRITE = 100;

/** Compares the account of `number` in its workspace. On a network that nobody can ask: nothing. */
export async function syncAccount(
  options: SyncOptions,
  number: SendingNumber,
  parts: readonly SyncPart[] = ["numbers", "templates"],
): Promise<SyncResult> {
  const { store, portOf } = options;
  const port = portOf(number.network);
  const result: SyncResult = { templates: null, problems: [], isTemporary: false };
  if (port === undefined) return result;
  const senders = await openSenders(options, number, result);
  if (parts.includes("numbers") && port.knowsNumbers) await syncNumbers(store, port, senders, result);
  if (parts.includes("templates")) {
    await syncTemplates(store, port, number, senders, result);
    const failures = await uploadSamples(options, port, number, senders);
    result.problems.push(...failures);
  }
  const error = result.problems.length === 0 ? null : [...new Set(result.problems)].join(" ");
  await store.write((tx) => recordSync(tx, number.workspaceId, number.accountId, error));
  return result;
}

/** The account's numbers whose token can be read; the others cannot send, and say so. */
async function openSenders({ store, box }: SyncOptions, number: SendingNumber, result: SyncResult): Promise<Opened[]> {
  const opened: Opened[] = [];
  for (const sibling of store.read((reading) => listSiblings(reading, number))) {
    try {
      opened.push({ number: sibling, sender: senderOf(box, sibling) });
    } catch (error) {
      if (!(error instanceof SecretUnreadable)) throw error;
      const words = "The access token cannot be read with this server's key file.";
      await obstruct(store, sibling, words);
      result.problems.push(`${sibling.phone}: ${words}`);
    }
  }
  return opened;
}

async function syncNumbers(store: Store, port: AccountPort, senders: Opened[], result: SyncResult): Promise<void> {
  // One listing for all that share a token: the network counts these calls.
  for (const group of Map.groupBy(senders, ({ sender }) => sender.accessToken).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const listed = await port.listNumbers(first.sender);
    if (listed.ok) {
      for (const { number } of group) {
        const facts = listed.value.find(({ phoneNumberId }) => phoneNumberId === number.phoneNumberId);
        await (facts === undefined
          ? obstruct(
              store,
              number,
              `The WhatsApp account ${number.accountId} has no number with the id ${number.phoneNumberId}.`,
            )
          : follow(store, number, facts, listed.at));
      }
    } else if (listed.failure.kind === "token" || listed.failure.kind === "later") {
      for (const { number } of group) await heed(store, number, listed.failure, result);
    } else {
      // The account may be out of the token's reach where the number itself is not.
      result.problems.push(`${first.number.phone}: ${listed.failure.words}`);
      for (const one of group) await lookAtOne(store, port, one, result);
    }
  }
}

async function lookAtOne(
  store: Store,
  port: AccountPort,
  { number, sender }: Opened,
  result: SyncResult,
): Promise<void> {
  const looked: Looked<ListedNumber> = await port.lookAtNumber(sender);
  if (looked.ok) await follow(store, number, looked.value, looked.at);
  else await heed(store, number, looked.failure, result);
}

/** A number of another phone would send under a name that nobody expects. */
async function follow(store: Store, number: SendingNumber, facts: ListedNumber, at: number | null): Promise<void> {
  const { phoneNumberId, phone, ...said } = facts;
  if (phone !== null && `+${phone}` !== number.phone) {
    const words = `The phone number id ${phoneNumberId} belongs to +${phone}, not to ${number.phone}.`;
    return obstruct(store, number, words);
  }
  await store.write((tx) => {
    const now = findNumber(tx, number.id);
    if (now !== undefined) applyFacts(tx, now, said, at ?? tx.now);
  });
}

/** Only what says that nothing can be sent stops a number; one that was never seen says at least why. */
async function heed(store: Store, number: SendingNumber, failure: LookFailure, result: SyncResult): Promise<void> {
  result.problems.push(`${number.phone}: ${failure.words}`);
  if (failure.kind === "later") result.isTemporary = true;
  if (failure.kind === "token" || failure.kind === "number") return obstruct(store, number, failure.words);
  await store.write((tx) => {
    const now = findNumber(tx, number.id);
    if (now === undefined || now.ready || findState(tx, number.id) !== undefined) return;
    followNetwork(tx, now, `not checked with the network yet: ${failure.words}`);
  });
}

function obstruct(store: Store, number: SendingNumber, words: string): Promise<void> {
  return store.write((tx) => {
    const now = findNumber(tx, number.id);
    if (now !== undefined) applyObstacle(tx, now, words);
  });
}

async function syncTemplates(
  store: Store,
  port: AccountPort,
  account: SendingNumber,
  senders: Opened[],
  result: SyncResult,
): Promise<void> {
  const startedAt = store.read(({ now }) => now);
  const looked = await listTemplates(store, port, senders, result);
  if (looked === null) return;
  const at = looked.at ?? startedAt;
  const counted = { total: looked.value.length, added: 0, changed: 0, retired: 0 };
  for (let start = 0; start < looked.value.length; start += TEMPLATES_PER_WRITE) {
    const part = looked.value.slice(start, start + TEMPLATES_PER_WRITE);
    const followed = await store.write((tx) => followListing(tx, account, part, at));
    counted.added += followed.added;
    counted.changed += followed.changed;
  }
  const listed = new Set(looked.value.map(keyOf));
  for (;;) {
    const retired = await store.write((tx) => retireMissing(tx, account, listed, startedAt, TEMPLATES_PER_WRITE));
    counted.retired += retired;
    if (retired < TEMPLATES_PER_WRITE) break;
  }
  result.templates = counted;
}

/** With the first token that may. Where templates are all that can be asked, they tell whether a number can send. */
async function listTemplates(
  store: Store,
  port: AccountPort,
  senders: Opened[],
  result: SyncResult,
): Promise<Extract<Awaited<ReturnType<AccountPort["listTemplates"]>>, { ok: true }> | null> {
  const failures: string[] = [];
  for (const { number, sender } of senders) {
    const looked = await port.listTemplates(sender);
    if (looked.ok) {
      if (!port.knowsNumbers) await letSend(store, number);
      return looked;
    }
    failures.push(`Templates: ${looked.failure.words}`);
    if (!port.knowsNumbers) await heed(store, number, looked.failure, result);
    if (looked.failure.kind === "later") {
      result.isTemporary = true;
      break;
    }
  }
  result.problems.push(...new Set(failures));
  return null;
}

/** The key works, and nothing more is known; a stop that was told by itself stays. */
function letSend(store: Store, number: SendingNumber): Promise<void> {
  return store.write((tx) => {
    const now = findNumber(tx, number.id);
    if (now !== undefined && findState(tx, number.id)?.restriction == null) followNetwork(tx, now, null);
  });
}
