/**
 * Applies an inbound message: finds or creates the contact, stores the message exactly once, opens the 24-hour window,
 * and applies STOP and START.
 */
import { eq, sql } from "drizzle-orm";
import { statement, type Tx } from "#src/db/transaction.ts";
import { changeConsent } from "../contacts/change-consent.ts";
import { type Contact, contacts } from "../contacts/table.ts";
import { viewContact } from "../contacts/view.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { publish } from "../webhooks/publish.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { readCommand } from "../workspaces/read-command.ts";
import type { Workspace } from "../workspaces/table.ts";
import type { InboundItem } from "./callback-item.ts";
import { findOrCreateSender } from "./find-sender.ts";
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

/** Whether this inbound was stored before. */
export function isKnownInbound(tx: Tx, workspaceId: number, networkMessageId: string): boolean {
  return isKnown(tx).get({ workspaceId, networkMessageId }) !== undefined;
}

/** Stores an inbound exactly once. Undefined: it was stored before. */
export function recordInbound(
  tx: Tx,
  number: SendingNumber,
  sender: Contact,
  { networkMessageId, type, text, at }: Pick<InboundItem, "networkMessageId" | "type" | "text" | "at">,
): Inbound | undefined {
  return insert(tx).get({
    workspaceId: number.workspaceId,
    numberId: number.id,
    contactId: sender.id,
    networkMessageId,
    type,
    text,
    receivedAt: Math.min(at, tx.now),
    now: tx.now,
  });
}

/** Undefined: this inbound was stored before, and nothing changed. */
export function receive(tx: Tx, number: SendingNumber, item: InboundItem): Inbound | undefined {
  const workspace = getWorkspace(tx, number.workspaceId);
  if (isKnownInbound(tx, workspace.id, item.networkMessageId)) return undefined;

  const identity = { from: item.from, networkUserId: item.fromNetworkUserId, profileName: item.profileName };
  const sender = findOrCreateSender(tx, workspace, identity);
  const inbound = recordInbound(tx, number, sender, item);
  if (inbound === undefined) return undefined;
  const writer = openWindow(tx, sender, inbound.receivedAt);
  const contact = applyCommand(tx, workspace, writer, item, inbound);
  publish(tx, workspace, "message.received", {
    message: viewInbound(inbound, contact, number, workspace),
    contact: viewContact(tx, contact, workspace),
  });
  return inbound;
}

/** The window opens at the network's time, which is never later than now and never moves back. */
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

/**
 * Applies STOP and START, in every language and in the workspace's own words. Only a typed text lifts an opt-out: a
 * button may be pressed by mistake, and the workspace wrote its title, not the person.
 */
function applyCommand(tx: Tx, workspace: Workspace, contact: Contact, item: InboundItem, inbound: Inbound): Contact {
  const command = item.command === null ? null : readCommand(item.command, workspace);
  if (command === null || (command === "start" && item.type !== "text")) return contact;
  const consentEvidence = { source: "inbound_message" as const, evidence: { inbound: inbound.id } };
  return changeConsent(tx, workspace, contact, { kind: command, saidAt: inbound.receivedAt }, consentEvidence);
}
