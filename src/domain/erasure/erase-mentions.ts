/**
 * Empties what names a person within a text: callbacks, events with what receivers answered, entries of the audit log, and
 * answers that are kept for programs.
 */
import { and, eq, gt, inArray, isNotNull, ne } from "drizzle-orm";
import { readPhone } from "#src/core/phone.ts";
import { findRow, updateRows } from "#src/db/rows.ts";
import { tablesWith } from "#src/db/table-policies.ts";
import type { Tx } from "#src/db/transaction.ts";
import { hiddenKey } from "../idempotency/keys.ts";
import { type IdempotencyKey, idempotencyKeys } from "../idempotency/table.ts";
import { emptyCallback } from "../inbound/callbacks.ts";
import { callbacks, inbounds } from "../inbound/table.ts";
import { messages } from "../messages/table.ts";
import { auditLog } from "../users/table.ts";
import { deliveries, deliveryAttempts, events } from "../webhooks/table.ts";
import { getWorkspace } from "../workspaces/read.ts";
import type { Person } from "./person.ts";
import { emptyRows } from "./person-columns.ts";
import { redact, redactAnswer } from "./redact.ts";

/**
 * Tables in which a person may be named within a text: callbacks, events with the responses of receivers, the audit
 * log, and kept answers. Their contents are not indexed, so every row is scanned. A callback that is not applied yet
 * stays; it is emptied when it is applied, if it concerns a message of the person.
 */
export const mentionTables = tablesWith("person", "mentions");
export type MentionTable = (typeof mentionTables)[number];

/** Rows that one slice searches, and rows that it empties, each with what follows from it. */
const SEARCHED_AT_ONCE = 100;
const EMPTIED_AT_ONCE = 10;

/** Empties rows that name the person, after `afterId`. `last`: the last id searched, or null at the end. */
export function eraseMentions(
  tx: Tx,
  { contactIds, workspaceId, names }: Person,
  table: MentionTable,
  afterId: number,
): { last: number | null; emptied: number } {
  const rows = readers[table](tx, workspaceId, afterId, SEARCHED_AT_ONCE);
  let emptied = 0;
  for (const [index, row] of rows.entries()) {
    const isNamed = names.some(({ text, until }) => row.text.includes(text) && (until === null || row.at <= until));
    if (!isNamed && !contactIds.some((id) => row.belongsTo?.(id) === true)) continue;
    if (row.empty()) emptied += 1;
    if (emptied === EMPTIED_AT_ONCE && index < rows.length - 1) return { last: row.id, emptied };
  }
  return { last: rows.at(-1)?.id ?? null, emptied };
}

interface Mention {
  id: number;
  /** All text of the row that may name a person. */
  text: string;
  at: number;
  /** Whether it is the contact's under whatever name: its number may have changed since. */
  belongsTo?: (contactId: number) => boolean;
  /** Returns false where it is empty already. */
  empty: () => boolean;
}

const readers: Record<MentionTable, (tx: Tx, workspaceId: number, afterId: number, limit: number) => Mention[]> = {
  callbacks: (tx, _, afterId, limit) =>
    tx.db
      .select({ id: callbacks.id, text: callbacks.body, at: callbacks.receivedAt })
      .from(callbacks)
      .where(and(gt(callbacks.id, afterId), isNotNull(callbacks.doneAt)))
      .orderBy(callbacks.id)
      .limit(limit)
      .all()
      .map((row) => ({
        ...row,
        empty() {
          emptyCallback(tx, row.id);
          return true;
        },
      })),

  events: (tx, workspaceId, afterId, limit) =>
    tx.db
      .select({ seq: events.seq, body: events.body, id: events.id, type: events.type, at: events.createdAt })
      .from(events)
      // The event that tells of the erasure is emptied once it is delivered.
      .where(and(eq(events.workspaceId, workspaceId), gt(events.seq, afterId), ne(events.type, "contact.erased")))
      .orderBy(events.seq)
      .limit(limit)
      .all()
      .map(({ seq, body, id, type, at }) => ({
        id: seq,
        at,
        text: body,
        belongsTo: (contactId) => isOnMessageOf(tx, contactId, type, body),
        empty: () => emptyEvent(tx, { seq, body, id, type }),
      })),

  audit_log(tx, workspaceId, afterId, limit) {
    const { country } = getWorkspace(tx, workspaceId);
    return tx.db
      .select({ id: auditLog.id, subject: auditLog.subject, details: auditLog.details, at: auditLog.at })
      .from(auditLog)
      .where(and(eq(auditLog.workspaceId, workspaceId), gt(auditLog.id, afterId)))
      .orderBy(auditLog.id)
      .limit(limit)
      .all()
      .map(({ id, subject, details, at }) => ({
        id,
        at,
        // The subject is often a number as a user typed it.
        text: `${subject} ${readPhone(subject, country) ?? ""} ${JSON.stringify(details)}`,
        empty() {
          emptyRows(tx, "audit_log", eq(auditLog.id, id));
          return true;
        },
      }));
  },

  // By id alone, with those of all workspaces: no index has a workspace's in this order.
  idempotency_keys: (tx, workspaceId, afterId, limit) =>
    tx.db
      .select({
        id: idempotencyKeys.id,
        workspaceId: idempotencyKeys.workspaceId,
        key: idempotencyKeys.key,
        body: idempotencyKeys.body,
        at: idempotencyKeys.createdAt,
      })
      .from(idempotencyKeys)
      .where(gt(idempotencyKeys.id, afterId))
      .orderBy(idempotencyKeys.id)
      .limit(limit)
      .all()
      .map(({ id, workspaceId: owner, key, body, at }) => ({
        id,
        at,
        text: owner === workspaceId ? `${key} ${body ?? ""}` : "",
        empty() {
          redactKeptAnswer(tx, workspaceId, { id, key, body });
          return true;
        },
      })),
};

/** Whether the event tells of a message that the contact sent or got, by the message's id. */
function isOnMessageOf(tx: Tx, contactId: number, type: string, body: string): boolean {
  const id = Number(/"message":\{"id":(\d+)/.exec(body)?.[1] ?? Number.NaN);
  if (Number.isNaN(id)) return false;
  const table = type === "message.received" ? inbounds : messages;
  const found = tx.db
    .select({ id: table.id })
    .from(table)
    .where(and(eq(table.id, id), eq(table.contactId, contactId)))
    .get();
  return found !== undefined;
}

/** An event that does not name the person, but tells of their file. */
export function emptyEventOf(tx: Tx, seq: number): void {
  const event = findRow(tx, events, { seq });
  if (event !== undefined) emptyEvent(tx, event);
}

/** The envelope stays valid, because the event may be replayed. Returns false if the body was empty already. */
function emptyEvent(tx: Tx, { seq, body, id, type }: { seq: number; body: string; id: string; type: string }): boolean {
  const { created_at, data } = JSON.parse(body) as { created_at: string; data: unknown };
  const empty = JSON.stringify({ id, type, created_at, data: redact(data) });
  if (empty !== body) updateRows(tx, events, { seq }, { body: empty });
  const told = tx.db.select({ id: deliveries.id }).from(deliveries).where(eq(deliveries.eventSeq, seq));
  emptyRows(tx, "delivery_attempts", inArray(deliveryAttempts.deliveryId, told));
  return empty !== body;
}

/** Keeps the shape of the answers kept for these messages, without the person. */
export function redactAnswers(tx: Tx, workspaceId: number, messageIds: readonly number[]): void {
  const kept = tx.db
    .select({ id: idempotencyKeys.id, key: idempotencyKeys.key, body: idempotencyKeys.body })
    .from(idempotencyKeys)
    .where(inArray(idempotencyKeys.messageId, [...messageIds]))
    .all();
  for (const one of kept) redactKeptAnswer(tx, workspaceId, one);
}

/** The key keeps its effect: the same request does not send again. */
function redactKeptAnswer(
  tx: Tx,
  workspaceId: number,
  { id, key, body }: Pick<IdempotencyKey, "id" | "key" | "body">,
): void {
  updateRows(
    tx,
    idempotencyKeys,
    { id },
    { key: hiddenKey(tx, workspaceId, key), ...(body === null ? {} : { body: redactAnswer(body) }) },
  );
}
