/**
 * What received messages, other senders and handovers say of the owner of a thread. A number is shared from the first
 * sign of another sender on; until then nothing is stored of owners.
 */
import { updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { conversationOn } from "../contacts/conversation-statements.ts";
import { CONTACT_CHANGED, contacts } from "../contacts/table.ts";
import { type OwnerReport, recordOwner } from "../contacts/threads.ts";
import { WINDOW_MS } from "../contacts/window.ts";
import { numbers, type SendingNumber } from "../numbers/table.ts";
import { lastOwnMessage } from "./statements.ts";
import { tellConversation } from "./tell-conversation.ts";

/** The role of the phone on which the business answers. The network has no word for it here. */
export const PHONE_ROLE = "phone";

/** A message of the person arrived as ours to answer; on a number of ours alone that says nothing new. */
export function reportReceived(tx: Tx, number: SendingNumber, contactId: number, at: number): void {
  if (number.sharedSince !== null) reportOwner(tx, number, contactId, { by: "message", owner: "us", role: null, at });
}

/** How another sender was noticed: by what the person wrote to it, by a thread that was passed, or by its own words. */
type Sign = "standby" | "handover" | "echo";

/** Another sender has the thread, or has answered in it. */
export function reportOther(
  tx: Tx,
  number: SendingNumber,
  contactId: number,
  { sign, ...report }: Omit<OwnerReport, "owner" | "by"> & { sign: Sign },
): void {
  const by = sign === "handover" ? sign : "message";
  reportOwner(tx, markShared(tx, number, sign), contactId, { ...report, by, owner: "other" });
}

/** Another sender passed the thread to us. */
export function reportHandover(tx: Tx, number: SendingNumber, contactId: number, at: number): void {
  reportOwner(tx, markShared(tx, number, "handover"), contactId, { by: "handover", owner: "us", role: null, at });
}

/** A thread call or a message of ours took the thread, or gave it back. */
export function reportAction(
  tx: Tx,
  number: SendingNumber,
  contactId: number,
  { at = tx.now, ...report }: Pick<OwnerReport, "owner" | "role"> & { at?: number },
): void {
  reportOwner(tx, markShared(tx, number), contactId, { ...report, by: "action", at });
}

/** Returns the number as it is now. Each sign is written once. */
function markShared(tx: Tx, number: SendingNumber, sign: Sign = "echo"): SendingNumber {
  const { sharedSince, routedSince, standbySince } = number;
  const marked = {
    sharedSince: sharedSince ?? tx.now,
    routedSince: routedSince ?? (sign === "echo" ? null : tx.now),
    standbySince: standbySince ?? (sign === "standby" ? tx.now : null),
  };
  const isKnown = sharedSince !== null && routedSince === marked.routedSince && standbySince === marked.standbySince;
  if (isKnown) return number;
  updateRows(tx, numbers, { id: number.id }, marked);
  return { ...number, ...marked };
}

/** The contact shows its threads, so it changes too. */
function reportOwner(tx: Tx, number: SendingNumber, contactId: number, report: OwnerReport): void {
  const place = { contactId, numberId: number.id };
  if (conversationOn(tx).get(place)?.ownerAt === null) recordEarlier(tx, place, report);
  const changed = recordOwner(tx, place, report);
  if (changed === null) return;
  updateRows(tx, contacts, { id: contactId }, { updatedAt: tx.now });
  tx.notify(CONTACT_CHANGED);
  tellConversation(tx, changed, number);
}

/** The first report of a thread may be older than what came to us while no other sender was known. */
function recordEarlier(tx: Tx, place: { contactId: number; numberId: number }, { at }: OwnerReport): void {
  const last = lastOwnMessage(tx).get({ ...place, after: tx.now - WINDOW_MS });
  if (last === undefined || last.receivedAt < at) return;
  recordOwner(tx, place, { by: "message", owner: "us", role: null, at: last.receivedAt });
}
