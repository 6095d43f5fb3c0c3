/** How long the people wait who have written and were not answered. What answers is said in `messages/answers.ts`. */
import { waitingInStateSql } from "./conversations.ts";

/** Of a person's newest messages and of what was sent to them, this many are read. */
const EXAMINED = 50;

const NEWEST_INBOUNDS = `SELECT created_at FROM inbounds
    WHERE contact_id = found.contact_id AND number_id = found.number_id AND origin <> 'history'
    ORDER BY received_at DESC, id DESC LIMIT ${EXAMINED}`;

const ANSWERS = "automated = 0 AND (status <> 'failed' OR outcome_unknown = 1)";

/** When a person was last answered; 0: never, or too long ago to matter. */
const ANSWERED_AT = `max(
    coalesce((SELECT dispatched_at FROM messages WHERE contact_id = found.contact_id AND origin = 'console'
      AND dispatched_at IS NOT NULL AND ${ANSWERS} ORDER BY dispatched_at DESC LIMIT 1), 0),
    coalesce((SELECT max(at) FROM (SELECT entry.dispatched_at AS at, message_id FROM contact_messages AS entry
        WHERE entry.contact_id = found.contact_id ORDER BY entry.dispatched_at DESC LIMIT ${EXAMINED})
      JOIN messages ON messages.id = message_id WHERE messages.type = 'text' AND ${ANSWERS}), 0),
    coalesce((SELECT sent_at FROM echoes WHERE contact_id = found.contact_id AND origin IN ('phone', 'standby')
      AND coalesce(status, 'sent') <> 'failed' ORDER BY sent_at DESC LIMIT 1), 0))`;

/**
 * SQL for the people who wait, in no particular order: `contact_id`, and `since`, when the first of the messages arrived
 * that were not answered. One row for each of their conversations. Parameters as of `waitingInStateSql`, whose position is
 * the newest. For the reader's thread.
 */
export const waitsSql = `SELECT contact_id, (SELECT min(created_at) FROM (${NEWEST_INBOUNDS})
      WHERE created_at > ${ANSWERED_AT}) AS since
  FROM (SELECT conversations.contact_id, conversations.number_id FROM (${waitingInStateSql}) AS waiting
    JOIN conversations ON conversations.id = waiting.id WHERE waiting.looked IS NULL) AS found`;
