/**
 * Erases a person: name, phone number, texts, raw callbacks, event bodies. Counters and amounts stay, because they
 * identify no one. A keyed hash of an opted-out number stays too, so that the opt-out outlives the erasure. Erasure
 * runs in batches; each call does a bounded amount of work. `server/erase-person.ts` calls them in order.
 */
import { and, eq, gt, inArray, isNotNull, lte, ne, sql } from "drizzle-orm";
import { tablesWith } from "#src/db/table-policies.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { eraseFromDrafts } from "../broadcasts/drafts.ts";
import { recordErasedOptOut } from "../contacts/erased-opt-outs.ts";
import { forgetFormerHolder } from "../contacts/former-phones.ts";
import { type Contact, consentLog, contacts } from "../contacts/table.ts";
import { hiddenKey } from "../idempotency/keys.ts";
import { type IdempotencyKey, idempotencyKeys } from "../idempotency/table.ts";
import { emptyCallback } from "../inbound/callbacks.ts";
import { callbacks, echoes, inbounds } from "../inbound/table.ts";
import { eraseMedia } from "../media/release.ts";
import { eraseUploads } from "../media/send-upload.ts";
import { type Media, media } from "../media/table.ts";
import { idsOfContact } from "../messages/contact-message-statements.ts";
import { ERASED } from "../messages/message.ts";
import { removeNetworkIds } from "../messages/network-ids.ts";
import { failErased } from "../messages/scheduled.ts";
import { messages, parkedStatuses, portfolioRecipients, providerRequests } from "../messages/table.ts";
import { numbers } from "../numbers/table.ts";
import { removeOfContact } from "../search/entries.ts";
import { auditLog, formAnswers } from "../users/table.ts";
import { publishErased } from "../webhooks/erased-event.ts";
import { deliveries, deliveryAttempts, events } from "../webhooks/table.ts";
import { eraseFromBroadcast } from "./erase-from-broadcasts.ts";
import type { Person, PersonName } from "./person.ts";
import { emptyRows, refusalTexts } from "./person-columns.ts";
import { redact, redactAnswer } from "./redact.ts";

/** Keeps the shape of the answers kept for these messages, without the person. */
function redactAnswers(tx: Tx, workspaceId: number, messageIds: readonly number[]): void {
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
  tx.db
    .update(idempotencyKeys)
    .set({ key: hiddenKey(tx, workspaceId, key), ...(body === null ? {} : { body: redactAnswer(body) }) })
    .where(eq(idempotencyKeys.id, id))
    .run();
}

/**
 * Erases the person's contacts and everything attached to them, and tells the workspace. Call after the batches below.
 * Returns the ids of uploads that stay, because others got them too.
 */
export function erasePerson(tx: Tx, person: Person): number[] {
  const { workspaceId, contacts: all, names } = person;
  const sharedUploads = eraseUploads(
    tx,
    all.map(({ id }) => id),
  );
  eraseFromDrafts(
    tx,
    workspaceId,
    names.flatMap(({ text, until }) => (until === null ? [text] : [])),
  );
  names.forEach((name, index) => {
    const { text, until } = name;
    // Those of a former number are gone by themselves within a day.
    if (until === null) tx.db.delete(parkedStatuses).where(sql`instr(${parkedStatuses.item}, ${text}) > 0`).run();
    const isTheirs = until === null ? sql`` : sql` AND ${formAnswers.createdAt} <= ${until}`;
    for (const [table, column] of Object.entries(refusalTexts) as [keyof typeof refusalTexts, string][])
      emptyRows(tx, table, sql`instr(${sql.raw(column)}, ${text}) > 0`);
    emptyRows(tx, "form_answers", sql`instr(${formAnswers.body}, ${text}) > 0${isTheirs}`);
    forgetRecipient(tx, workspaceId, name, `${ERASED} ${all[0]?.id}-${index}`);
  });
  for (const contact of all) eraseContact(tx, contact);
  return sharedUploads;
}

/** Under the network's limit, which counts people by the names that they were sent to. */
function forgetRecipient(tx: Tx, workspaceId: number, { text, until }: PersonName, empty: string): void {
  const portfolioIds = tx.db
    .select({ id: numbers.portfolioId })
    .from(numbers)
    .where(eq(numbers.workspaceId, workspaceId));
  tx.db
    .update(portfolioRecipients)
    .set({ person: empty })
    .where(
      and(
        inArray(portfolioRecipients.person, [text, `+${text}`]),
        inArray(portfolioRecipients.portfolioId, portfolioIds),
        until === null ? undefined : lte(portfolioRecipients.lastAt, until),
      ),
    )
    .run();
}

function eraseContact(tx: Tx, contact: Contact): void {
  if (contact.consent === "opted_out") {
    for (const name of [contact.phone, contact.networkUserId]) {
      if (name !== null) recordErasedOptOut(tx, contact.workspaceId, name, contact.consentAt ?? tx.now);
    }
  }
  publishErased(tx, contact);
  forgetFormerHolder(tx, contact);
  const { id } = contact;
  for (const table of tablesWith("person", "deleted"))
    tx.db.run(sql`DELETE FROM ${sql.raw(table)} WHERE contact_id = ${id}`);
  emptyRows(tx, "consent_log", eq(consentLog.contactId, id));
  emptyRows(tx, "contacts", eq(contacts.id, id));
  tx.db.update(contacts).set({ updatedAt: tx.now }).where(eq(contacts.id, id)).run();
}

/** Rows of the search index, each of which rewrites the places of all its words. */
const INDEXED_AT_A_TIME = 20;

/** Erases the person's messages, inbounds, echoes and rows of the search index, up to `limit` of each; false when none were left. */
export function eraseTexts(tx: Tx, { contacts: all, names }: Person, limit: number): boolean {
  const texts = names.map(({ text }) => text);
  return all.map((contact) => eraseTextsOf(tx, contact, texts, limit)).includes(true);
}

function eraseTextsOf(tx: Tx, contact: Contact, names: readonly string[], limit: number): boolean {
  const isMoreIndexed = removeOfContact(tx, contact.id, INDEXED_AT_A_TIME);
  const ids = sql`(${sql.raw(idsOfContact(String(contact.id), String(contact.workspaceId), { broadcasts: true }))})`;
  const dispatched = tx.db
    .select({
      id: messages.id,
      sendToken: messages.sendToken,
      networkMessageId: messages.networkMessageId,
      broadcastId: messages.broadcastId,
    })
    .from(messages)
    .where(and(inArray(messages.id, ids), sql`${messages.toPhone} <> ${ERASED}`))
    .limit(limit)
    .all();
  const sendTokens = dispatched.map(({ sendToken }) => sendToken);
  const messageIds = dispatched.map(({ id }) => id);
  removeNetworkIds(tx, dispatched);
  tx.db.delete(providerRequests).where(inArray(providerRequests.sendToken, sendTokens)).run();
  emptyRows(tx, "messages", inArray(messages.id, messageIds));
  failErased(tx, messageIds);
  redactAnswers(tx, contact.workspaceId, messageIds);
  const ofBroadcasts = new Set(dispatched.flatMap(({ broadcastId }) => broadcastId ?? []));
  for (const id of ofBroadcasts) eraseFromBroadcast(tx, id, names);
  const inboundIds = tx.db
    .select({ id: inbounds.id })
    .from(inbounds)
    .where(and(eq(inbounds.contactId, contact.id), sql`${inbounds.text} IS NOT ${ERASED}`))
    .limit(limit)
    .all()
    .map(({ id }) => id);
  const erased = eraseMedia(tx, inboundIds);
  for (const { eventSeq } of erased) if (eventSeq !== null) emptyEventOf(tx, eventSeq);
  emptyRows(tx, "media", inArray(media.inboundId, inboundIds));
  emptyRows(tx, "inbounds", inArray(inbounds.id, inboundIds));
  return eraseEchoes(tx, contact, limit) || isMoreIndexed || messageIds.length > 0 || inboundIds.length > 0;
}

function eraseEchoes(tx: Tx, contact: Contact, limit: number): boolean {
  const ids = tx.db
    .select({ id: echoes.id })
    .from(echoes)
    .where(and(eq(echoes.contactId, contact.id), sql`${echoes.text} IS NOT ${ERASED}`))
    .limit(limit)
    .all()
    .map(({ id }) => id);
  emptyRows(tx, "echoes", inArray(echoes.id, ids));
  return ids.length > 0;
}

/** The person's files that the disk may hold under another name than that of a stored file. Call it before `eraseTexts`. */
export function listMediaOf(tx: ReadTx, { contacts: all }: Person): Pick<Media, "id" | "networkMediaId">[] {
  return tx.db
    .select({ id: media.id, networkMediaId: media.networkMediaId })
    .from(media)
    .innerJoin(inbounds, eq(inbounds.id, media.inboundId))
    .where(
      and(
        inArray(
          inbounds.contactId,
          all.map(({ id }) => id),
        ),
        ne(media.state, "erased"),
      ),
    )
    .all();
}

/**
 * Tables in which a person may be named within a text: callbacks, events with the responses of receivers, the audit
 * log, and kept answers. Their contents are not indexed, so every row is scanned. A callback that is not applied yet
 * stays; it is emptied when it is applied, if it concerns a message of the person.
 */
export const mentionTables = tablesWith("person", "mentions");
export type MentionTable = (typeof mentionTables)[number];

/** Empties rows that name the person, after `afterId`; returns the last id scanned, or null at the end. */
export function eraseMentions(
  tx: Tx,
  { contacts: all, workspaceId, names }: Person,
  table: MentionTable,
  afterId: number,
  limit: number,
): number | null {
  const rows = readers[table](tx, workspaceId, afterId, limit);
  for (const row of rows) {
    const isNamed = names.some(({ text, until }) => row.text.includes(text) && (until === null || row.at <= until));
    if (isNamed || all.some(({ id }) => row.belongsTo?.(id) === true)) row.empty();
  }
  return rows.at(-1)?.id ?? null;
}

interface Mention {
  id: number;
  /** All text of the row that may name a person. */
  text: string;
  at: number;
  /** Whether it is the contact's under whatever name: its number may have changed since. */
  belongsTo?: (contactId: number) => boolean;
  empty: () => void;
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
      .map((row) => ({ ...row, empty: () => emptyCallback(tx, row.id) })),

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

  audit_log: (tx, workspaceId, afterId, limit) =>
    tx.db
      .select({ id: auditLog.id, subject: auditLog.subject, details: auditLog.details, at: auditLog.at })
      .from(auditLog)
      .where(and(eq(auditLog.workspaceId, workspaceId), gt(auditLog.id, afterId)))
      .orderBy(auditLog.id)
      .limit(limit)
      .all()
      .map(({ id, subject, details, at }) => ({
        id,
        at,
        text: `${subject} ${JSON.stringify(details)}`,
        empty: () => emptyRows(tx, "audit_log", eq(auditLog.id, id)),
      })),

  idempotency_keys: (tx, workspaceId, afterId, limit) =>
    tx.db
      .select({
        id: idempotencyKeys.id,
        key: idempotencyKeys.key,
        body: idempotencyKeys.body,
        at: idempotencyKeys.createdAt,
      })
      .from(idempotencyKeys)
      .where(and(eq(idempotencyKeys.workspaceId, workspaceId), gt(idempotencyKeys.id, afterId)))
      .orderBy(idempotencyKeys.id)
      .limit(limit)
      .all()
      .map(({ id, key, body, at }) => ({
        id,
        at,
        text: `${key} ${body ?? ""}`,
        empty: () => redactKeptAnswer(tx, workspaceId, { id, key, body }),
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
function emptyEventOf(tx: Tx, seq: number): void {
  const event = tx.db.select().from(events).where(eq(events.seq, seq)).get();
  if (event !== undefined) emptyEvent(tx, event);
}

/** The envelope stays valid, because the event may be replayed. */
function emptyEvent(tx: Tx, { seq, body, id, type }: { seq: number; body: string; id: string; type: string }): void {
  const { created_at, data } = JSON.parse(body) as { created_at: string; data: unknown };
  const empty = JSON.stringify({ id, type, created_at, data: redact(data) });
  tx.db.update(events).set({ body: empty }).where(eq(events.seq, seq)).run();
  const told = tx.db.select({ id: deliveries.id }).from(deliveries).where(eq(deliveries.eventSeq, seq));
  emptyRows(tx, "delivery_attempts", inArray(deliveryAttempts.deliveryId, told));
}
