/**
 * Applies an inbound message: finds or creates the contact, stores the message exactly once, opens the 24-hour window,
 * and applies STOP and START.
 */
import type { Tx } from "#src/db/transaction.ts";
import { setLastMessageAt } from "../contacts/statements.ts";
import type { Contact } from "../contacts/table.ts";
import { viewContact } from "../contacts/view.ts";
import { requestMedia } from "../media/request.ts";
import type { Media } from "../media/table.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { publish } from "../webhooks/publish.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { applyWords } from "./apply-words.ts";
import type { InboundItem } from "./callback-item.ts";
import type { InboundDetails } from "./details.ts";
import { findOrCreateSender } from "./find-sender.ts";
import { resolveReferences } from "./resolve-references.ts";
import { insertInbound, knownInbound } from "./statements.ts";
import type { Inbound } from "./table.ts";
import { viewInbound } from "./view.ts";

/** Whether this inbound was stored before. */
export function isKnownInbound(tx: Tx, workspaceId: number, networkMessageId: string): boolean {
  return knownInbound(tx).get({ workspaceId, networkMessageId }) !== undefined;
}

/** Stores an inbound exactly once. Undefined: it was stored before. */
export function recordInbound(
  tx: Tx,
  number: SendingNumber,
  sender: Contact,
  { networkMessageId, type, text, at }: Pick<InboundItem, "networkMessageId" | "type" | "text" | "at">,
  details: InboundDetails | null,
): Inbound | undefined {
  return insertInbound(tx).get({
    workspaceId: number.workspaceId,
    numberId: number.id,
    contactId: sender.id,
    networkMessageId,
    type,
    text,
    details,
    receivedAt: Math.min(at, tx.now),
    createdAt: tx.now,
  });
}

/** Undefined: this inbound was stored before, and nothing changed. */
export function receive(tx: Tx, number: SendingNumber, item: InboundItem): Inbound | undefined {
  const workspace = getWorkspace(tx, number.workspaceId);
  if (isKnownInbound(tx, workspace.id, item.networkMessageId)) return undefined;

  const identity = { from: item.from, networkUserId: item.fromNetworkUserId, profileName: item.profileName };
  const sender = findOrCreateSender(tx, workspace, identity);
  const details = resolveReferences(tx, number, item.details, item.references);
  const inbound = recordInbound(tx, number, sender, item, details);
  if (inbound === undefined) return undefined;
  const medium = fetchLater(tx, number, item, inbound);
  const writer = openWindow(tx, sender, inbound.receivedAt);
  const contact = applyWords(tx, workspace, writer, item, inbound);
  publish(tx, workspace, "message.received", {
    message: viewInbound(inbound, contact, number, workspace, medium),
    contact: viewContact(tx, contact, workspace),
  });
  return inbound;
}

/** The event goes out without waiting for the file. Null: the message brings none. */
function fetchLater(
  tx: Tx,
  number: SendingNumber,
  { networkMediaId, details: { media } }: InboundItem,
  { id }: Inbound,
): Media | null {
  return networkMediaId === null || media === undefined ? null : requestMedia(tx, number, id, networkMediaId, media);
}

/** The window opens at the network's time, which is never later than now and never moves back. */
function openWindow(tx: Tx, contact: Contact, at: number): Contact {
  if (contact.lastMessageAt !== null && contact.lastMessageAt >= at) return contact;
  return setLastMessageAt(tx).get({ id: contact.id, lastMessageAt: at, updatedAt: tx.now }) ?? contact;
}
