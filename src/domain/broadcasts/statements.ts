/** The hot statements of broadcasts and the rows of their recipients: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
import { hotFind } from "#src/db/hot-table.ts";
import { contacts } from "../contacts/table.ts";
import { messages } from "../messages/table.ts";
import { broadcasts } from "./table.ts";

const broadcast = getTableColumns(broadcasts);
const message = getTableColumns(messages);

export const broadcastById = hotFind(broadcasts, ["id"]);

/** Repeats the condition of the index `broadcasts_open` literally, because SQLite does not see the bound status. */
export const openBroadcasts = hotQuery(
  `SELECT ${columns(broadcast)} FROM broadcasts
  WHERE status IN ('scheduled', 'queueing', 'running', 'paused') AND status = +:status ORDER BY id`,
  broadcast,
  broadcast,
);

export const setBuiltAfterId = hotWrite(
  "UPDATE broadcasts SET built_after_id = :builtAfterId WHERE id = +:id AND status = 'queueing'",
  broadcast,
);

/** The broadcast has the price. A held recipient counts only from when the broadcast's cost is held. */
export const insertRecipient = hotWrite(
  `INSERT INTO messages (
    workspace_id, number_id, contact_id, origin, broadcast_id, type, to_phone, from_phone, variables, status,
    outcome_unknown, send_token, error_code, error_message, charged, rate, money, created_at
  ) VALUES (
    :workspaceId, :numberId, :contactId, 'broadcast', :broadcastId, 'template', :toPhone, :fromPhone, :variables, :status,
    0, :sendToken, :errorCode, :errorMessage, 0, 0, :money, :createdAt
  )`,
  message,
);

const { id, contactId, toPhone, sendToken, variables, fellBack } = message;
const recipient = { id, contactId, toPhone, sendToken, variables, fellBack };
const known = { ...message, now: integer, after: integer, limit: integer };

/** After an id, delayed ones included. */
export const waitingRecipients = hotQuery(
  `SELECT ${columns(recipient)} FROM messages
  WHERE broadcast_id = +:broadcastId AND status = +:status AND id > :after ORDER BY id LIMIT +:limit`,
  known,
  recipient,
);

/** After an id, without delayed ones. */
export const readyRecipients = hotQuery(
  `SELECT ${columns(recipient)} FROM messages
  WHERE broadcast_id = +:broadcastId AND status = 'queued' AND not_before IS NULL AND id > :after
  ORDER BY id LIMIT +:limit`,
  known,
  recipient,
);

/** The condition of the index `messages_delayed`, word for word. */
const IS_DELAYED = "broadcast_id IS NOT NULL AND status = 'queued' AND not_before IS NOT NULL";

export const dueRecipients = hotQuery(
  `SELECT ${columns(recipient)} FROM messages
  WHERE broadcast_id = +:broadcastId AND ${IS_DELAYED} AND not_before <= :now ORDER BY not_before LIMIT +:limit`,
  known,
  recipient,
);

export const recipientsDelayedBeyond = hotQuery(
  `SELECT ${columns(recipient)} FROM messages
  WHERE broadcast_id = +:broadcastId AND ${IS_DELAYED} AND not_before > :latest LIMIT +:limit`,
  { ...known, latest: integer },
  recipient,
);

export const firstDelayed = hotQuery(
  `SELECT not_before AS notBefore FROM messages WHERE broadcast_id = +:broadcastId AND ${IS_DELAYED}
  ORDER BY not_before LIMIT 1`,
  message,
  { notBefore: message.notBefore },
);

export const queueRecipient = hotWrite(
  "UPDATE messages SET status = 'queued', variables = :variables WHERE id = +:id AND status = 'pending'",
  message,
);

export const setSkipped = hotWrite(
  `UPDATE messages SET status = 'skipped', money = 'released', error_code = :errorCode, error_message = :errorMessage
  WHERE id = +:id AND status IN ('pending', 'queued')`,
  message,
);

export const setNotBefore = hotWrite("UPDATE messages SET not_before = :notBefore WHERE id = +:id", message);

export const claimRecipient = hotWrite(
  `UPDATE messages SET status = 'sending', dispatched_at = :dispatchedAt, not_before = NULL
  WHERE id = +:id AND status = 'queued'`,
  message,
);

/** The person has the broadcast's message, may have it, or is being sent it. `allowed`: 1 lets unknown outcomes pass, 0 does not. */
export const reachedByBroadcast = hotQuery(
  `SELECT id FROM messages WHERE contact_id = +:contactId AND broadcast_id IS NOT NULL
    AND +broadcast_id = +:broadcastId
    AND status <> 'pending' AND status <> 'queued' AND status <> 'skipped'
    AND (status <> 'failed' OR outcome_unknown > +:allowed)
  LIMIT 1`,
  { ...message, allowed: integer },
  { id },
);

/** What decides whether a recipient may be sent to now. */
export const contactOfRecipient = hotFind(contacts, ["id"], {
  take: [
    ...(["phone", "consent", "mayWantToStopSince", "identityId", "networkUserId", "lastMessageAt"] as const),
    ...(["windowOpenedAt", "windowClosedAt"] as const),
  ],
});
