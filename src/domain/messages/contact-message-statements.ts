/** The hot statements of the index of single messages by their contact: see `db/hot-statement.ts` and `contact-messages.ts`. */
import { getTableColumns } from "drizzle-orm";
import { hotQuery, hotWrite, integer, integerOrNull, stringOrNull } from "#src/db/hot-statement.ts";
import { hotDelete } from "#src/db/hot-table.ts";
import { contactMessages, messages } from "./table.ts";

const { contactId, dispatchedAt, messageId } = getTableColumns(contactMessages);
const { workspaceId } = getTableColumns(messages);

/** The id up to which single messages are in the index. */
const INDEXED_UNTIL = "coalesce((SELECT contact_messages_until FROM instance WHERE id = 1), 0)" as const;

/** SQL: a row of `messages` is a single message that is not in the index. */
export const isUnindexed = `messages.broadcast_id IS NULL AND messages.id > ${INDEXED_UNTIL}` as const;

/** For the compiler, which looks for the placeholders of a text and reads nothing else of it. */
type Placeholders<Condition extends string> = `${Condition} :contactId :workspaceId :limit :offset `;

/**
 * SQL of the dispatched messages of a contact, as `at` (when each was dispatched) and `id`, the newest first: single ones in
 * the index, single ones that are not there yet, and those of broadcasts. Takes `:contactId`, `:workspaceId`, `:limit` and
 * `:offset`. In `condition`, `{at}` and `{id}` stand for what is sorted by, so that an index may find a range of them; all
 * other columns are written with the table's name, `messages`. `others`: a further SELECT, of messages that stand elsewhere.
 */
function dispatchedTo<const Condition extends string>(
  condition: Condition,
  others = "",
  order: "ASC" | "DESC" = "DESC",
): Placeholders<Condition> {
  const where = (at: string, id: string): string => condition.replaceAll("{at}", at).replaceAll("{id}", id);
  const own = where("messages.dispatched_at", "messages.id");
  return `SELECT messages.dispatched_at AS at, messages.id AS id FROM messages
    WHERE messages.contact_id = +:contactId AND messages.broadcast_id IS NOT NULL
      AND messages.dispatched_at IS NOT NULL AND ${own}
    UNION ALL
    SELECT entry.dispatched_at, entry.message_id FROM contact_messages AS entry CROSS JOIN messages
    WHERE entry.contact_id = +:contactId AND entry.message_id <= ${INDEXED_UNTIL}
      AND messages.id = entry.message_id AND messages.contact_id = entry.contact_id
      AND messages.dispatched_at = entry.dispatched_at AND ${where("entry.dispatched_at", "entry.message_id")}
    UNION ALL
    SELECT messages.dispatched_at, messages.id FROM messages
    WHERE messages.workspace_id = +:workspaceId AND ${isUnindexed} AND messages.contact_id = +:contactId
      AND messages.dispatched_at IS NOT NULL AND ${own}
    ${others === "" ? "" : `UNION ALL ${others}`}
    ORDER BY at ${order}, id ${order} LIMIT +:limit OFFSET +:offset` as string as Placeholders<Condition>;
}

/**
 * The last template that was dispatched to a contact and not refused, with a number of the portfolio (null: any). A single
 * message between two attempts keeps its place; a recipient of a broadcast is counted when it is claimed again.
 */
export const lastTemplate = hotQuery(
  dispatchedTo(
    `{at} > :since AND (messages.type = 'template' OR messages.template_category IS NOT NULL)
      AND messages.status <> 'pending' AND messages.status <> 'skipped'
      AND (messages.status <> 'queued' OR messages.broadcast_id IS NULL)
      AND (messages.status <> 'failed' OR messages.outcome_unknown = 1)
      AND (+:portfolioId IS NULL OR messages.number_id IN (SELECT id FROM numbers WHERE portfolio_id = +:portfolioId))`,
  ),
  { contactId, workspaceId, since: integer, portfolioId: integerOrNull, limit: integer, offset: integer },
  { at: integer, id: integer },
);

/** The last message that a contact got, or may have got, between two moments. */
export const lastSent = hotQuery(
  dispatchedTo(
    `{at} > :after AND {at} <= :until AND (messages.status = 'sending' OR messages.status = 'sent'
      OR messages.status = 'delivered' OR messages.status = 'read' OR messages.outcome_unknown = 1)`,
  ),
  { contactId, workspaceId, after: integer, until: integer, limit: integer, offset: integer },
  { at: integer, id: integer },
);

/** A contact's dispatched messages before a place in their order, and scheduled ones that are not dispatched (yet). */
export const dispatchedBefore = hotQuery(
  dispatchedTo(
    "({at}, {id}) < (:beforeAt, :beforeId)",
    `SELECT messages.created_at, messages.id FROM messages
    WHERE messages.contact_id = +:contactId AND messages.send_at IS NOT NULL AND messages.dispatched_at IS NULL
      AND (messages.created_at, messages.id) < (:beforeAt, :beforeId)`,
  ),
  { contactId, workspaceId, beforeAt: integer, beforeId: integer, limit: integer, offset: integer },
  { at: integer, id: integer },
);

/** The same from a place in their order on, the oldest first. */
export const dispatchedFrom = hotQuery(
  dispatchedTo(
    "({at}, {id}) >= (:fromAt, :fromId)",
    `SELECT messages.created_at, messages.id FROM messages
    WHERE messages.contact_id = +:contactId AND messages.send_at IS NOT NULL AND messages.dispatched_at IS NULL
      AND (messages.created_at, messages.id) >= (:fromAt, :fromId)`,
    "ASC",
  ),
  { contactId, workspaceId, fromAt: integer, fromId: integer, limit: integer, offset: integer },
  { at: integer, id: integer },
);

/** A contact's texts that were dispatched in a range of time and may answer something. */
export const textsOfContact = hotQuery(
  dispatchedTo("{at} >= :since AND {at} <= :until AND messages.type = 'text' AND messages.automated = 0"),
  { contactId, workspaceId, since: integer, until: integer, limit: integer, offset: integer },
  { at: integer, id: integer },
);

/** What users of the console sent to a contact since a moment, the newest first. The condition is that of the index. */
export const ofStaffToContact = hotQuery(
  `SELECT dispatched_at AS at, id FROM messages
  WHERE contact_id = +:contactId AND origin = 'console' AND dispatched_at >= +:since AND automated = 0
  ORDER BY dispatched_at DESC, id DESC LIMIT +:limit`,
  { contactId, since: integer, limit: integer },
  { at: integer, id: integer },
);

/** As the API shows it. */
const SHOWN_STATUS = `CASE messages.status WHEN 'skipped' THEN 'cancelled' WHEN 'pending' THEN 'scheduled'
  WHEN 'sending' THEN 'scheduled' ELSE messages.status END` as const;

/**
 * The messages of the API to a contact that customers see. `status` null: any. Scheduled ones keep the place where they
 * were accepted, so that a page does not miss one that is dispatched meanwhile.
 */
export const listedOfContact = hotQuery(
  dispatchedTo(
    `({at}, {id}) < (:beforeAt, :beforeId) AND {at} >= :since AND +messages.created_at >= :since
      AND messages.origin = 'api' AND messages.send_at IS NULL
      AND messages.status NOT IN ('queued', 'sending') AND (+:status IS NULL OR messages.status = +:status)`,
    `SELECT messages.created_at, messages.id FROM messages
    WHERE messages.contact_id = +:contactId AND messages.send_at IS NOT NULL
      AND (messages.created_at, messages.id) < (:beforeAt, :beforeId) AND messages.created_at >= :since
      AND messages.origin = 'api' AND (+:status IS NULL OR ${SHOWN_STATUS} = +:status)`,
  ),
  {
    ...{ contactId, workspaceId, beforeAt: integer, beforeId: integer, since: integer },
    ...{ status: stringOrNull, limit: integer, offset: integer },
  },
  { at: integer, id: integer },
);

/**
 * SQL of the ids of a contact's messages, single ones (`broadcasts`: and recipients of broadcasts, dispatched or not), for the
 * reader and for rare work. `contact` and `workspace` are SQL.
 */
export function idsOfContact(contact: string, workspace: string, { broadcasts }: { broadcasts: boolean }): string {
  const recipients = `SELECT id FROM messages WHERE contact_id = ${contact} AND broadcast_id IS NOT NULL UNION ALL `;
  // Scheduled messages that were never dispatched are in no other index; the others are found twice.
  return `${broadcasts ? recipients : ""}SELECT message_id FROM contact_messages WHERE contact_id = ${contact}
    UNION ALL SELECT id FROM messages WHERE contact_id = ${contact} AND send_at IS NOT NULL
    UNION ALL SELECT id FROM messages
      WHERE workspace_id = ${workspace} AND ${isUnindexed} AND contact_id = ${contact}`;
}

/** When a contact was last sent anything, as far as the indexes tell; null if never. */
export const lastIndexedDispatch = hotQuery(
  `SELECT max(at) AS at FROM (
    SELECT max(dispatched_at) AS at FROM messages WHERE contact_id = +:contactId AND broadcast_id IS NOT NULL
    UNION ALL SELECT max(dispatched_at) FROM contact_messages WHERE contact_id = +:contactId
  )`,
  { contactId },
  { at: integerOrNull },
);

/** The same of single messages that are not in the index. */
export const lastUnindexedDispatch = hotQuery(
  `SELECT max(dispatched_at) AS at FROM messages
  WHERE workspace_id = +:workspaceId AND ${isUnindexed} AND contact_id = +:contactId`,
  { workspaceId, contactId },
  { at: integerOrNull },
);

export const indexEntry = hotWrite(
  `INSERT OR IGNORE INTO contact_messages (contact_id, dispatched_at, message_id)
  VALUES (:contactId, :dispatchedAt, :messageId)`,
  { contactId, dispatchedAt, messageId },
);

export const removeEntry = hotDelete(contactMessages, ["contactId", "dispatchedAt", "messageId"]);

export const lastMessageId = hotQuery("SELECT coalesce(max(id), 0) AS id FROM messages", {}, { id: integer });

const unindexedUpTo = `messages.workspace_id IN (SELECT id FROM workspaces) AND ${isUnindexed}` as const;

/** Each contact with messages that are not in the index, and the last of them. */
export const unindexedContacts = hotQuery(
  `SELECT contact_id AS contactId, max(id) AS messageId FROM messages
  WHERE ${unindexedUpTo} AND id <= +:until AND contact_id IS NOT NULL GROUP BY contact_id`,
  { until: integer },
  { contactId: integer, messageId: integer },
);

export const countUnindexed = hotQuery(
  `SELECT count(*) AS count FROM messages WHERE ${unindexedUpTo} AND id <= +:until`,
  { until: integer },
  { count: integer },
);

/** The contact of every `distance`-th of them, by contact. */
export const everyContact = hotQuery(
  `SELECT contactId FROM (
    SELECT contact_id AS contactId, row_number() OVER (ORDER BY contact_id) AS place FROM messages
    WHERE ${unindexedUpTo} AND id <= +:until AND contact_id IS NOT NULL
  ) WHERE place % +:distance = 0 ORDER BY contactId`,
  { until: integer, distance: integer },
  { contactId: integer },
);

/** Sorted, because neighbours share a page. */
export const indexContacts = hotWrite(
  `INSERT OR IGNORE INTO contact_messages (contact_id, dispatched_at, message_id)
  SELECT contact_id, dispatched_at, id FROM messages
  WHERE ${unindexedUpTo} AND id <= +:until AND contact_id >= +:from AND contact_id < +:to AND dispatched_at IS NOT NULL
  ORDER BY contact_id, dispatched_at, id`,
  { until: integer, from: integer, to: integer },
);

export const setIndexedUntil = hotWrite("UPDATE instance SET contact_messages_until = :until WHERE id = 1", {
  until: integer,
});

export const indexWorkspace = hotWrite(
  `INSERT OR IGNORE INTO contact_messages (contact_id, dispatched_at, message_id)
  SELECT contact_id, dispatched_at, id FROM messages
  WHERE workspace_id = +:workspaceId AND broadcast_id IS NULL AND contact_id IS NOT NULL AND dispatched_at IS NOT NULL`,
  { workspaceId },
);
