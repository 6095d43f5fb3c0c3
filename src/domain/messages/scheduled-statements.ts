/** The hot statements of scheduled messages: see `db/hot-statement.ts` and `scheduled.ts`. */
import { getTableColumns } from "drizzle-orm";
import { hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
import { hotDelete, hotFind, hotInsert } from "#src/db/hot-table.ts";
import { messages, scheduledMessages } from "./table.ts";

const { variables: _, ...message } = getTableColumns(messages);
const scheduled = getTableColumns(scheduledMessages);

export const insertScheduledMessage = hotWrite(
  `INSERT INTO messages (
    workspace_id, number_id, contact_id, origin, type, to_phone, from_phone, template_name, template_language,
    template_category, text, status, outcome_unknown, send_token, reference, idempotency_key, charged, rate, money,
    created_at, network_type, content, reply_to, send_at, automated, sender_name, by_ai
  ) VALUES (
    :workspaceId, :numberId, :contactId, :origin, :type, :toPhone, :fromPhone, :templateName, :templateLanguage,
    :templateCategory, :text, 'pending', 0, :sendToken, :reference, :idempotencyKey, :charged, 0, 'none',
    :createdAt, :networkType, :content, :replyTo, :sendAt, :automated, :senderName, :byAi
  )`,
  message,
);

export const insertScheduled = hotInsert(scheduledMessages, [
  ...(["messageId", "workspaceId", "contactId", "content", "cancelOnReply", "dueSince", "keyId", "take"] as const),
]);

export const scheduledById = hotFind(scheduledMessages, ["messageId"]);

export const deleteScheduled = hotDelete(scheduledMessages, ["messageId"]);

export const setDueSince = hotWrite(
  "UPDATE scheduled_messages SET due_since = :dueSince WHERE message_id = +:messageId",
  scheduled,
);

/** The message as it was evaluated when it was due. */
export const dispatchScheduled = hotWrite(
  `UPDATE messages SET status = 'sending', dispatched_at = :dispatchedAt, template_category = :templateCategory,
    text = :text, network_type = :networkType, content = :content, reply_to = :replyTo, charged = :charged,
    rate = :rate, money = :money
  WHERE id = +:id AND status = 'pending' AND dispatched_at IS NULL`,
  message,
);

/** Whether a reply of any person may cancel one. */
export const anyCancelledByReply = hotQuery(
  "SELECT EXISTS (SELECT 1 FROM scheduled_messages WHERE cancel_on_reply = 1) AS isAny",
  {},
  { isAny: integer },
);

/** Those of a contact that a reply cancels. One that is being sent can't be cancelled. */
export const cancelledByReply = hotQuery(
  `SELECT message_id AS messageId FROM scheduled_messages CROSS JOIN messages ON messages.id = message_id
  WHERE scheduled_messages.contact_id = +:contactId AND cancel_on_reply = 1 AND status = 'pending' LIMIT +:limit`,
  { ...scheduled, limit: integer },
  { messageId: scheduled.messageId },
);
