/** Notes of the staff about a conversation, and whom they name. They are never sent, are in no event, and go when the person is erased. */
import { and, desc, eq, lt } from "drizzle-orm";
import { insertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import type { Conversation } from "../contacts/table.ts";
import { inboxTopic } from "../workspaces/inbox-topic.ts";
import { storeMentions } from "./mentions.ts";
import { type ConversationNote, conversationNotes } from "./table.ts";

export function addNote(
  tx: Tx,
  { workspaceId, contactId, numberId }: Conversation,
  note: Pick<ConversationNote, "text" | "userId" | "author" | "formKey">,
): ConversationNote {
  const row = { workspaceId, contactId, numberId, ...note, createdAt: tx.now };
  const stored = insertRow(tx, conversationNotes, row);
  storeMentions(tx, stored);
  tx.notify(inboxTopic(workspaceId));
  return stored;
}

/** The newest first, below an id. */
export function listNotes(
  tx: ReadTx,
  { contactId, numberId }: Conversation,
  beforeId: number,
  limit: number,
): ConversationNote[] {
  const { id } = conversationNotes;
  return tx.db
    .select()
    .from(conversationNotes)
    .where(and(eq(conversationNotes.contactId, contactId), eq(conversationNotes.numberId, numberId), lt(id, beforeId)))
    .orderBy(desc(id))
    .limit(limit)
    .all();
}

/** The note that this form wrote, whenever that was. */
export function findNoteOfForm(tx: ReadTx, workspaceId: number, formKey: string): ConversationNote | undefined {
  const { formKey: key, workspaceId: owner } = conversationNotes;
  return tx.db
    .select()
    .from(conversationNotes)
    .where(and(eq(owner, workspaceId), eq(key, formKey)))
    .get();
}

export function findNote(tx: ReadTx, workspaceId: number, id: number): ConversationNote | undefined {
  const { id: noteId, workspaceId: owner } = conversationNotes;
  return tx.db
    .select()
    .from(conversationNotes)
    .where(and(eq(noteId, id), eq(owner, workspaceId)))
    .get();
}
