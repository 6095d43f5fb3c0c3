/**
 * What is erased of a person: name, phone number, texts, files, everything that is only theirs. Counters and amounts stay, because they
 * identify no one. A keyed hash of an opted-out number stays too, so that the opt-out outlives the erasure. The contact
 * is emptied first, so that no user and no program finds the person any more; then the texts go in batches, each of a bounded amount of
 * work. `server/erase-person.ts` calls them in order.
 */
import { and, eq, inArray, lte, ne, sql } from "drizzle-orm";
import { tablesWith } from "#src/db/table-policies.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { eraseFromDrafts, numberEnds } from "../broadcasts/drafts.ts";
import { recordErasedOptOut } from "../contacts/erased-opt-outs.ts";
import { forgetFormerHolder } from "../contacts/former-phones.ts";
import { listFurtherNumbers } from "../contacts/joined.ts";
import { type Contact, consentLog, contacts, type ErasedCounts, type PersonName } from "../contacts/table.ts";
import { echoes, inbounds } from "../inbound/table.ts";
import { eraseMedia } from "../media/release.ts";
import { type Media, media } from "../media/table.ts";
import { idsOfContact } from "../messages/contact-message-statements.ts";
import { ERASED } from "../messages/message.ts";
import { removeNetworkIds } from "../messages/network-ids.ts";
import { failErased } from "../messages/scheduled.ts";
import { messages, parkedStatuses, portfolioRecipients, providerRequests } from "../messages/table.ts";
import { numbers } from "../numbers/table.ts";
import { removeOfContact } from "../search/entries.ts";
import { formAnswers } from "../users/table.ts";
import { publishErased } from "../webhooks/erased-event.ts";
import { eraseFromBroadcast } from "./erase-from-broadcasts.ts";
import { emptyEventOf, redactAnswers } from "./erase-mentions.ts";
import type { Person } from "./person.ts";
import { emptyRows, refusalTexts } from "./person-columns.ts";
import { withoutSigns } from "./spelled.ts";

/** Empties a contact, with everything that is attached to it, and tells the workspace. */
export function eraseContact(tx: Tx, contact: Contact): void {
  if (contact.consent === "opted_out") {
    for (const name of [contact.phone, contact.networkUserId, ...listFurtherNumbers(tx, contact.id)]) {
      if (name !== null) recordErasedOptOut(tx, contact.workspaceId, name, contact.consentAt ?? tx.now);
    }
  }
  publishErased(tx, contact);
  forgetFormerHolder(tx, contact);
  const { id } = contact;
  deleteAttached(tx, id);
  emptyRows(tx, "consent_log", eq(consentLog.contactId, id));
  emptyRows(tx, "contacts", eq(contacts.id, id));
  tx.db.update(contacts).set({ updatedAt: tx.now }).where(eq(contacts.id, id)).run();
}

function deleteAttached(tx: Tx, contactId: number): void {
  for (const table of tablesWith("person", "deleted")) {
    // Those of all people have no index by contact; the messages have.
    const isTheirs =
      table === "scheduled_messages"
        ? sql`message_id IN (SELECT id FROM messages WHERE contact_id = ${contactId} AND send_at IS NOT NULL)`
        : sql`contact_id = ${contactId}`;
    tx.db.run(sql`DELETE FROM ${sql.raw(table)} WHERE ${isTheirs}`);
  }
}

/**
 * Erases the person's names from rows that are not theirs, and what was attached to the contacts since they were emptied.
 * Returns how many drafts of broadcasts named the person.
 */
export function eraseNames(tx: Tx, { workspaceId, contactIds, names }: Person): number {
  for (const id of contactIds) deleteAttached(tx, id);
  const drafts = eraseFromDrafts(
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
    const [end = text] = numberEnds([text]);
    emptyRows(tx, "form_answers", sql`instr(${sql.raw(withoutSigns("body"))}, ${end}) > 0${isTheirs}`);
    forgetRecipient(tx, workspaceId, name, `${ERASED} ${contactIds[0]}-${index}`);
  });
  return drafts;
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

/** Rows of the search index, each of which rewrites the places of all its words. */
const INDEXED_AT_A_TIME = 20;

type ErasedTexts = Pick<ErasedCounts, "sent" | "of_broadcasts" | "scheduled" | "received" | "by_other_senders">;

/**
 * Erases the person's messages, inbounds, echoes and rows of the search index, up to `limit` of each and contact.
 * `isMore`: there were some.
 */
export function eraseTexts(tx: Tx, person: Person, limit: number): { isMore: boolean; erased: ErasedTexts } {
  const erased = { sent: 0, of_broadcasts: 0, scheduled: 0, received: 0, by_other_senders: 0 };
  let isMore = false;
  for (const contactId of person.contactIds) {
    const isIndexed = removeOfContact(tx, contactId, INDEXED_AT_A_TIME);
    eraseMessages(tx, person, contactId, limit, erased);
    erased.received += eraseInbounds(tx, contactId, limit);
    erased.by_other_senders += eraseEchoes(tx, contactId, limit);
    isMore ||= isIndexed;
  }
  return { isMore: isMore || Object.values(erased).some((count) => count > 0), erased };
}

function eraseMessages(
  tx: Tx,
  { workspaceId, names }: Person,
  contactId: number,
  limit: number,
  erased: ErasedTexts,
): void {
  const ids = sql`(${sql.raw(idsOfContact(String(contactId), String(workspaceId), { broadcasts: true }))})`;
  const found = tx.db
    .select({
      id: messages.id,
      sendToken: messages.sendToken,
      networkMessageId: messages.networkMessageId,
      broadcastId: messages.broadcastId,
      isScheduled: sql<number>`${messages.sendAt} IS NOT NULL AND ${messages.status} = 'pending'`,
    })
    .from(messages)
    .where(and(inArray(messages.id, ids), sql`${messages.toPhone} <> ${ERASED}`))
    .limit(limit)
    .all();
  const sendTokens = found.map(({ sendToken }) => sendToken);
  const messageIds = found.map(({ id }) => id);
  removeNetworkIds(tx, found);
  tx.db.delete(providerRequests).where(inArray(providerRequests.sendToken, sendTokens)).run();
  emptyRows(tx, "messages", inArray(messages.id, messageIds));
  failErased(tx, messageIds);
  redactAnswers(tx, workspaceId, messageIds);
  const texts = names.map(({ text }) => text);
  const ofBroadcasts = new Set(found.flatMap(({ broadcastId }) => broadcastId ?? []));
  for (const id of ofBroadcasts) eraseFromBroadcast(tx, id, texts);
  for (const { broadcastId, isScheduled } of found)
    erased[broadcastId !== null ? "of_broadcasts" : isScheduled === 1 ? "scheduled" : "sent"] += 1;
}

function eraseInbounds(tx: Tx, contactId: number, limit: number): number {
  const ids = tx.db
    .select({ id: inbounds.id })
    .from(inbounds)
    .where(and(eq(inbounds.contactId, contactId), sql`${inbounds.text} IS NOT ${ERASED}`))
    .limit(limit)
    .all()
    .map(({ id }) => id);
  const erased = eraseMedia(tx, ids);
  for (const { eventSeq } of erased) if (eventSeq !== null) emptyEventOf(tx, eventSeq);
  emptyRows(tx, "media", inArray(media.inboundId, ids));
  emptyRows(tx, "inbounds", inArray(inbounds.id, ids));
  return ids.length;
}

function eraseEchoes(tx: Tx, contactId: number, limit: number): number {
  const ids = tx.db
    .select({ id: echoes.id })
    .from(echoes)
    .where(and(eq(echoes.contactId, contactId), sql`${echoes.text} IS NOT ${ERASED}`))
    .limit(limit)
    .all()
    .map(({ id }) => id);
  emptyRows(tx, "echoes", inArray(echoes.id, ids));
  return ids.length;
}

/** The person's files that the disk may hold under another name than that of a stored file. */
export function listMediaOf(tx: ReadTx, { contactIds }: Person): Pick<Media, "id" | "networkMediaId">[] {
  return tx.db
    .select({ id: media.id, networkMediaId: media.networkMediaId })
    .from(media)
    .innerJoin(inbounds, eq(inbounds.id, media.inboundId))
    .where(and(inArray(inbounds.contactId, [...contactIds]), ne(media.state, "erased")))
    .all();
}
