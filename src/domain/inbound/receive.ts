/**
 * Takes in what a person wrote: the person (new or known by any of their names), the message itself exactly once, the
 * 24-hour window, and their word about being written to.
 */
import { eq, sql } from "drizzle-orm";
import { fromNetwork } from "#src/primitives/phone.ts";
import { statement, type Tx } from "#src/storage/transaction.ts";
import { changeConsent } from "../contacts/change-consent.ts";
import { createContact } from "../contacts/create.ts";
import { findByAnySpelling, findByNetworkUser } from "../contacts/find.ts";
import { learnNetworkId, learnNetworkUser } from "../contacts/link.ts";
import { type Contact, contacts } from "../contacts/table.ts";
import { viewContact } from "../contacts/view.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { publish } from "../webhooks/publish.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { readCommand } from "../workspaces/workspace.ts";
import type { InboundReport } from "./report.ts";
import { type Inbound, inbounds } from "./table.ts";
import { viewInbound } from "./view.ts";

const insert = statement((db) =>
  db
    .insert(inbounds)
    .values({
      workspaceId: sql.placeholder("workspaceId"),
      numberId: sql.placeholder("numberId"),
      contactId: sql.placeholder("contactId"),
      networkMessageId: sql.placeholder("networkMessageId"),
      type: sql.placeholder("type"),
      text: sql.placeholder("text"),
      receivedAt: sql.placeholder("receivedAt"),
      createdAt: sql.placeholder("now"),
    })
    .onConflictDoNothing()
    .returning()
    .prepare(),
);

const isKnown = statement((db) =>
  db
    .select({ id: inbounds.id })
    .from(inbounds)
    .where(
      sql`${inbounds.workspaceId} = ${sql.placeholder("workspaceId")} and ${inbounds.networkMessageId} = ${sql.placeholder("networkMessageId")}`,
    )
    .prepare(),
);

/** Undefined: this very inbound was taken in before, and nothing changed. */
export function receive(tx: Tx, number: SendingNumber, report: InboundReport): Inbound | undefined {
  const workspace = getWorkspace(tx, number.workspaceId);
  const { networkMessageId } = report;
  if (isKnown(tx).get({ workspaceId: workspace.id, networkMessageId }) !== undefined) return undefined;

  const sender = findOrCreateSender(tx, workspace, report);
  const at = Math.min(report.at, tx.now);
  const inbound = insert(tx).get({
    workspaceId: workspace.id,
    numberId: number.id,
    contactId: sender.id,
    networkMessageId,
    type: report.type,
    text: report.text,
    receivedAt: at,
    now: tx.now,
  });
  if (inbound === undefined) return undefined;
  const wrote = openWindow(tx, sender, at);
  const contact = obey(tx, workspace, wrote, report, inbound, at);
  publish(tx, workspace, "message.received", {
    message: viewInbound(inbound, contact, workspace),
    contact: viewContact(contact, workspace),
  });
  return inbound;
}

/** By the network's own id first, then by number in any spelling; a stranger becomes a contact without consent. */
function findOrCreateSender(tx: Tx, workspace: Workspace, { from, fromUserId, profileName }: InboundReport): Contact {
  const phone = from === null ? null : fromNetwork(from);
  const byPhone = phone === null ? undefined : findByAnySpelling(tx, workspace.id, phone);
  const byUser = fromUserId === null ? undefined : findByNetworkUser(tx, workspace.id, fromUserId);
  const known = byPhone ?? byUser;
  if (known === undefined) {
    return createContact(tx, workspace.id, { phone, networkUserId: fromUserId, name: profileName });
  }
  if (phone !== null && known.phone === null) return nameByPhone(tx, known, phone);
  if (from !== null) learnNetworkId(tx, workspace, known, from);
  if (fromUserId !== null) learnNetworkUser(tx, workspace, known, fromUserId);
  return reread(tx, known);
}

/** Somebody known by the network's id alone has shown the number: from now on the API lists them. */
function nameByPhone(tx: Tx, contact: Contact, phone: string): Contact {
  const named = tx.db
    .update(contacts)
    .set({ phone, updatedAt: tx.now })
    .where(eq(contacts.id, contact.id))
    .returning()
    .get();
  return named ?? contact;
}

/** The network's time, never later than now and never moving back. */
function openWindow(tx: Tx, contact: Contact, at: number): Contact {
  if (contact.lastMessageAt !== null && contact.lastMessageAt >= at) return contact;
  const opened = tx.db
    .update(contacts)
    .set({ lastMessageAt: at, updatedAt: tx.now })
    .where(eq(contacts.id, contact.id))
    .returning()
    .get();
  return opened ?? contact;
}

/** STOP and START, in the workspace's words. */
function obey(
  tx: Tx,
  workspace: Workspace,
  contact: Contact,
  report: InboundReport,
  inbound: Inbound,
  saidAt: number,
): Contact {
  const command = report.command === null ? null : readCommand(report.command, workspace);
  if (command === null) return contact;
  const why = { source: "inbound_message" as const, evidence: { inbound: inbound.id } };
  return changeConsent(tx, workspace, contact, { kind: command, saidAt }, why);
}

function reread(tx: Tx, contact: Contact): Contact {
  return tx.db.select().from(contacts).where(eq(contacts.id, contact.id)).get() ?? contact;
}
