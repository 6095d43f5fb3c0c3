/**
 * The hot statements of the search index: see `db/hot-statement.ts`. The indexer runs them for every row that is written,
 * on the thread that answers requests.
 */
import { hotQuery, hotWrite, integer, integerOrNull, string, stringOrNull, wide } from "#src/db/hot-statement.ts";

const entry = { id: wide, terms: string, kind: string, subjectId: integer, contactId: integer };

export const entryTerms = hotQuery("SELECT terms FROM search_index WHERE rowid = +:id", entry, { terms: string });

export const insertEntry = hotWrite(
  `INSERT INTO search_index (rowid, terms, kind, subject_id, contact_id)
  VALUES (:id, :terms, :kind, :subjectId, :contactId)`,
  entry,
);

export const deleteEntry = hotWrite("DELETE FROM search_index WHERE rowid = +:id", entry);

export const mergeSegments = hotWrite("INSERT INTO search_index (search_index, rank) VALUES ('merge', :pages)", {
  pages: integer,
});

const cursor = { source: string, part: integer, position: integer, lastId: integer };
const { position, lastId } = cursor;

export const indexCursor = hotQuery(
  `SELECT position, last_id AS "lastId" FROM search_cursors WHERE source = +:source AND part = +:part`,
  cursor,
  { position, lastId },
);

export const setIndexCursor = hotWrite(
  `INSERT INTO search_cursors (source, part, position, last_id) VALUES (:source, :part, :position, :lastId)
  ON CONFLICT (source, part) DO UPDATE SET position = excluded.position, last_id = excluded.last_id`,
  cursor,
);

const page = { after: integer, limit: integer };
const written = {
  id: integer,
  workspaceId: integer,
  numberId: integer,
  contactId: integerOrNull,
  at: integer,
  text: stringOrNull,
  details: stringOrNull,
  isPassedBy: integer,
};

/** Rows of a table behind an id. The last three say what the table calls the columns. */
const writtenIn = (table: string, at: string, details: string, isPassedBy: string) =>
  hotQuery(
    `SELECT id, workspace_id AS "workspaceId", number_id AS "numberId", contact_id AS "contactId", ${at} AS at, text,
      ${details} AS details, ${isPassedBy} AS "isPassedBy"
    FROM ${table} WHERE id > +:after ORDER BY id LIMIT +:limit`,
    page,
    written,
  );

export const writtenNotes = writtenIn("conversation_notes", "created_at", "NULL", "0");
export const writtenInbounds = writtenIn("inbounds", "received_at", "details", "0");
export const writtenEchoes = writtenIn("echoes", "sent_at", "details", "0");
export const writtenMessages = writtenIn("messages", "created_at", "content", "broadcast_id IS NOT NULL");

const changes = { workspaceId: integer, position: integer, lastId: integer, until: integer, limit: integer };
const PHONE = "phone IS NOT NULL";
const USER_ID = "phone IS NULL AND network_user_id IS NOT NULL";
const CURSOR = `(
  coalesce((SELECT position FROM search_cursors WHERE source = 'contact' AND part = workspaces.id), 0),
  coalesce((SELECT last_id FROM search_cursors WHERE source = 'contact' AND part = workspaces.id), 0))`;
/** Contacts of a workspace changed behind its cursor. Those with a phone number have an index of their own. */
const HAS_CHANGES = `(
  EXISTS (SELECT 1 FROM contacts WHERE workspace_id = workspaces.id AND ${PHONE}
    AND (updated_at, id) > ${CURSOR} AND updated_at <= +:until)
  OR EXISTS (SELECT 1 FROM contacts WHERE workspace_id = workspaces.id AND ${USER_ID}
    AND (updated_at, id) > ${CURSOR} AND updated_at <= +:until))` as const;

export const workspaceWithChanges = hotQuery(`SELECT id FROM workspaces WHERE ${HAS_CHANGES} LIMIT 1`, changes, {
  id: integer,
});

export const changesOfWorkspace = hotQuery(
  `SELECT id FROM workspaces WHERE id = +:workspaceId AND ${HAS_CHANGES}`,
  changes,
  { id: integer },
);

/** In the order of their change. */
const changedWith = (isNamed: string) =>
  hotQuery(
    `SELECT id, workspace_id AS "workspaceId", updated_at AS "updatedAt" FROM contacts
    WHERE workspace_id = +:workspaceId AND ${isNamed} AND (updated_at, id) > (+:position, +:lastId)
      AND updated_at <= +:until
    ORDER BY updated_at, id LIMIT +:limit`,
    changes,
    { id: integer, workspaceId: integer, updatedAt: integer },
  );

export const changedWithPhone = changedWith(PHONE);
export const changedWithUserId = changedWith(USER_ID);

export const newConversations = hotQuery(
  `SELECT id, contact_id AS "contactId" FROM conversations WHERE id > +:after ORDER BY id LIMIT +:limit`,
  page,
  { id: integer, contactId: integer },
);

const one = { id: integer };
const name = { name: string };

export const searchedContact = hotQuery(
  `SELECT workspace_id AS "workspaceId", phone, network_user_id AS "networkUserId", name, first_name AS "firstName",
    last_name AS "lastName", username, email, company, city
  FROM contacts WHERE id = +:id`,
  one,
  {
    workspaceId: integer,
    phone: stringOrNull,
    networkUserId: stringOrNull,
    name: stringOrNull,
    firstName: stringOrNull,
    lastName: stringOrNull,
    username: stringOrNull,
    email: stringOrNull,
    company: stringOrNull,
    city: stringOrNull,
  },
);

export const searchedTags = hotQuery(
  `SELECT tags.name AS name FROM contact_tags CROSS JOIN tags ON tags.id = tag_id WHERE contact_id = +:id ORDER BY tag_id`,
  one,
  name,
);

export const searchedPeople = hotQuery(
  "SELECT name FROM contact_people WHERE contact_id = +:id ORDER BY position",
  one,
  name,
);

export const searchedNumbers = hotQuery(
  "SELECT number_id AS id FROM conversations WHERE contact_id = +:id ORDER BY number_id",
  one,
  one,
);
