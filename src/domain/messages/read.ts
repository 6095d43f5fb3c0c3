/** Queries for messages. */
import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import type { ReadTx } from "#src/db/transaction.ts";
import { getContact } from "../contacts/find.ts";
import type { Contact } from "../contacts/table.ts";
import { shownStatusOf } from "./message.ts";
import { findByNetworkId } from "./network-ids.ts";
import {
  activeRecipient,
  dispatchedRecipient,
  messageById,
  messageBySendToken,
  wholeMessageById,
} from "./statements.ts";
import { type Message, type MessageRow, messages } from "./table.ts";

/**
 * A message as the API shows it. Undefined if it belongs to another workspace or a broadcast, or is neither scheduled nor
 * sent or failed yet.
 */
export function findVisible(tx: ReadTx, workspaceId: number, id: number): Message | undefined {
  const message = messageById(tx).get({ id });
  if (message?.workspaceId !== workspaceId || message.broadcastId !== null) return undefined;
  return shownStatusOf(message) === null ? undefined : message;
}

/** The message that the console sent under this key, whenever that was. A key is of one message. */
export function findSentByForm(tx: ReadTx, workspaceId: number, key: string): Message | undefined {
  const found = tx.db
    .select({ id: messages.id })
    .from(messages)
    .where(
      and(
        eq(messages.workspaceId, workspaceId),
        eq(messages.idempotencyKey, key),
        sql`+${messages.origin} = 'console'`,
      ),
    )
    .orderBy(desc(messages.createdAt))
    .limit(1)
    .get();
  return found === undefined ? undefined : messageById(tx).get({ id: found.id });
}

/** For internal work on a known id; undefined if the message was discarded. */
export function findMessageById(tx: ReadTx, id: number): Message | undefined {
  return messageById(tx).get({ id });
}

/** A message of any kind, with a recipient's values. Undefined if it belongs to another workspace. */
export function findWholeMessage(tx: ReadTx, workspaceId: number, id: number): MessageRow | undefined {
  const message = wholeMessageById(tx).get({ id });
  return message?.workspaceId === workspaceId ? message : undefined;
}

/** The contact that the message goes to. */
export function contactOf(tx: ReadTx, { id, workspaceId, contactId }: Message): Contact {
  if (contactId === null) throw new Error(`message ${id} has no contact, so it can never have left`);
  return getContact(tx, workspaceId, contactId);
}

/** Undefined if the message was discarded, or the send token is not ours. */
export function findBySendToken(tx: ReadTx, sendToken: string): Message | undefined {
  return messageBySendToken(tx).get({ sendToken });
}

/** Finds the message of a status: by our send token, else by the network's id. */
export function findForStatus(
  tx: ReadTx,
  numberId: number,
  sendToken: string | null,
  networkMessageId: string,
): Message | undefined {
  if (sendToken !== null) {
    const message = findBySendToken(tx, sendToken);
    if (message !== undefined) return message.numberId === numberId ? message : undefined;
  }
  return findByNetworkId(tx, numberId, networkMessageId);
}

/** Repeats the condition of the index `messages_open` literally: with bound values SQLite could not use the index. */
const isOpen = sql`${messages.status} in ('queued', 'sending') and ${messages.broadcastId} is null`;

/**
 * Single messages whose dispatch is open, batch by batch in the order of ids. At startup, these are what the previous
 * process left behind.
 */
export function listOpen(tx: ReadTx, afterId: number, limit: number): Message[] {
  return tx.db
    .select()
    .from(messages)
    .where(and(isOpen, gt(messages.id, afterId)))
    .orderBy(asc(messages.id))
    .limit(limit)
    .all();
}

/** Whether a contact is a recipient of a broadcast and was not skipped. */
export function hasActiveRecipient(tx: ReadTx, broadcastId: number, contactId: number): boolean {
  return activeRecipient(tx).get({ broadcastId, contactId }) !== undefined;
}

/** Whether a broadcast's message to a contact was dispatched. */
export function hasDispatchedRecipient(tx: ReadTx, broadcastId: number, contactId: number): boolean {
  return dispatchedRecipient(tx).get({ broadcastId, contactId }) !== undefined;
}
