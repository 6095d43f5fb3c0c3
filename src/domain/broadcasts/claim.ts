/**
 * Claims the next recipients to dispatch. Eligibility and consent are read again, and `sending` is on disk before
 * anything leaves. A claim never takes more recipients than can leave right after the commit, because every recipient
 * in `sending` at a crash is in doubt.
 */

import type { E164 } from "#src/core/phone.ts";
import { isUserId } from "#src/core/user-id.ts";
import type { Tx } from "#src/db/transaction.ts";
import { addressOf, getContact, isAddressable, listLinkedContacts } from "../contacts/find.ts";
import type { Contact } from "../contacts/table.ts";
import type { WindowTimes } from "../contacts/window.ts";
import { adjustCounters, getCounters, recordLastSent } from "../messages/adjust-counters.ts";
import { keepResumedInPast } from "../messages/breaker.ts";
import { holdCost } from "../messages/broadcast-cost.ts";
import { addDelta, computeDelta, zeroDelta } from "../messages/broadcast-counters.ts";
import { lastDispatchedAt } from "../messages/contact-messages.ts";
import type { Content } from "../messages/content.ts";
import { addRecentRecipient, hasCap, isRecentRecipient, remainingUnderCap } from "../messages/daily-cap.ts";
import { fillTemplate } from "../messages/fill-template.ts";
import { findAddressProblem, requireAddress } from "../messages/plan.ts";
import {
  addPeople,
  findLimitedPortfolio,
  isCounted,
  isInWindow,
  type LimitedPortfolio,
  roomIn,
} from "../messages/portfolio-limit.ts";
import { hasDispatchedRecipient } from "../messages/read.ts";
import { choosePath, type SendPath } from "../messages/send-path.ts";
import type { SendingNumber } from "../numbers/table.ts";
import type { Template } from "../templates/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import { describeReached, findReached, listRepeated } from "./again.ts";
import { applyReportedRefusal } from "./apply-refusal.ts";
import { readEligibility } from "./eligibility.ts";
import { failUnsent } from "./hold-restored.ts";
import { applyBlocker, pauseBroadcast } from "./pause.ts";
import { templateInput } from "./plan.ts";
import { delayRecipient, listDue, listReady, nextDueAt, skipRecipient, type WaitingRecipient } from "./recipients.ts";
import { describeSkip, type SkipCode } from "./skip.ts";
import { claimRecipient, contactOfRecipient } from "./statements.ts";
import type { Broadcast } from "./table.ts";
import { findUploads, pauseForFile } from "./uploads.ts";
import { waitForRoom } from "./wait.ts";

export interface ClaimedRecipient {
  id: number;
  /** Null: the message is sent to the user id. */
  to: string | null;
  recipientNetworkUserId: string | null;
  sendToken: string;
  content: Content;
  /** The network's ids of the uploads that the content sends. */
  uploads: ReadonlyMap<number, string>;
  path: SendPath;
}

export interface ClaimResult {
  recipients: ClaimedRecipient[];
  sender: SendingNumber | null;
  /** The id to continue after; 0 to start over. */
  after: number;
  /**
   * When the next claim may find more: wall time in milliseconds; null: at once; "never": not before something changes.
   */
  nextAt: number | null | "never";
  /** Uploads that the network does not have for this number; nothing is claimed before it does. Absent: none. */
  missingUploads?: readonly number[];
}

/** The network's own limit for a pair of numbers: one message to the same person in this many milliseconds. */
const PAIR_PACE_MS = 6_000;

const FAIL_BATCH = 100;

const nothingClaimed: ClaimResult = { recipients: [], sender: null, after: 0, nextAt: "never" };

/** Examines up to `limit` recipients after `after`, and claims those that may be sent to now. */
export function claimRecipients(tx: Tx, id: number, after: number, limit: number): ClaimResult {
  const broadcast = applyReportedRefusal(tx, id);
  if (broadcast.status !== "running") return nothingClaimed;
  const waitsUntil = waitEnd(broadcast, tx.now);
  if (waitsUntil !== null) return { ...nothingClaimed, nextAt: waitsUntil };
  if (broadcast.isFailingUnsent) {
    const failed = failUnsent(tx, broadcast, FAIL_BATCH);
    return { ...nothingClaimed, nextAt: failed === FAIL_BATCH ? null : "never" };
  }
  const eligibility = readEligibility(tx, broadcast);
  if (!eligibility.isEligible) {
    // With no recipient pending, the messages in flight complete the broadcast. A requeued one leads here again.
    if (getCounters(tx, id).pending > 0) applyBlocker(tx, broadcast, eligibility.blocker);
    return nothingClaimed;
  }
  if (!holdCost(tx, id)) {
    pauseBroadcast(tx, broadcast, "balance", "the balance does not cover it");
    return nothingClaimed;
  }
  const uploads = findUploads(tx, broadcast, eligibility.sender);
  if ("missing" in uploads) {
    if (uploads.isGone)
      pauseForFile(tx, id, `the upload ${uploads.missing[0]} was removed, so its file cannot be sent`);
    const missingUploads = uploads.isGone ? [] : uploads.missing;
    return { ...nothingClaimed, sender: eligibility.sender, after, missingUploads };
  }
  return claimNext(tx, broadcast, { ...eligibility, uploads: uploads.ids }, after, limit);
}

/** Claims of a broadcast that may send. */
function claimNext(
  tx: Tx,
  broadcast: Broadcast,
  context: Pick<ClaimContext, "workspace" | "sender" | "template" | "uploads">,
  after: number,
  limit: number,
): ClaimResult {
  const { id } = broadcast;
  const { sender } = context;
  const due = listDue(tx, id, limit);
  const ready = due.length === limit ? [] : listReady(tx, id, after, limit - due.length);
  const { recipients, isFull } = claimRows(tx, broadcast, context, [...due, ...ready]);
  if (isFull) return { recipients, sender, after: 0, nextAt: waitForRoom(tx, broadcast, sender) };
  if (due.length + ready.length === limit) {
    return { recipients, sender, after: ready.at(-1)?.id ?? after, nextAt: null };
  }
  // None are left after `after`. Requeued recipients may have lower ids; after them, only delayed recipients remain.
  return { recipients, sender, after: 0, nextAt: after > 0 ? null : (nextDueAt(tx, id) ?? "never") };
}

/** Until when the broadcast waits; null: it does not. Only `endWait` ends a wait: quiet hours may follow. */
function waitEnd({ waitsUntil }: Broadcast, now: number): number | "never" | null {
  if (waitsUntil === null) return null;
  return waitsUntil > now ? waitsUntil : "never";
}

interface ClaimContext {
  tx: Tx;
  broadcast: Broadcast;
  workspace: Workspace;
  sender: SendingNumber;
  template: Template;
  /** The network's ids of the broadcast's uploads. */
  uploads: ReadonlyMap<number, string>;
  /** Of those whose path has not changed. */
  path: SendPath;
  /** How many more people the daily cap allows; null if there is no cap. */
  capRemaining: number | null;
  /** The number's portfolio, how many more people its limit allows, and who is sent to within it now. */
  limited: LimitedPortfolio | null;
  room: number;
  people: string[];
  /** The broadcasts that this one repeats; empty: none. */
  family: readonly number[];
}

interface ClaimedRows {
  recipients: ClaimedRecipient[];
  /** The network's limit is used up, and someone needs room. */
  isFull: boolean;
}

function claimRows(
  tx: Tx,
  broadcast: Broadcast,
  { workspace, sender, template, uploads }: Pick<ClaimContext, "workspace" | "sender" | "template" | "uploads">,
  rows: readonly WaitingRecipient[],
): ClaimedRows {
  const capRemaining = remainingUnderCap(tx, workspace);
  const limited = findLimitedPortfolio(tx, sender);
  const room = limited === null ? 0 : roomIn(tx, limited);
  const people: string[] = [];
  const path = choosePath(tx, sender, template.category, false);
  const family = listRepeated(tx, broadcast);
  const known = { tx, broadcast, workspace, sender, template, uploads, path, family };
  const context: ClaimContext = { ...known, capRemaining, limited, room, people };
  const counters = getCounters(tx, broadcast.id);
  const { rate } = counters;
  keepResumedInPast(tx, counters);
  const queued = { status: "queued", money: "held" } as const;
  const delta = { ...zeroDelta };
  const claimed: ClaimedRecipient[] = [];
  let isFull = false;
  for (const row of rows) {
    const decision = decide(context, row);
    if (decision.kind === "full") {
      isFull = true;
      break;
    }
    if (decision.kind === "later") {
      delayRecipient(tx, row.id, decision.until);
    } else if (decision.kind === "skip") {
      if (!skipRecipient(tx, row.id, decision.code, describeSkip(decision.code, decision.detail))) continue;
      addDelta(delta, computeDelta(queued, { status: "skipped", money: "released" }, rate));
    } else if (claimRecipient(tx).run({ id: row.id, dispatchedAt: tx.now }) === 1) {
      addDelta(delta, computeDelta(queued, { status: "sending", money: "held" }, rate));
      claimed.push(decision.recipient);
    }
  }
  adjustCounters(tx, { broadcastId: broadcast.id, workspaceId: workspace.id }, delta);
  if (claimed.length > 0) recordLastSent(tx, broadcast.id);
  if (limited !== null) addPeople(tx, limited, workspace.id, context.people);
  return { recipients: claimed, isFull };
}

type Decision =
  | { kind: "send"; recipient: ClaimedRecipient }
  | { kind: "later"; until: number }
  | { kind: "full" }
  | { kind: "skip"; code: SkipCode; detail?: string };

function decide(context: ClaimContext, row: WaitingRecipient): Decision {
  const { tx, broadcast, template } = context;
  const overCode = whatIsOver(broadcast, tx.now);
  if (overCode !== null) return { kind: "skip", code: overCode };
  const contact = row.contactId === null ? undefined : contactOfRecipient(tx).get({ id: row.contactId });
  if (row.contactId === null || contact === undefined || !isAddressable(contact))
    return { kind: "skip", code: nameless(contact) };
  const consentCode = consentSkip(contact);
  if (consentCode !== null) return { kind: "skip", code: consentCode };
  const address = readAddress(context, row, row.contactId, contact.phone);
  if ("kind" in address) return address;
  const { identityId } = contact;
  if (identityId !== null && broadcast.dayStartsAt === null && isSentToLinkedContact(tx, broadcast, row.contactId)) {
    return { kind: "skip", code: "duplicate" };
  }
  const reachedBy = findReached(tx, broadcast, context.family, { id: row.contactId, identityId });
  if (reachedBy !== null) return { kind: "skip", code: "duplicate", detail: describeReached(reachedBy) };
  const last = lastDispatchedAt(tx, { id: row.contactId, workspaceId: context.workspace.id });
  if (last !== null && last > tx.now - PAIR_PACE_MS && last <= tx.now) {
    return { kind: "later", until: last + PAIR_PACE_MS };
  }
  const limit = applyLimits(context, row.toPhone, contact, identityId ?? row.contactId);
  if (limit !== null) return limit;
  const { content } = fillTemplate(template, inputFor(broadcast, row));
  const { id, sendToken } = row;
  const { uploads } = context;
  const to = { to: address.phone, recipientNetworkUserId: address.networkUserId };
  const path = row.fellBack ? "general" : context.path;
  return { kind: "send", recipient: { id, ...to, sendToken, content, uploads, path } };
}

/** A contact that was joined into another one, which is a recipient too, is linked with it. */
function nameless(contact: Pick<Contact, "identityId"> | undefined): SkipCode {
  return contact === undefined || contact.identityId === null ? "erased" : "duplicate";
}

/** Nothing is sent after the day of a birthday, or the end of an offer. */
function whatIsOver({ dayEndsAt, parts }: Broadcast, now: number): SkipCode | null {
  if (dayEndsAt !== null && now >= dayEndsAt) return "day_passed";
  return parts?.offerEndsAt !== undefined && now >= parts.offerEndsAt ? "offer_over" : null;
}

type Address = { phone: string | null; networkUserId: string | null };

/** Reads more than the contact's phone number only where there is none. */
function readAddress(
  { tx, workspace, sender, template }: ClaimContext,
  { toPhone }: WaitingRecipient,
  contactId: number,
  known: string | null,
): Address | Extract<Decision, { kind: "skip" }> {
  const address =
    known === null
      ? addressOf(tx, getContact(tx, workspace.id, contactId))
      : { phone: known as E164, networkUserId: null, contact: null };
  // The number may belong to another person by now. A user id never does.
  if (address.phone !== toPhone && !isUserId(toPhone)) return { kind: "skip", code: "number_changed" };
  if (address.phone !== null) return { phone: address.phone, networkUserId: null };
  const detail = findAddressProblem(tx, address, sender, template);
  if (detail !== null) return { kind: "skip", code: "invalid_number", detail };
  return { phone: null, networkUserId: requireAddress(tx, address, sender, template).networkUserId };
}

/** The network's limit and the workspace's own. Null: the person fits under both, and counts from now on. */
function applyLimits(context: ClaimContext, person: string, contact: WindowTimes, identityId: number): Decision | null {
  const room = roomFor(context, person, contact);
  if (room === "none") return { kind: "full" };
  const { workspace } = context;
  if (hasCap(workspace) && !fitsUnderCap(context, workspace, identityId)) return { kind: "skip", code: "daily_cap" };
  if (room === "taken") context.room -= 1;
  if (room !== "free") context.people.push(person);
  return null;
}

function consentSkip({
  consent,
  mayWantToStopSince,
}: Pick<Contact, "consent" | "mayWantToStopSince">): SkipCode | null {
  if (consent === "opted_out") return "opted_out";
  if (mayWantToStopSince !== null) return "may_want_to_stop";
  return consent === "opted_in" ? null : "no_opt_in";
}

/** Two contacts may turn out to be one person after both were built. */
function isSentToLinkedContact(tx: Tx, broadcast: Broadcast, contactId: number): boolean {
  const contact = getContact(tx, broadcast.workspaceId, contactId);
  return listLinkedContacts(tx, contact).some((other) => hasDispatchedRecipient(tx, broadcast.id, other.id));
}

/** What the network's limit says: the person does not count, is counted already, takes up room, or has to wait. */
function roomFor(
  { tx, limited, room }: ClaimContext,
  person: string,
  contact: WindowTimes,
): "free" | "counted" | "taken" | "none" {
  if (limited === null || isInWindow(tx, contact)) return "free";
  if (isCounted(tx, limited, person)) return "counted";
  return room > 0 ? "taken" : "none";
}

function fitsUnderCap(context: ClaimContext, workspace: Workspace, identityId: number): boolean {
  const { tx } = context;
  if (context.capRemaining !== null && !isRecentRecipient(tx, workspace.id, identityId)) {
    if (context.capRemaining === 0) return false;
    context.capRemaining -= 1;
  }
  addRecentRecipient(tx, workspace, identityId);
  return true;
}

function inputFor(broadcast: Broadcast, { variables }: Pick<WaitingRecipient, "variables">) {
  const { mediaLink: link, mediaFilename: filename } = broadcast;
  const { upload, ...parts } = broadcast.parts ?? {};
  const isGiven = link !== null || upload !== undefined;
  const input = {
    template: broadcast.templateName,
    language: broadcast.templateLanguage,
    media: isGiven ? { link, filename, ...(upload === undefined ? {} : { upload }) } : null,
    parts,
    variables: broadcast.variables,
  };
  return templateInput(input, variables ?? { header: [], body: [] });
}
