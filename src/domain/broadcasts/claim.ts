/**
 * Takes the next recipients to hand over: permission is read again, consent among it, and `sending` is on disk before
 * anything leaves. As many are taken as can leave right after the commit, never more: whoever is `sending` at a crash is
 * in doubt.
 */
import { and, eq, sql } from "drizzle-orm";
import { statement, type Tx } from "#src/db/transaction.ts";
import { linkedContacts } from "../contacts/change-consent.ts";
import type { Consent } from "../contacts/consent.ts";
import { getContact } from "../contacts/find.ts";
import { contacts } from "../contacts/table.ts";
import { adjust, getFigures, rememberSend } from "../messages/adjust-counters.ts";
import { holdCost } from "../messages/broadcast-cost.ts";
import { addChange, changeOf, noChange } from "../messages/broadcast-counters.ts";
import type { Content } from "../messages/content.ts";
import { hasCap, isReached, leftUnderCap, reach } from "../messages/daily-cap.ts";
import { fillTemplate } from "../messages/fill-template.ts";
import { hasSentRecipient, lastHandOver } from "../messages/read.ts";
import { messages } from "../messages/table.ts";
import type { SendingNumber } from "../numbers/table.ts";
import type { Template } from "../templates/table.ts";
import type { Workspace } from "../workspaces/table.ts";
import { obeyReported } from "./apply-refusal.ts";
import { readPermission } from "./eligibility.ts";
import { failUnsent } from "./hold-restored.ts";
import { pauseBroadcast, stopAt } from "./pause.ts";
import { templateInput } from "./plan.ts";
import { delayRecipient, listDue, listReady, nextTurn, skipRecipient, type WaitingRecipient } from "./recipients.ts";
import { describeSkip, type SkipCode } from "./skip.ts";
import type { Broadcast } from "./table.ts";

export interface TakenRecipient {
  id: number;
  to: string;
  recipientUserId: string | null;
  reference: string;
  content: Content;
}

export interface Taken {
  recipients: TakenRecipient[];
  sender: SendingNumber | null;
  /** Where the next look begins; 0: at the start again. */
  after: number;
  /** When there may be more to take: a wall time; null: at once; "never": not before something changes. */
  nextAt: number | null | "never";
}

/** One message to the same person in so many milliseconds: the network's own limit of a pair. */
const PAIR_PACE_MS = 6_000;

const FAILED_AT_ONCE = 100;

const nothing: Taken = { recipients: [], sender: null, after: 0, nextAt: "never" };

/** Looks at up to `limit` recipients behind `after`, and takes those who may be sent to now. */
export function takeRecipients(tx: Tx, id: number, after: number, limit: number): Taken {
  const broadcast = obeyReported(tx, id);
  if (broadcast.status !== "running") return nothing;
  if (broadcast.waitsUntil !== null && broadcast.waitsUntil > tx.now) {
    return { ...nothing, nextAt: broadcast.waitsUntil };
  }
  if (broadcast.failsUnsent) {
    const failed = failUnsent(tx, broadcast, FAILED_AT_ONCE);
    return { ...nothing, nextAt: failed === FAILED_AT_ONCE ? null : "never" };
  }
  const permission = readPermission(tx, broadcast);
  if (!permission.isGiven) {
    // Where nobody is left to be spared, the last hand-overs end it; one that comes back brings us here again.
    if (getFigures(tx, id).toGo > 0) stopAt(tx, broadcast, permission.obstacle);
    return nothing;
  }
  if (!holdCost(tx, id)) {
    pauseBroadcast(tx, broadcast, "balance", "the balance does not cover it");
    return nothing;
  }
  const due = listDue(tx, id, limit);
  const ready = due.length === limit ? [] : listReady(tx, id, after, limit - due.length);
  const recipients = takeRows(tx, broadcast, permission, [...due, ...ready]);
  const { sender } = permission;
  if (due.length + ready.length === limit) {
    return { recipients, sender, after: ready.at(-1)?.id ?? after, nextAt: null };
  }
  // Behind the mark there is nobody. Who was taken back may lie before it; then whoever is left waits for their own time.
  return { recipients, sender, after: 0, nextAt: after > 0 ? null : (nextTurn(tx, id) ?? "never") };
}

interface Taking {
  tx: Tx;
  broadcast: Broadcast;
  workspace: Workspace;
  template: Template;
  /** How many more people the daily cap lets through; null: there is none. */
  left: number | null;
}

function takeRows(
  tx: Tx,
  broadcast: Broadcast,
  { workspace, template }: { workspace: Workspace; template: Template },
  rows: readonly WaitingRecipient[],
): TakenRecipient[] {
  const taking: Taking = { tx, broadcast, workspace, template, left: leftUnderCap(tx, workspace) };
  const { rate } = getFigures(tx, broadcast.id);
  const queued = { status: "queued", money: "held" } as const;
  const change = { ...noChange };
  const taken: TakenRecipient[] = [];
  for (const row of rows) {
    const turn = decide(taking, row);
    if (turn.kind === "later") {
      delayRecipient(tx, row.id, turn.until);
    } else if (turn.kind === "skip") {
      if (!skipRecipient(tx, row.id, turn.code, describeSkip(turn.code))) continue;
      addChange(change, changeOf(queued, { status: "skipped", money: "released" }, rate));
    } else if (send(tx).run({ id: row.id, now: tx.now }).changes === 1) {
      addChange(change, changeOf(queued, { status: "sending", money: "held" }, rate));
      taken.push(turn.recipient);
    }
  }
  adjust(tx, { broadcastId: broadcast.id, workspaceId: workspace.id }, change);
  if (taken.length > 0) rememberSend(tx, broadcast.id);
  return taken;
}

const send = statement((db) =>
  db
    .update(messages)
    .set({ status: "sending", handedOverAt: sql`${sql.placeholder("now")}`, notBefore: null })
    .where(and(eq(messages.id, sql.placeholder("id")), sql`${messages.status} = 'queued'`))
    .prepare(),
);

type RecipientTurn =
  | { kind: "send"; recipient: TakenRecipient }
  | { kind: "later"; until: number }
  | { kind: "skip"; code: SkipCode };

const permissionOf = statement((db) =>
  db
    .select({
      phone: contacts.phone,
      consent: contacts.consent,
      personId: contacts.personId,
      networkUserId: contacts.networkUserId,
    })
    .from(contacts)
    .where(eq(contacts.id, sql.placeholder("id")))
    .prepare(),
);

function decide(taking: Taking, row: WaitingRecipient): RecipientTurn {
  const { tx, broadcast, workspace, template } = taking;
  if (broadcast.dayEndsAt !== null && tx.now >= broadcast.dayEndsAt) return { kind: "skip", code: "day_passed" };
  const contact = row.contactId === null ? undefined : permissionOf(tx).get({ id: row.contactId });
  if (row.contactId === null || contact === undefined || contact.phone === null)
    return { kind: "skip", code: "erased" };
  const refused = refusedBy(contact.consent);
  if (refused !== null) return { kind: "skip", code: refused };
  // Somebody else may have the number by now.
  if (contact.phone !== row.toPhone) return { kind: "skip", code: "number_changed" };
  const { personId } = contact;
  if (personId !== null && broadcast.dayStartsAt === null && isReachedAlready(tx, broadcast, row.contactId)) {
    return { kind: "skip", code: "duplicate" };
  }
  const last = lastHandOver(tx, row.contactId);
  if (last !== null && last > tx.now - PAIR_PACE_MS && last <= tx.now) {
    return { kind: "later", until: last + PAIR_PACE_MS };
  }
  if (hasCap(workspace) && !fitsUnderCap(taking, workspace, personId ?? row.contactId)) {
    return { kind: "skip", code: "daily_cap" };
  }
  const { content } = fillTemplate(template, inputOf(broadcast, row));
  const { id, reference } = row;
  return {
    kind: "send",
    recipient: { id, to: contact.phone, recipientUserId: contact.networkUserId, reference, content },
  };
}

function refusedBy(consent: Consent): SkipCode | null {
  if (consent === "opted_out") return "opted_out";
  return consent === "opted_in" ? null : "no_opt_in";
}

/** Two contacts turned out to be one person after both had been built. */
function isReachedAlready(tx: Tx, broadcast: Broadcast, contactId: number): boolean {
  const contact = getContact(tx, broadcast.workspaceId, contactId);
  return linkedContacts(tx, contact).some((other) => hasSentRecipient(tx, broadcast.id, other.id));
}

function fitsUnderCap(taking: Taking, workspace: Workspace, personId: number): boolean {
  const { tx } = taking;
  if (taking.left !== null && !isReached(tx, workspace.id, personId)) {
    if (taking.left === 0) return false;
    taking.left -= 1;
  }
  reach(tx, workspace, personId);
  return true;
}

function inputOf(broadcast: Broadcast, { variables }: Pick<WaitingRecipient, "variables">) {
  const media = broadcast.mediaLink === null ? null : { link: broadcast.mediaLink, filename: broadcast.mediaFilename };
  const input = {
    template: broadcast.templateName,
    language: broadcast.templateLanguage,
    media,
    variables: broadcast.variables,
  };
  return templateInput(input, variables ?? { header: [], body: [] });
}
