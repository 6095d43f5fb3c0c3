/**
 * Users whom a note names: `@ana`, the part of an address before its @, or `@ana@example.com`. Only those who may see the
 * conversation are named; each sees it among their mentions until they have read it.
 */
import { and, desc, eq, inArray, isNull, lte, max, sql } from "drizzle-orm";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { type Conversation, conversations } from "../contacts/table.ts";
import { listAnswerers } from "./assignee.ts";
import { type ConversationPosition, isBelow } from "./conversations.ts";
import { named, namesIn } from "./mention-names.ts";
import { type ConversationNote, noteMentions } from "./table.ts";

/** Who asks, and the numbers whose conversations they see; null: all. */
interface Reader {
  userId: number;
  workspaceId: number;
  numberIds: readonly number[] | null;
}

/** Stores whom a new note names, but its author. A name that two have names no one. */
export function storeMentions(tx: Tx, { id: noteId, text, userId: authorId, ...place }: ConversationNote): void {
  const names = new Set(namesIn(text).map(({ name }) => name));
  if (names.size === 0) return;
  const { workspaceId, contactId, numberId } = place;
  const all = listAnswerers(tx, place);
  const users = new Set([...names].flatMap((name) => named(all, name) ?? []));
  for (const { id: userId } of users) {
    if (userId === authorId) continue;
    tx.db.insert(noteMentions).values({ userId, noteId, workspaceId, contactId, numberId, readAt: null }).run();
  }
}

function unreadOf({ userId, workspaceId, numberIds }: Reader) {
  return and(
    eq(noteMentions.userId, userId),
    eq(noteMentions.workspaceId, workspaceId),
    isNull(noteMentions.readAt),
    numberIds === null ? undefined : inArray(noteMentions.numberId, [...numberIds]),
  );
}

/** How many conversations have a note that names the user and is not read, counted up to `limit`. */
export function countMentions(tx: ReadTx, reader: Reader, limit: number): number {
  const { contactId, numberId } = noteMentions;
  return tx.db.selectDistinct({ contactId, numberId }).from(noteMentions).where(unreadOf(reader)).limit(limit).all()
    .length;
}

/** The conversations with such a note, the latest writer first. */
export function listMentioned(
  tx: ReadTx,
  reader: Reader,
  before: ConversationPosition | null,
  limit: number,
): Conversation[] {
  const { contactId, numberId } = noteMentions;
  const places = tx.db.select({ contactId, numberId }).from(noteMentions).where(unreadOf(reader));
  return tx.db
    .select()
    .from(conversations)
    .where(
      and(
        sql`(${conversations.contactId}, ${conversations.numberId}) IN ${places}`,
        before === null ? undefined : isBelow(before),
      ),
    )
    .orderBy(desc(conversations.wroteAt), desc(conversations.id))
    .limit(limit)
    .all();
}

/** The newest note to a contact that names the user and is not read; null: none. `numberId`: on this number alone. */
export function newestMention(tx: ReadTx, reader: Reader, contactId: number, numberId?: number): number | null {
  const found = tx.db
    .select({ id: max(noteMentions.noteId) })
    .from(noteMentions)
    .where(
      and(
        unreadOf(reader),
        eq(noteMentions.contactId, contactId),
        numberId === undefined ? undefined : eq(noteMentions.numberId, numberId),
      ),
    )
    .get();
  return found?.id ?? null;
}

/** The user has read the notes to a contact, up to this one. */
export function markMentionsRead(tx: Tx, reader: Reader, contactId: number, lastNoteId: number): boolean {
  const { changes } = tx.db
    .update(noteMentions)
    .set({ readAt: tx.now })
    .where(and(unreadOf(reader), eq(noteMentions.contactId, contactId), lte(noteMentions.noteId, lastNoteId)))
    .run();
  return changes > 0;
}
