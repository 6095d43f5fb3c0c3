/** The hot statements of the network's messaging limit: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { hotQuery, hotWrite, integer } from "#src/db/hot-statement.ts";
import { hotDelete, hotFind, hotInsert } from "#src/db/hot-table.ts";
import { contacts } from "../contacts/table.ts";
import { portfolioRecipients } from "./table.ts";

const person = getTableColumns(portfolioRecipients);
const { lastAt } = person;
const contact = getTableColumns(contacts);
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

export const findPerson = hotFind(portfolioRecipients, ["portfolioId", "person"], { take: ["lastAt"] });

export const roomAfter = hotQuery(
  `SELECT last_at AS lastAt FROM portfolio_recipients WHERE portfolio_id = +:portfolioId AND last_at > :since
  ORDER BY last_at LIMIT 1 OFFSET +:exceededBy`,
  given,
  { lastAt },
);

export const upsertPerson = hotInsert(
  portfolioRecipients,
  ["portfolioId", "person", "workspaceId", "lastAt"],
  `ON CONFLICT (portfolio_id, person) DO UPDATE SET workspace_id = excluded.workspace_id, last_at = excluded.last_at`,
);

export const deletePerson = hotDelete(portfolioRecipients, ["portfolioId", "person"]);

export const deleteExpiredPeople = hotWrite(
  `DELETE FROM portfolio_recipients WHERE portfolio_id = +:portfolioId AND person IN (
    SELECT person FROM portfolio_recipients WHERE portfolio_id = +:portfolioId AND last_at <= :since
    ORDER BY last_at LIMIT +:limit
  )`,
  given,
);

/** The contacts that a person is in the workspaces of a portfolio's numbers. */
export const contactsOfPerson = hotQuery(
  `SELECT DISTINCT contacts.id AS id, contacts.workspace_id AS workspaceId
  FROM numbers JOIN contacts ON contacts.workspace_id = numbers.workspace_id AND contacts.phone = +:person
  WHERE numbers.portfolio_id = +:portfolioId`,
  given,
  { id: contact.id, workspaceId: contact.workspaceId },
);
