/**
 * Takes the next recipients to hand over: permission is read again, consent among it, and `sending` is on disk before
 * anything leaves. As many are taken as can leave right after the commit, never more: whoever is `sending` at a crash is
 * in doubt.
 */
import { and, eq, sql } from "drizzle-orm";
import { statement, type Tx } from "#src/db/transaction.ts";
import { listLinkedContacts } from "../contacts/change-consent.ts";
import type { Consent } from "../contacts/consent.ts";
import { getContact } from "../contacts/find.ts";
import { contacts } from "../contacts/table.ts";
import { adjustCounters, getCounters, recordLastSent } from "../messages/adjust-counters.ts";
import { holdCost } from "../messages/broadcast-cost.ts";
import { addDelta, computeDelta, zeroDelta } from "../messages/broadcast-counters.ts";
import type { Content } from "../messages/content.ts";
import { addRecentRecipient, hasCap, isRecentRecipient, remainingUnderCap } from "../messages/daily-cap.ts";
import { fillTemplate } from "../messages/fill-template.ts";
import { hasDispatchedRecipient, lastDispatchedAt } from "../messages/read.ts";
import { messages } from "../messages/table.ts";
import type { SendingNumber } from "../numbers/table.ts";
import type { Template } from "../templates/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import { applyReportedRefusal } from "./apply-refusal.ts";
import { readEligibility } from "./eligibility.ts";
import { failUnsent } from "./hold-restored.ts";
import { applyBlocker, pauseBroadcast } from "./pause.ts";
import { templateInput } from "./plan.ts";
import { delayRecipient, listDue, listReady, nextDueAt, skipRecipient, type WaitingRecipient } from "./recipients.ts";
import { describeSkip, type SkipCode } from "./skip.ts";
import type { Broadcast } from "./table.ts";

export interface ClaimedRecipient {
  id: number;
  to: string;
  recipientNetworkUserId: string | null;
  sendToken: string;
  content: Content;
}

export interface ClaimResult {
  recipients: ClaimedRecipient[];
  sender: SendingNumber | null;
  /** Where the next look begins; 0: at the start again. */
  after: number;
  /** When there may be more to take: a wall time; null: at once; "never": not before something changes. */
  nextAt: number | null | "never";
}

/** One message to the same person in so many milliseconds: the network's own limit of a pair. */
const PAIR_PACE_MS = 6_000;

const FAIL_BATCH = 100;

const nothingClaimed: ClaimResult = { recipients: [], sender: null, after: 0, nextAt: "never" };

/** Looks at up to `limit` recipients behind `after`, and takes those who may be sent to now. */
export function claimRecipients(tx: Tx, id: number, after: number, limit: number): ClaimResult {
  const broadcast = applyReportedRefusal(tx, id);
  if (broadcast.status !== "running") return nothingClaimed;
  if (broadcast.waitsUntil !== null && broadcast.waitsUntil > tx.now) {
    return { ...nothingClaimed, nextAt: broadcast.waitsUntil };
  }
  if (broadcast.isFailingUnsent) {
    const failed = failUnsent(tx, broadcast, FAIL_BATCH);
    return { ...nothingClaimed, nextAt: failed === FAIL_BATCH ? null : "never" };
  }
  const eligibility = readEligibility(tx, broadcast);
  if (!eligibility.isEligible) {
    // Where nobody is left to be spared, the last hand-overs end it; one that comes back brings us here again.
    if (getCounters(tx, id).pending > 0) applyBlocker(tx, broadcast, eligibility.blocker);
    return nothingClaimed;
  }
  if (!holdCost(tx, id)) {
    pauseBroadcast(tx, broadcast, "balance", "the balance does not cover it");
    return nothingClaimed;
  }
  const due = listDue(tx, id, limit);
  const ready = due.length === limit ? [] : listReady(tx, id, after, limit - due.length);
  const recipients = claimRows(tx, broadcast, eligibility, [...due, ...ready]);
  const { sender } = eligibility;
  if (due.length + ready.length === limit) {
    return { recipients, sender, after: ready.at(-1)?.id ?? after, nextAt: null };
  }
  // Behind the mark there is nobody. Who was taken back may lie before it; then whoever is left waits for their own time.
  return { recipients, sender, after: 0, nextAt: after > 0 ? null : (nextDueAt(tx, id) ?? "never") };
}

interface ClaimContext {
  tx: Tx;
  broadcast: Broadcast;
  workspace: Workspace;
  template: Template;
  /** How many more people the daily cap lets through; null: there is none. */
  capRemaining: number | null;
}

function claimRows(
  tx: Tx,
  broadcast: Broadcast,
  { workspace, template }: { workspace: Workspace; template: Template },
  rows: readonly WaitingRecipient[],
): ClaimedRecipient[] {
  const context: ClaimContext = { tx, broadcast, workspace, template, capRemaining: remainingUnderCap(tx, workspace) };
  const { rate } = getCounters(tx, broadcast.id);
  const queued = { status: "queued", money: "held" } as const;
  const delta = { ...zeroDelta };
  const claimed: ClaimedRecipient[] = [];
  for (const row of rows) {
    const decision = decide(context, row);
    if (decision.kind === "later") {
      delayRecipient(tx, row.id, decision.until);
    } else if (decision.kind === "skip") {
      if (!skipRecipient(tx, row.id, decision.code, describeSkip(decision.code))) continue;
      addDelta(delta, computeDelta(queued, { status: "skipped", money: "released" }, rate));
    } else if (dispatch(tx).run({ id: row.id, now: tx.now }).changes === 1) {
      addDelta(delta, computeDelta(queued, { status: "sending", money: "held" }, rate));
      claimed.push(decision.recipient);
    }
  }
  adjustCounters(tx, { broadcastId: broadcast.id, workspaceId: workspace.id }, delta);
  if (claimed.length > 0) recordLastSent(tx, broadcast.id);
  return claimed;
}

const dispatch = statement((db) =>
  db
    .update(messages)
    .set({ status: "sending", dispatchedAt: sql`${sql.placeholder("now")}`, notBefore: null })
    .where(and(eq(messages.id, sql.placeholder("id")), sql`${messages.status} = 'queued'`))
    .prepare(),
);

type Decision =
  | { kind: "send"; recipient: ClaimedRecipient }
  | { kind: "later"; until: number }
  | { kind: "skip"; code: SkipCode };

const contactById = statement((db) =>
  db
    .select({
      phone: contacts.phone,
      consent: contacts.consent,
      identityId: contacts.identityId,
      networkUserId: contacts.networkUserId,
    })
    .from(contacts)
    .where(eq(contacts.id, sql.placeholder("id")))
    .prepare(),
);

function decide(context: ClaimContext, row: WaitingRecipient): Decision {
  const { tx, broadcast, workspace, template } = context;
  if (broadcast.dayEndsAt !== null && tx.now >= broadcast.dayEndsAt) return { kind: "skip", code: "day_passed" };
  const contact = row.contactId === null ? undefined : contactById(tx).get({ id: row.contactId });
  if (row.contactId === null || contact === undefined || contact.phone === null)
    return { kind: "skip", code: "erased" };
  const consentCode = consentSkip(contact.consent);
  if (consentCode !== null) return { kind: "skip", code: consentCode };
  // Somebody else may have the number by now.
  if (contact.phone !== row.toPhone) return { kind: "skip", code: "number_changed" };
  const { identityId } = contact;
  if (identityId !== null && broadcast.dayStartsAt === null && isSentToLinkedContact(tx, broadcast, row.contactId)) {
    return { kind: "skip", code: "duplicate" };
  }
  const last = lastDispatchedAt(tx, row.contactId);
  if (last !== null && last > tx.now - PAIR_PACE_MS && last <= tx.now) {
    return { kind: "later", until: last + PAIR_PACE_MS };
  }
  if (hasCap(workspace) && !fitsUnderCap(context, workspace, identityId ?? row.contactId)) {
    return { kind: "skip", code: "daily_cap" };
  }
  const { content } = fillTemplate(template, inputFor(broadcast, row));
  const { id, sendToken } = row;
  return {
    kind: "send",
    recipient: { id, to: contact.phone, recipientNetworkUserId: contact.networkUserId, sendToken, content },
  };
}

function consentSkip(consent: Consent): SkipCode | null {
  if (consent === "opted_out") return "opted_out";
  return consent === "opted_in" ? null : "no_opt_in";
}

/** Two contacts turned out to be one person after both had been built. */
function isSentToLinkedContact(tx: Tx, broadcast: Broadcast, contactId: number): boolean {
  const contact = getContact(tx, broadcast.workspaceId, contactId);
  return listLinkedContacts(tx, contact).some((other) => hasDispatchedRecipient(tx, broadcast.id, other.id));
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
  const media = broadcast.mediaLink === null ? null : { link: broadcast.mediaLink, filename: broadcast.mediaFilename };
  const input = {
    template: broadcast.templateName,
    language: broadcast.templateLanguage,
    media,
    variables: broadcast.variables,
  };
  return templateInput(input, variables ?? { header: [], body: [] });
}
