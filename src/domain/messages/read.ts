/** Looking messages up. */
import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import { type Reading, statement } from "#src/db/transaction.ts";
import { getContact } from "../contacts/find.ts";
import type { Contact } from "../contacts/table.ts";
import { shownStatuses } from "./message.ts";
import { type Message, messages } from "./table.ts";

const byId = statement((db) =>
  db
    .select()
    .from(messages)
    .where(eq(messages.id, sql.placeholder("id")))
    .prepare(),
);

/** A message as the API shows it: undefined for another workspace's, a broadcast's, and until it is sent or failed. */
export function findShown(reading: Reading, workspaceId: number, id: number): Message | undefined {
  const message = byId(reading).get({ id });
  if (message?.workspaceId !== workspaceId || message.broadcastId !== null) return undefined;
  return shownStatuses.some((status) => status === message.status) ? message : undefined;
}

/** For our own work on a message that we hold the id of; undefined when it was withdrawn. */
export function findForWork(reading: Reading, id: number): Message | undefined {
  return byId(reading).get({ id });
}

/** Whom the message goes to. */
export function contactOf(reading: Reading, { id, workspaceId, contactId }: Message): Contact {
  if (contactId === null) throw new Error(`message ${id} has no contact, so it can never have left`);
  return getContact(reading, workspaceId, contactId);
}

const byReference = statement((db) =>
  db
    .select()
    .from(messages)
    .where(eq(messages.reference, sql.placeholder("reference")))
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

/** Undefined: it was withdrawn, or is not ours. */
export function findByReference(reading: Reading, reference: string): Message | undefined {
  return byReference(reading).get({ reference });
}

/** The message that a number's status speaks of: by our reference, else by the network's id. */
export function findReported(
  reading: Reading,
  numberId: number,
  reference: string | null,
  networkMessageId: string,
): Message | undefined {
  if (reference !== null) {
    const message = findByReference(reading, reference);
    if (message !== undefined) return message.numberId === numberId ? message : undefined;
  }
  return byNetworkId(reading).get({ networkMessageId, numberId });
}

/** The words of the index `messages_open`: with bound values SQLite could not use it. */
const isOpen = sql`${messages.status} in ('queued', 'sending') and ${messages.broadcastId} is null`;

/** Messages sent alone whose hand-over is open, a batch at a time by id: at a start, what the process before left behind. */
export function listOpen(reading: Reading, afterId: number, limit: number): Message[] {
  return reading.db
    .select()
    .from(messages)
    .where(and(isOpen, gt(messages.id, afterId)))
    .orderBy(asc(messages.id))
    .limit(limit)
    .all();
}

const standingOfContactIn = statement((db) =>
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

/** Whether a contact is one of a broadcast's recipients, and not left out. */
export function hasStandingRecipient(reading: Reading, broadcastId: number, contactId: number): boolean {
  return standingOfContactIn(reading).get({ broadcastId, contactId }) !== undefined;
}

const sentOfContactIn = statement((db) =>
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

/** Whether a contact was handed over as one of a broadcast's recipients. */
export function hasSentRecipient(reading: Reading, broadcastId: number, contactId: number): boolean {
  return sentOfContactIn(reading).get({ broadcastId, contactId }) !== undefined;
}

const lastOfContact = statement((db) =>
  db
    .select({ at: messages.handedOverAt })
    .from(messages)
    .where(eq(messages.contactId, sql.placeholder("contactId")))
    .orderBy(desc(messages.handedOverAt))
    .limit(1)
    .prepare(),
);

/** When a contact was last sent anything; null: never. */
export function lastHandOver(reading: Reading, contactId: number): number | null {
  return lastOfContact(reading).get({ contactId })?.at ?? null;
}
