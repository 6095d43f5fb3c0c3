/** Learns from answers and statuses how the network names the recipient of a message. */
import type { Tx } from "#src/db/transaction.ts";
import { learnIdentity } from "../contacts/learn-identity.ts";
import { findNumber } from "../numbers/read.ts";
import { portfolioOf } from "../numbers/user-id-scope.ts";
import { getWorkspace } from "../workspaces/read.ts";
import { contactOf } from "./read.ts";
import type { StatusItem } from "./status-item.ts";
import type { Message } from "./table.ts";

interface NamedRecipient {
  /** Digits. */
  recipientId: string | null;
  recipientNetworkUserId: string | null;
  recipientParentUserId?: string | null;
  recipientUsername?: string | null;
}

export function learnFromAnswer(tx: Tx, message: Message, named: NamedRecipient): void {
  const isKnownVariant = named.recipientId === null || `+${named.recipientId}` === message.toPhone;
  if (isKnownVariant && named.recipientNetworkUserId === null) return;
  learn(tx, message, named);
}

/**
 * A status tells the user id of a person whose phone number we know, and the phone number of one whose user id we know.
 * A variant of a known number is learned from the answer alone.
 */
export function learnFromStatus(tx: Tx, message: Message, item: StatusItem): void {
  if (message.contactId === null) return;
  const isSentToPhone = message.toPhone.startsWith("+");
  if (item.recipientNetworkUserId === null && (isSentToPhone || item.recipientId === null)) return;
  learn(tx, message, isSentToPhone ? { ...item, recipientId: null } : item);
}

function learn(tx: Tx, message: Message, named: NamedRecipient): void {
  const contact = contactOf(tx, message);
  const { recipientId: phone, recipientNetworkUserId: networkUserId, recipientParentUserId: parentUserId } = named;
  const number = findNumber(tx, message.numberId);
  if (number === undefined) return;
  const portfolio = portfolioOf(tx, number);
  const username = named.recipientUsername;
  learnIdentity(tx, getWorkspace(tx, message.workspaceId), contact, {
    phone,
    networkUserId,
    parentUserId,
    username,
    portfolio,
  });
}
