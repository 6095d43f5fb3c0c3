/** The hot statements of messages and what is stored about them: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite, integer, integerOrNull } from "#src/db/hot-statement.ts";
import { hotDelete, hotFind, hotInsert } from "#src/db/hot-table.ts";
import { aiNotices, messages, parkedStatusCounts, parkedStatuses, providerRequests } from "./table.ts";

const wholeMessage = getTableColumns(messages);
const { variables, ...message } = wholeMessage;
const { id } = message;

/** `accept.ts` makes the row that is stored; a test compares it with the one that is read. */
export const insertMessage = hotWrite(
  `INSERT INTO messages (
    workspace_id, number_id, contact_id, origin, type, to_phone, from_phone, template_name, template_language,
    template_category, text, status, outcome_unknown, send_token, reference, idempotency_key, charged, rate, money,
    created_at, dispatched_at, network_type, content, reply_to, automated, sender_name, by_ai
  ) VALUES (
    :workspaceId, :numberId, :contactId, :origin, :type, :toPhone, :fromPhone, :templateName, :templateLanguage,
    :templateCategory, :text, 'sending', 0, :sendToken, :reference, :idempotencyKey, :charged, :rate, :money,
    :createdAt, :createdAt, :networkType, :content, :replyTo, :automated, :senderName, :byAi
  )`,
  message,
);

export const messageById = hotQuery(`SELECT ${columns(message)} FROM messages WHERE id = +:id`, message, message);

/** With a recipient's values. */
export const wholeMessageById = hotFind(messages, ["id"]);

export const messageBySendToken = hotQuery(
  `SELECT ${columns(message)} FROM messages WHERE send_token = +:sendToken`,
  message,
  message,
);

/**
 * Each change of a message names the state that the message leaves, so that a change that lost a race has no effect.
 * `move.ts` takes the statement that names all it changes and no more. SQLite rewrites an index if a statement names one
 * of its columns, changed or not; the network's id and the time of the dispatch are such columns.
 */
export const updateState = hotWrite(
  `UPDATE messages SET status = :status, outcome_unknown = :outcomeUnknown, error_code = :errorCode,
    error_message = :errorMessage, money = :money, sent_at = :sentAt, delivered_at = :deliveredAt, read_at = :readAt,
    failed_at = :failedAt, pricing = :pricing, held_back = :heldBack
  WHERE id = +:id AND status = +:previousStatus`,
  { ...message, previousStatus: message.status },
);

export const updateStateAndNetworkId = hotWrite(
  `UPDATE messages SET status = :status, outcome_unknown = :outcomeUnknown, error_code = :errorCode,
    error_message = :errorMessage, money = :money, sent_at = :sentAt, delivered_at = :deliveredAt, read_at = :readAt,
    failed_at = :failedAt, pricing = :pricing, held_back = :heldBack, network_message_id = :networkMessageId
  WHERE id = +:id AND status = +:previousStatus`,
  { ...message, previousStatus: message.status },
);

/**
 * The network accepted the attempt of `dispatchedAt`. It names all that may have changed since then, above all by an
 * erasure, so that the row need not be read again.
 */
export const updateToSent = hotWrite(
  `UPDATE messages SET status = 'sent', sent_at = :sentAt, network_message_id = :networkMessageId, held_back = :heldBack
  WHERE id = +:id AND status = 'sending' AND dispatched_at IS +:dispatchedAt AND contact_id IS +:contactId
    AND to_phone = +:toPhone`,
  message,
);

export const updateStateAndDispatch = hotWrite(
  `UPDATE messages SET status = :status, outcome_unknown = :outcomeUnknown, error_code = :errorCode,
    error_message = :errorMessage, money = :money, sent_at = :sentAt, delivered_at = :deliveredAt, read_at = :readAt,
    failed_at = :failedAt, pricing = :pricing, held_back = :heldBack, network_message_id = :networkMessageId, dispatched_at = :dispatchedAt
  WHERE id = +:id AND status = +:previousStatus`,
  { ...message, previousStatus: message.status },
);

export const setFellBack = hotWrite("UPDATE messages SET fell_back = 1 WHERE id = +:id", message);

/** The plus before `broadcast_id` makes SQLite search by the contact, who has fewer messages than the broadcast. */
export const activeRecipient = hotQuery(
  `SELECT id FROM messages WHERE contact_id = +:contactId AND broadcast_id IS NOT NULL
    AND +broadcast_id = +:broadcastId AND status <> 'skipped'
  LIMIT 1`,
  message,
  { id },
);

export const dispatchedRecipient = hotQuery(
  `SELECT id FROM messages WHERE contact_id = +:contactId AND broadcast_id IS NOT NULL
    AND +broadcast_id = +:broadcastId AND status <> 'pending' AND status <> 'queued' AND status <> 'skipped'
  LIMIT 1`,
  message,
  { id },
);

export const insertProviderRequest = hotInsert(providerRequests, [
  ...(["sendToken", "outcome", "code", "reason", "httpStatus", "answer", "requestedAt", "durationMs"] as const),
]);

/** In the order in which they arrived. */
export const parkedForMessage = hotFind(parkedStatuses, ["networkMessageId", "numberId"], { rest: "ORDER BY id" });

/** Null: none is parked. */
export const latestParked = hotQuery("SELECT max(id) AS id FROM parked_statuses", {}, { id: integerOrNull });

export const insertParked = hotInsert(parkedStatuses, [
  ...(["numberId", "networkMessageId", "sendToken", "item", "expiresAt"] as const),
]);

export const deleteParked = hotDelete(parkedStatuses, ["id"]);

export const parkedCount = hotFind(parkedStatusCounts, ["numberId"], { take: ["count"] });

const aiNotice = getTableColumns(aiNotices);

export const aiNoticeOn = hotFind(aiNotices, ["contactId", "numberId"]);

export const setAiNotice = hotInsert(
  aiNotices,
  ["contactId", "numberId", "workspaceId", "messageId", "carriedAt", "windowUntil"],
  `ON CONFLICT (contact_id, number_id) DO UPDATE
    SET message_id = excluded.message_id, carried_at = excluded.carried_at, window_until = excluded.window_until`,
);

/** When a contact last wrote, up to a moment, by the network's time. */
export const lastWrittenUntil = hotQuery(
  `SELECT received_at AS at FROM inbounds WHERE contact_id = +:contactId AND received_at <= :until
    AND origin <> 'history' ORDER BY received_at DESC LIMIT 1`,
  { contactId: aiNotice.contactId, until: integer },
  { at: integer },
);
