/**
 * Forgets a person: name, number, texts, raw callbacks, event bodies. Figures stay, for they are nobody's; and so does a
 * keyed hash of an opt-out, so that nothing we do later revives it. Run in batches; each call does a bounded part.
 */
import { and, eq, gt, inArray, sql } from "drizzle-orm";
import { type E164, otherSpelling } from "#src/primitives/phone.ts";
import type { Tx } from "#src/storage/transaction.ts";
import { networkAttempts } from "../attempts/table.ts";
import { callbacks } from "../callbacks/table.ts";
import { rememberErasedOptOut } from "../contacts/erased.ts";
import {
  type Contact,
  consentLog,
  contactNetworkIds,
  contactPeople,
  contacts,
  contactTags,
} from "../contacts/table.ts";
import { eraseFromDrafts } from "../drafts/drafts.ts";
import { events } from "../events/table.ts";
import { contactFields } from "../fields/table.ts";
import { groupMembers } from "../groups/table.ts";
import { idempotencyKeys } from "../idempotency/table.ts";
import { conversations, inbounds } from "../inbound/table.ts";
import { messages, parkedStatuses } from "../messages/table.ts";
import { deliveries, deliveryAttempts } from "../webhooks/table.ts";

const ERASED = "[erased]";

/** Every text by which the person may be found: numbers in both spellings, network ids. Without `+`, as networks write. */
export function namesOf(tx: Tx, contact: Contact): string[] {
  const aliases = tx.db.select().from(contactNetworkIds).where(eq(contactNetworkIds.contactId, contact.id)).all();
  const phone = contact.phone as E164 | null;
  const other = phone === null ? null : otherSpelling(phone);
  const names = [phone?.slice(1), other?.slice(1), contact.networkUserId, ...aliases.map(({ networkId }) => networkId)];
  return [...new Set(names.filter((name) => name != null))];
}

/** What hangs on the contact itself, and the contact. Call after the batches below. */
export function eraseContact(tx: Tx, contact: Contact): void {
  if (contact.phone !== null && contact.consent === "opted_out") {
    rememberErasedOptOut(tx, contact.workspaceId, contact.phone as E164, contact.consentAt ?? tx.now);
  }
  const { id } = contact;
  const names = namesOf(tx, contact);
  eraseFromDrafts(tx, contact.workspaceId, names);
  for (const name of names) {
    tx.db.delete(parkedStatuses).where(sql`instr(${parkedStatuses.report}, ${name}) > 0`).run();
  }
  tx.db.delete(contactPeople).where(eq(contactPeople.contactId, id)).run();
  tx.db.delete(contactTags).where(eq(contactTags.contactId, id)).run();
  tx.db.delete(groupMembers).where(eq(groupMembers.contactId, id)).run();
  tx.db.delete(contactFields).where(eq(contactFields.contactId, id)).run();
  tx.db.delete(contactNetworkIds).where(eq(contactNetworkIds.contactId, id)).run();
  tx.db.delete(conversations).where(eq(conversations.contactId, id)).run();
  tx.db.update(consentLog).set({ evidence: {} }).where(eq(consentLog.contactId, id)).run();
  // The row stays, empty and unlisted: messages and figures refer to it.
  tx.db
    .update(contacts)
    .set({
      phone: null,
      networkUserId: null,
      personId: null,
      name: null,
      firstName: null,
      lastName: null,
      email: null,
      city: null,
      state: null,
      postalCode: null,
      company: null,
      birthday: null,
      anniversary: null,
      lastMessageAt: null,
      updatedAt: tx.now,
    })
    .where(eq(contacts.id, id))
    .run();
}

/** Messages and inbounds of the contact, up to `limit` of each; false when nothing was left. */
export function eraseTexts(tx: Tx, contact: Contact, limit: number): boolean {
  const found = tx.db
    .select({ id: messages.id, reference: messages.reference })
    .from(messages)
    .where(and(eq(messages.contactId, contact.id), sql`${messages.toPhone} <> ${ERASED}`))
    .limit(limit)
    .all();
  const references = found.map(({ reference }) => reference);
  const sent = found.map(({ id }) => id);
  tx.db.delete(networkAttempts).where(inArray(networkAttempts.reference, references)).run();
  tx.db
    .update(messages)
    .set({ toPhone: ERASED, text: ERASED, variables: null, networkMessageId: null })
    .where(inArray(messages.id, sent))
    .run();
  tx.db.update(idempotencyKeys).set({ body: '{"data":null}' }).where(inArray(idempotencyKeys.messageId, sent)).run();
  const written = tx.db
    .select({ id: inbounds.id })
    .from(inbounds)
    .where(and(eq(inbounds.contactId, contact.id), sql`${inbounds.text} IS NOT ${ERASED}`))
    .limit(limit)
    .all()
    .map(({ id }) => id);
  // The network's ids hold the number in disguise.
  tx.db
    .update(inbounds)
    .set({ text: ERASED, networkMessageId: sql`'erased-' || ${inbounds.id}` })
    .where(inArray(inbounds.id, written))
    .run();
  return sent.length > 0 || written.length > 0;
}

/** Raw callbacks and event bodies that name the person, from `afterId` on; returns where to go on, null at the end. */
export function eraseMentions(
  tx: Tx,
  workspaceId: number,
  names: string[],
  table: "callbacks" | "events",
  afterId: number,
  limit: number,
): number | null {
  if (table === "events") {
    const rows = tx.db
      .select({ seq: events.seq, body: events.body, id: events.id, type: events.type })
      .from(events)
      .where(and(eq(events.workspaceId, workspaceId), gt(events.seq, afterId)))
      .orderBy(events.seq)
      .limit(limit)
      .all();
    for (const { seq, body, id, type } of rows) {
      if (!names.some((name) => body.includes(name))) continue;
      // The envelope stays valid for whoever replays it.
      const { created_at } = JSON.parse(body) as { created_at: string };
      tx.db
        .update(events)
        .set({ body: JSON.stringify({ id, type, created_at, data: {} }) })
        .where(eq(events.seq, seq))
        .run();
      for (const delivery of tx.db.select().from(deliveries).where(eq(deliveries.eventSeq, seq)).all()) {
        tx.db
          .update(deliveryAttempts)
          .set({ response: null })
          .where(eq(deliveryAttempts.deliveryId, delivery.id))
          .run();
      }
    }
    return rows.at(-1)?.seq ?? null;
  }
  const rows = tx.db
    .select({ id: callbacks.id, body: callbacks.body })
    .from(callbacks)
    .where(gt(callbacks.id, afterId))
    .orderBy(callbacks.id)
    .limit(limit)
    .all();
  for (const { id, body } of rows) {
    if (names.some((name) => body.includes(name))) {
      tx.db.update(callbacks).set({ body: "{}" }).where(eq(callbacks.id, id)).run();
    }
  }
  return rows.at(-1)?.id ?? null;
}
