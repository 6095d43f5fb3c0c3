/**
 * Applies an inbound message: finds or creates the contact, stores the message exactly once, opens the 24-hour window,
 * applies STOP and START, and plans the away message. A message of the phone's history is stored and may opt out; it is never new.
 */
import type { Tx } from "#src/db/transaction.ts";
import { closedConversationOn, conversationOn } from "../contacts/conversation-statements.ts";
import { preferNumber } from "../contacts/joined.ts";
import { setLastMessageAt } from "../contacts/statements.ts";
import { CONTACT_CHANGED, type Contact } from "../contacts/table.ts";
import { viewContact } from "../contacts/view.ts";
import { requestMedia } from "../media/record.ts";
import { setTold } from "../media/statements.ts";
import type { Media } from "../media/table.ts";
import { redirectWaiting } from "../messages/redirect.ts";
import { cancelOnReply } from "../messages/scheduled.ts";
import type { SendingNumber } from "../numbers/table.ts";
import { portfolioOf } from "../numbers/user-id-scope.ts";
import { publish } from "../webhooks/publish.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { applyWords } from "./apply-words.ts";
import type { InboundItem } from "./callback-item.ts";
import type { InboundDetails } from "./details.ts";
import { findOrCreateSender } from "./find-sender.ts";
import { resolveReferences } from "./resolve-references.ts";
import { sendAwayMessage } from "./send-away.ts";
import { completeInbound, inboundById, insertInbound, knownInbound } from "./statements.ts";
import type { Inbound } from "./table.ts";
import { tellConversation } from "./tell-conversation.ts";
import { reportOther, reportReceived } from "./thread-owner.ts";
import { viewInbound } from "./view.ts";

/** Whether this inbound was stored before. */
export function isKnownInbound(tx: Tx, workspaceId: number, networkMessageId: string): boolean {
  return knownInbound(tx).get({ workspaceId, networkMessageId }) !== undefined;
}

/** Stores an inbound that was not stored before. */
export function recordInbound(
  tx: Tx,
  number: SendingNumber,
  sender: Contact,
  {
    networkMessageId,
    type,
    text,
    at,
    origin,
  }: Pick<InboundItem, "networkMessageId" | "type" | "text" | "at" | "origin">,
  details: InboundDetails | null,
): Inbound {
  const inbound: Omit<Inbound, "id"> = {
    workspaceId: number.workspaceId,
    numberId: number.id,
    contactId: sender.id,
    networkMessageId,
    type,
    // As SQLite stores it, and so for the event.
    text: text === null ? null : text.toWellFormed(),
    details,
    receivedAt: Math.min(at, tx.now),
    createdAt: tx.now,
    origin: origin ?? "messages",
  };
  return { id: insertInbound(tx).insert(inbound), ...inbound };
}

/** Undefined: this inbound was stored before, and nothing is new. */
export function receive(tx: Tx, number: SendingNumber, item: InboundItem): Inbound | undefined {
  const workspace = getWorkspace(tx, number.workspaceId);
  const stored = findStored(tx, workspace.id, item.networkMessageId);
  if (item.origin === "history") {
    receiveHistory(tx, number, workspace, item, stored);
    return undefined;
  }
  // What only the history has named so far is new to the customer: the row stays, and the message is received now.
  if (stored !== undefined && stored.origin !== "history") return undefined;

  const known = findOrCreateSender(tx, workspace, senderOf(item), portfolioOf(tx, number));
  const sender = answerWhereTheyWrite(tx, known, item.from);
  const details = resolveReferences(tx, number, item.details, item.references);
  const { type, text, origin = "messages" } = item;
  const place = { contactId: sender.id, numberId: number.id };
  const isReopened = closedConversationOn(tx).get(place) !== undefined;
  const recorded =
    stored === undefined
      ? recordInbound(tx, number, sender, item, details)
      : completeInbound(tx).only({ id: stored.id, type, text, details, origin });
  const inbound = fetchFiles(tx, number, item, recorded);
  const told = stored === undefined ? undefined : setTold(tx).get({ inboundId: stored.id });
  const medium = told ?? fetchLater(tx, number, item, inbound);
  const writer = openWindow(tx, sender, inbound.receivedAt);
  if (origin === "standby") reportOther(tx, number, sender.id, { sign: "standby", role: null, at: inbound.receivedAt });
  else reportReceived(tx, number, sender.id, inbound.receivedAt);
  if (isReopened) tellOpened(tx, number, place);
  const contact = applyWords(tx, workspace, writer, item, inbound);
  if (type !== "reaction") cancelOnReply(tx, contact);
  const message = viewInbound(inbound, contact, number, workspace, medium === null ? null : { medium, file: null });
  const event = { message, contact: viewContact(tx, contact, workspace) };
  publish(tx, workspace, "message.received", event, { contactId: contact.id, numberId: number.id });
  sendAwayMessage(tx, workspace, number, contact, inbound);
  return inbound;
}

/** A person with a further number gets the answer, and whatever waits, on the number from which they wrote. */
function answerWhereTheyWrite(tx: Tx, contact: Contact, from: string | null): Contact {
  const writer = from === null ? contact : preferNumber(tx, contact, from);
  if (writer.phone !== null && writer.phone !== contact.phone)
    redirectWaiting(tx, { fromContactId: writer.id, toContactId: writer.id, to: writer.phone });
  return writer;
}

/** The trigger of the stored message has opened the conversation. */
function tellOpened(tx: Tx, number: SendingNumber, place: { contactId: number; numberId: number }): void {
  const opened = conversationOn(tx).get(place);
  if (opened !== undefined) tellConversation(tx, opened, number);
}

/** As `fetchLater`, for the files of a form: their ids here stand next to its answers. */
function fetchFiles(tx: Tx, number: SendingNumber, { files, origin }: InboundItem, inbound: Inbound): Inbound {
  const { id, type, text, details } = inbound;
  if (files === undefined || details?.form === undefined) return inbound;
  const fetched = files.map(({ networkMediaId, stated }) => {
    const medium = requestMedia(tx, number, id, networkMediaId, stated, origin === "history");
    return { id: medium.id, ...stated };
  });
  const withFiles = { ...details, form: { ...details.form, files: fetched } };
  return completeInbound(tx).get({ id, type, text, details: withFiles, origin: inbound.origin }) ?? inbound;
}

/** The event goes out without waiting for the file. Null: the message brings none. */
function fetchLater(
  tx: Tx,
  number: SendingNumber,
  { networkMediaId, details: { media }, origin }: InboundItem,
  { id }: Inbound,
): Media | null {
  if (networkMediaId === null || media === undefined) return null;
  return requestMedia(tx, number, id, networkMediaId, media, origin === "history");
}

/** Never new: only a STOP, or a doubt, changes anything beside the conversation. */
function receiveHistory(
  tx: Tx,
  number: SendingNumber,
  workspace: Workspace,
  item: InboundItem,
  stored: Inbound | undefined,
): void {
  if (stored !== undefined && !isPlaceholder(stored, item)) return;
  const details = resolveReferences(tx, number, item.details, item.references);
  if (stored !== undefined) {
    completeInbound(tx).get({ id: stored.id, type: item.type, text: item.text, details, origin: stored.origin });
    fetchLater(tx, number, item, stored);
    return;
  }
  const sender = findOrCreateSender(tx, workspace, senderOf(item), portfolioOf(tx, number));
  const inbound = recordInbound(tx, number, sender, item, details);
  fetchLater(tx, number, item, inbound);
  applyWords(tx, workspace, sender, item, inbound);
}

/** The history names media before it brings them. */
export function isPlaceholder(stored: { type: string }, item: { type: string }): boolean {
  return stored.type === "media_placeholder" && item.type !== stored.type;
}

function findStored(tx: Tx, workspaceId: number, networkMessageId: string): Inbound | undefined {
  const known = knownInbound(tx).get({ workspaceId, networkMessageId });
  return known === undefined ? undefined : inboundById(tx).get(known);
}

/** Who wrote; a phone number that the person shared on request counts as given by the network. */
function senderOf({ from, fromNetworkUserId, parentUserId, username, sharedPhone, profileName }: InboundItem) {
  return { from: from ?? sharedPhone ?? null, networkUserId: fromNetworkUserId, parentUserId, username, profileName };
}

/** The window opens at the network's time, which is never later than now and never moves back. */
function openWindow(tx: Tx, contact: Contact, at: number): Contact {
  if (contact.lastMessageAt !== null && contact.lastMessageAt >= at) return contact;
  tx.notify(CONTACT_CHANGED);
  const opened = { ...contact, lastMessageAt: at, updatedAt: tx.now };
  setLastMessageAt(tx).run(opened);
  return opened;
}
