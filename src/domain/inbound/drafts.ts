/**
 * What a user is writing to a person, so that another device and another browser have it. The change that was made last is kept,
 * whichever is stored last, and a sent draft does not come back.
 */
import { and, eq } from "drizzle-orm";
import { findRow, upsertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { findSentByForm } from "../messages/read.ts";
import type { Message } from "../messages/table.ts";
import { type ConversationDraft, conversationDrafts } from "../users/table.ts";

type Place = Pick<ConversationDraft, "contactId" | "userId">;

function at({ contactId, userId }: Place) {
  return and(eq(conversationDrafts.contactId, contactId), eq(conversationDrafts.userId, userId));
}

export function findConversationDraft(tx: ReadTx, place: Place): ConversationDraft | undefined {
  return findRow(tx, conversationDrafts, at(place));
}

/** A change of the draft, which the user made at `changedAt`. */
interface Change extends Place {
  /** The key of the draft that was changed, as the user had it; null: there was none. */
  replaces: string | null;
  changedAt: number;
}

/** False: the stored one is another and was changed later, or the message was sent; nothing is stored. */
export function saveConversationDraft(
  tx: Tx,
  change: Change & Pick<ConversationDraft, "workspaceId" | "content" | "messageKey">,
): boolean {
  const { replaces: _, ...draft } = change;
  const { workspaceId, content, messageKey } = draft;
  const stored = findConversationDraft(tx, change);
  if (isOlder(change, stored) || findSentByForm(tx, workspaceId, messageKey) !== undefined) return false;
  // What was never stored leaves nothing.
  if (content === null && stored === undefined) return true;
  const changedAt = Math.max(draft.changedAt, stored?.changedAt ?? 0);
  upsertRow(
    tx,
    conversationDrafts,
    ["contactId", "userId"],
    { ...draft, changedAt },
    { content, messageKey, changedAt },
  );
  return true;
}

/** What was changed in sight of the stored one is newer, however long it was on its way. */
function isOlder({ replaces, changedAt }: Change, stored: ConversationDraft | undefined): boolean {
  return stored !== undefined && stored.messageKey !== replaces && stored.changedAt > changedAt;
}

/**
 * Call in the transaction that stores the message. What was written since has another key, and stays. The row stays without its
 * content, so that a browser that was closed before it heard of this does not bring the draft back.
 */
export function emptySentDraft(tx: Tx, { contactId, idempotencyKey }: Message, userId: number): void {
  if (contactId === null || idempotencyKey === null) return;
  tx.db
    .update(conversationDrafts)
    .set({ content: null, messageKey: "", changedAt: tx.now })
    .where(and(at({ contactId, userId }), eq(conversationDrafts.messageKey, idempotencyKey)))
    .run();
}
