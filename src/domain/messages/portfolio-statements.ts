/** The hot statements of the network's messaging limit: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
import { messages, portfolioRecipients } from "./table.ts";

const person = getTableColumns(portfolioRecipients);
const { lastAt } = person;
const message = getTableColumns(messages);
const given = { ...person, since: integer, limit: integer, exceededBy: integer };

export const countExpiredPeople = hotQuery(
  "SELECT count(*) AS count FROM portfolio_recipients WHERE portfolio_id = +:portfolioId AND last_at <= :since",
  given,
  { count: integer },
);

export const countOwnPeople = hotQuery(
  `SELECT count(*) AS count FROM portfolio_recipients
  WHERE portfolio_id = +:portfolioId AND last_at > :since AND workspace_id = +:workspaceId`,
  given,
  { count: integer },
);

export const findPerson = hotQuery(
  "SELECT last_at AS lastAt FROM portfolio_recipients WHERE portfolio_id = +:portfolioId AND person = +:person",
  given,
  { lastAt },
);

export const roomAfter = hotQuery(
  `SELECT last_at AS lastAt FROM portfolio_recipients WHERE portfolio_id = +:portfolioId AND last_at > :since
  ORDER BY last_at LIMIT 1 OFFSET +:exceededBy`,
  given,
  { lastAt },
);

export const upsertPerson = hotWrite(
  `INSERT INTO portfolio_recipients (portfolio_id, person, workspace_id, last_at)
  VALUES (:portfolioId, :person, :workspaceId, :lastAt)
  ON CONFLICT (portfolio_id, person) DO UPDATE SET workspace_id = excluded.workspace_id, last_at = excluded.last_at`,
  given,
);

export const deletePerson = hotWrite(
  "DELETE FROM portfolio_recipients WHERE portfolio_id = +:portfolioId AND person = +:person",
  given,
);

export const deleteExpiredPeople = hotWrite(
  `DELETE FROM portfolio_recipients WHERE portfolio_id = +:portfolioId AND person IN (
    SELECT person FROM portfolio_recipients WHERE portfolio_id = +:portfolioId AND last_at <= :since
    ORDER BY last_at LIMIT +:limit
  )`,
  given,
);

/** By any number of the portfolio, in any workspace. SQLite takes the workspace from the row with the maximum. */
export const findPersonsLastTemplate = hotQuery(
  `SELECT messages.workspace_id AS workspaceId, max(messages.dispatched_at) AS dispatchedAt
  FROM numbers
  JOIN contacts ON contacts.workspace_id = numbers.workspace_id AND contacts.phone = +:person
  JOIN messages ON messages.contact_id = contacts.id AND messages.dispatched_at > :since
  WHERE numbers.portfolio_id = +:portfolioId AND messages.number_id = numbers.id AND messages.type = 'template'
    AND messages.status NOT IN ('pending', 'skipped')
    AND (messages.status <> 'queued' OR messages.broadcast_id IS NULL)
    AND (messages.status <> 'failed' OR messages.outcome_unknown = 1)`,
  given,
  { workspaceId: message.workspaceId, dispatchedAt: message.dispatchedAt },
);
