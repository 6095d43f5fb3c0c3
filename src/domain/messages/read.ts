/** Queries for messages. */
import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import { type ReadTx, statement } from "#src/db/transaction.ts";
import { getContact } from "../contacts/find.ts";
import type { Contact } from "../contacts/table.ts";
import { visibleStatuses } from "./message.ts";
import { type Message, messages } from "./table.ts";

const byId = statement((db) =>
  db
    .select()
    .from(messages)
    .where(eq(messages.id, sql.placeholder("id")))
    .prepare(),
);

/**
 * A message as the API shows it. Undefined if it belongs to another workspace or a broadcast, or is not sent or failed
 * yet.
 */
export function findVisible(tx: ReadTx, workspaceId: number, id: number): Message | undefined {
  const message = byId(tx).get({ id });
  if (message?.workspaceId !== workspaceId || message.broadcastId !== null) return undefined;
  return visibleStatuses.some((status) => status === message.status) ? message : undefined;
}

/** For internal work on a known id; undefined if the message was discarded. */
export function findMessageById(tx: ReadTx, id: number): Message | undefined {
  return byId(tx).get({ id });
}

/** The contact that the message goes to. */
export function contactOf(tx: ReadTx, { id, workspaceId, contactId }: Message): Contact {
  if (contactId === null) throw new Error(`message ${id} has no contact, so it can never have left`);
  return getContact(tx, workspaceId, contactId);
}

const bySendToken = statement((db) =>
  db
    .select()
    .from(messages)
    .where(eq(messages.sendToken, sql.placeholder("sendToken")))
    .prepare(),
);

const byNetworkId = statement((db) =>
  db
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.networkMessageId, sql.placeholder("networkMessageId")),
        eq(messages.numberId, sql.placeholder("numberId")),
      ),
    )
    .limit(1)
    .prepare(),
);

/** Undefined if the message was discarded, or the send token is not ours. */
export function findBySendToken(tx: ReadTx, sendToken: string): Message | undefined {
  return bySendToken(tx).get({ sendToken });
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
  return byNetworkId(tx).get({ networkMessageId, numberId });
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

const activeOfContact = statement((db) =>
  db
    .select({ id: messages.id })
    .from(messages)
    .where(
      and(
        eq(messages.contactId, sql.placeholder("contactId")),
        sql`+${messages.broadcastId} = ${sql.placeholder("broadcastId")}`,
        sql`${messages.status} <> 'skipped'`,
      ),
    )
    .limit(1)
    .prepare(),
);

/** Whether a contact is a recipient of a broadcast and was not skipped. */
export function hasActiveRecipient(tx: ReadTx, broadcastId: number, contactId: number): boolean {
  return activeOfContact(tx).get({ broadcastId, contactId }) !== undefined;
}

const dispatchedOfContact = statement((db) =>
  db
    .select({ id: messages.id })
    .from(messages)
    .where(
      and(
        eq(messages.contactId, sql.placeholder("contactId")),
        sql`+${messages.broadcastId} = ${sql.placeholder("broadcastId")}`,
        sql`${messages.status} not in ('pending', 'queued', 'skipped')`,
      ),
    )
    .limit(1)
    .prepare(),
);

/** Whether a broadcast's message to a contact was dispatched. */
export function hasDispatchedRecipient(tx: ReadTx, broadcastId: number, contactId: number): boolean {
  return dispatchedOfContact(tx).get({ broadcastId, contactId }) !== undefined;
}

const lastDispatch = statement((db) =>
  db
    .select({ at: messages.dispatchedAt })
    .from(messages)
    .where(eq(messages.contactId, sql.placeholder("contactId")))
    .orderBy(desc(messages.dispatchedAt))
    .limit(1)
    .prepare(),
);

/** When a contact was last sent anything; null if never. */
export function lastDispatchedAt(tx: ReadTx, contactId: number): number | null {
  return lastDispatch(tx).get({ contactId })?.at ?? null;
}
