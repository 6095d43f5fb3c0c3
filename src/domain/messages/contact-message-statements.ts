/** The hot statements that find the messages of a contact: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { hotQuery, integer, integerOrNull } from "#src/db/hot-statement.ts";
import { messages } from "./table.ts";

const { id, contactId } = getTableColumns(messages);

/** When a contact was last sent anything; null if never. */
export const lastDispatch = hotQuery(
  "SELECT max(dispatched_at) AS at FROM messages WHERE contact_id = +:contactId",
  { contactId },
  { at: integerOrNull },
);

/**
 * When the last template was dispatched to a contact after a moment and not refused, with a number of the portfolio (null:
 * any); null if none was. A single message between two attempts keeps its place; a recipient of a broadcast is counted when
 * it is claimed again.
 */
export const lastTemplate = hotQuery(
  `SELECT max(dispatched_at) AS at FROM messages
  WHERE contact_id = +:contactId AND dispatched_at > +:since
    AND type = 'template' AND status <> 'pending' AND status <> 'skipped'
    AND (status <> 'queued' OR broadcast_id IS NULL) AND (status <> 'failed' OR outcome_unknown = 1)
    AND (+:portfolioId IS NULL OR number_id IN (SELECT id FROM numbers WHERE portfolio_id = +:portfolioId))`,
  { contactId, since: integer, portfolioId: integerOrNull },
  { at: integerOrNull },
);

/** The last message that a contact got, or may have got, after one moment and not after another. */
export const lastSentBetween = hotQuery(
  `SELECT id, dispatched_at AS at FROM messages
  WHERE contact_id = +:contactId AND dispatched_at > +:after AND dispatched_at <= +:until
    AND (status = 'sending' OR status = 'sent' OR status = 'delivered' OR status = 'read' OR outcome_unknown = 1)
  ORDER BY dispatched_at DESC, id DESC LIMIT 1`,
  { contactId, after: integer, until: integer },
  { id, at: integer },
);
