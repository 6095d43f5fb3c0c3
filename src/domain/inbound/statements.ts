/** The hot statements of callbacks, inbound messages and echoes: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite, integer, integerOrNull, string } from "#src/db/hot-statement.ts";
import { hotFind, hotInsert } from "#src/db/hot-table.ts";
import { messages } from "../messages/table.ts";
import { awayDays, blocks, callbacks, echoes, inbounds, phoneContacts } from "./table.ts";

const callback = getTableColumns(callbacks);
const inbound = getTableColumns(inbounds);
const echo = getTableColumns(echoes);
const { id: messageId, templateCategory, templateName, templateLanguage } = getTableColumns(messages);

/**
 * The note holds the place of `done_at`: a time takes six bytes, like this text, and the note is usually empty once the
 * callback is done. So the row keeps its length, and SQLite writes the last page of a large body again instead of all.
 */
export const insertCallback = hotWrite(
  `INSERT INTO callbacks (network, body, received_at, due_at, note, trust)
  VALUES (:network, :body, :receivedAt, :dueAt, 'queued', :trust)`,
  callback,
);

export const dueCallbacks = hotQuery(
  `SELECT id, octet_length(body) AS size FROM callbacks WHERE done_at IS NULL AND due_at <= :now
  ORDER BY due_at, id LIMIT +:limit`,
  { now: integer, limit: integer },
  { id: callback.id, size: integer },
);

export const callbackById = hotFind(callbacks, ["id"]);

export const firstDueAt = hotQuery(
  "SELECT min(due_at) AS dueAt FROM callbacks WHERE done_at IS NULL",
  {},
  { dueAt: integerOrNull },
);

export const setCallbackDone = hotWrite(
  "UPDATE callbacks SET done_at = :doneAt, note = :note, state = :state WHERE id = +:id",
  callback,
);

/** Fails if the inbound is stored already. */
export const insertInbound = hotInsert(inbounds, [
  ...(["workspaceId", "numberId", "contactId", "networkMessageId", "type", "text", "details", "receivedAt"] as const),
  ...(["createdAt", "origin"] as const),
]);

export const knownInbound = hotFind(inbounds, ["workspaceId", "networkMessageId"], { take: ["id"] });

export const awayDayOf = hotFind(awayDays, ["contactId", "day"], { take: ["createdAt"] });

export const insertAwayDay = hotInsert(awayDays, ["contactId", "day", "workspaceId", "createdAt"]);

/** The send tokens of this database begin with it. */
export const ownInstance = hotQuery("SELECT instance_id AS id FROM instance WHERE id = 1", {}, { id: string });

export const inboundById = hotFind(inbounds, ["id"]);

/** Fills in what an earlier delivery of the same inbound did not bring, and how it arrived. */
export const completeInbound = hotQuery(
  `UPDATE inbounds SET type = :type, text = :text, details = :details, origin = :origin WHERE id = +:id
  RETURNING ${columns(inbound)}`,
  inbound,
  inbound,
);

/** Stores nothing and returns no row if the echo is stored already. */
export const insertEcho = hotQuery(
  `INSERT INTO echoes (workspace_id, number_id, contact_id, network_message_id, origin, type, text, details, status,
    sent_at, created_at)
  VALUES (:workspaceId, :numberId, :contactId, :networkMessageId, :origin, :type, :text, :details, :status, :sentAt,
    :createdAt)
  ON CONFLICT DO NOTHING RETURNING ${columns(echo)}`,
  echo,
  echo,
);

export const echoByNetworkId = hotFind(echoes, ["workspaceId", "networkMessageId"]);

export const completeEcho = hotWrite(
  "UPDATE echoes SET type = :type, text = :text, details = :details WHERE id = +:id",
  echo,
);

export const setEchoStatus = hotWrite("UPDATE echoes SET status = :status WHERE id = +:id", echo);

/** When the person last wrote to us on a number, after a moment: not to another sender, and not in the history. */
export const lastOwnMessage = hotQuery(
  `SELECT received_at AS receivedAt FROM inbounds
  WHERE contact_id = +:contactId AND received_at > :after AND number_id = +:numberId AND origin = 'messages'
    AND type <> 'call' AND type <> 'system'
  ORDER BY received_at DESC LIMIT 1`,
  { contactId: inbound.contactId, numberId: inbound.numberId, after: integer },
  { receivedAt: inbound.receivedAt },
);

/** When another sender last wrote to the person from one of our numbers, between two moments. */
export const lastEchoBetween = hotQuery(
  `SELECT sent_at AS sentAt FROM echoes
  WHERE contact_id = +:contactId AND sent_at > :after AND sent_at <= :until AND origin <> 'control_pass'
  ORDER BY sent_at DESC LIMIT 1`,
  { contactId: echo.contactId, after: integer, until: integer },
  { sentAt: echo.sentAt },
);

export const phoneContactOf = hotFind(phoneContacts, ["contactId", "numberId"]);

export const keepPhoneContact = hotInsert(
  phoneContacts,
  ["contactId", "numberId", "name", "firstName", "changedAt"],
  `ON CONFLICT DO UPDATE SET name = excluded.name, first_name = excluded.first_name, changed_at = excluded.changed_at`,
);

/** A recipient's category stands in its broadcast; free-form text has none. */
const category = "coalesce(messages.template_category, broadcasts.template_category) AS templateCategory";

/** The template of a message. */
export const templateOfMessage = hotQuery(
  `SELECT ${category}, coalesce(messages.template_name, broadcasts.template_name) AS templateName,
    coalesce(messages.template_language, broadcasts.template_language) AS templateLanguage FROM messages LEFT JOIN broadcasts ON broadcasts.id = messages.broadcast_id
  WHERE messages.id = +:messageId`,
  { messageId },
  { templateCategory, templateName, templateLanguage },
);

export const blockOn = hotFind(blocks, ["contactId", "numberId"]);

const place = { contactId: inbound.contactId, at: integer, id: integer, limit: integer };
const inboundPlace = { id: inbound.id, at: inbound.receivedAt, numberId: inbound.numberId };
const { numberId, networkMessageId } = echo;
const echoPlace = { id: echo.id, at: echo.sentAt, numberId, networkMessageId };

/** What a person wrote before a place in that order, the newest first. */
export const inboundsBefore = hotQuery(
  `SELECT id, received_at AS at, number_id AS numberId FROM inbounds
  WHERE contact_id = +:contactId AND (received_at, id) < (:at, :id) ORDER BY received_at DESC, id DESC LIMIT +:limit`,
  place,
  inboundPlace,
);

/** The same from a place on, the oldest first. */
export const inboundsFrom = hotQuery(
  `SELECT id, received_at AS at, number_id AS numberId FROM inbounds
  WHERE contact_id = +:contactId AND (received_at, id) >= (:at, :id) ORDER BY received_at, id LIMIT +:limit`,
  place,
  inboundPlace,
);

/** As `inboundsBefore`. */
export const echoesBefore = hotQuery(
  `SELECT id, sent_at AS at, number_id AS numberId, network_message_id AS networkMessageId FROM echoes
  WHERE contact_id = +:contactId AND (sent_at, id) < (:at, :id) ORDER BY sent_at DESC, id DESC LIMIT +:limit`,
  place,
  echoPlace,
);

/** As `inboundsFrom`. */
export const echoesFrom = hotQuery(
  `SELECT id, sent_at AS at, number_id AS numberId, network_message_id AS networkMessageId FROM echoes
  WHERE contact_id = +:contactId AND (sent_at, id) >= (:at, :id) ORDER BY sent_at, id LIMIT +:limit`,
  place,
  echoPlace,
);

export const echoById = hotFind(echoes, ["id"]);
