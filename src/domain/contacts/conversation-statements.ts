/** The hot statements of conversations: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite, integer, string } from "#src/db/hot-statement.ts";
import { hotFind } from "#src/db/hot-table.ts";
import { conversations } from "./table.ts";

const conversation = getTableColumns(conversations);
const { contactId, numberId, wroteAt, owner, ownerRole, ownerAt } = conversation;

export const conversationById = hotFind(conversations, ["id"]);

export const conversationOn = hotFind(conversations, ["contactId", "numberId"]);

/** A conversation that is snoozed or done. */
export const closedConversationOn = hotFind(conversations, ["contactId", "numberId"], {
  rest: "AND state <> 'open'",
  take: ["id"],
});

/** Those of a contact on numbers that others answer too. */
export const sharedThreads = hotQuery(
  `SELECT numbers.phone AS number, wrote_at AS wroteAt, owner, owner_role AS ownerRole, owner_at AS ownerAt
  FROM conversations JOIN numbers ON numbers.id = conversations.number_id
  WHERE contact_id = +:contactId AND shared_since IS NOT NULL AND removed_at IS NULL ORDER BY number_id`,
  { contactId },
  { number: string, wroteAt, owner, ownerRole, ownerAt },
);

/** The rank of what this server did itself: of two acts at the same time the second one counts. */
export const ACTION_RANK = 2;

/**
 * What the network said of the owner, unless it said something later. The role of another sender stays known while that
 * sender keeps the thread.
 */
export const setThreadOwner = hotQuery(
  `UPDATE conversations SET owner = :owner, owner_role = iif(owner IS :owner, coalesce(:ownerRole, owner_role), :ownerRole),
    owner_at = :ownerAt, owner_rank = :ownerRank
  WHERE contact_id = +:contactId AND number_id = +:numberId
    AND (owner_at IS NULL OR owner_at < :ownerAt OR (owner_at = +:ownerAt
      AND (owner_rank < :ownerRank OR (owner_rank = ${ACTION_RANK} AND owner_rank = +:ownerRank))))
  RETURNING ${columns(conversation)}`,
  conversation,
  conversation,
);

/** A person whose window was opened without a message is listed with those who wrote at that time. */
export const noteActivity = hotWrite(
  `UPDATE conversations SET wrote_at = :wroteAt
  WHERE contact_id = +:contactId AND number_id = +:numberId AND wrote_at < :wroteAt`,
  { contactId, numberId, wroteAt: integer },
);
