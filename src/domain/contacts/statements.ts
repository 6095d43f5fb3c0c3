/** The hot statements of contacts: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite, integer, placeholders, string } from "#src/db/hot-statement.ts";
import { hotFind, hotInsert } from "#src/db/hot-table.ts";
import { profileColumns, profileNames } from "./profile-fields.ts";
import { consentLog, contactNetworkIds, contacts, erasedOptOuts, erasures } from "./table.ts";

const contact = getTableColumns(contacts);
const alias = getTableColumns(contactNetworkIds);
const { workspaceId } = getTableColumns(erasedOptOuts);

export const contactByPhone = hotFind(contacts, ["workspaceId", "phone"], { rest: "AND phone IS NOT NULL" });

/** A subquery: the equivalent join takes ten times as long (measured), and this runs on every lookup. */
export const contactByNetworkId = hotQuery(
  `SELECT ${columns(contact)} FROM contacts WHERE id =
    (SELECT contact_id FROM contact_network_ids WHERE workspace_id = +:workspaceId AND network_id = +:networkId)`,
  alias,
  contact,
);

export const contactByNetworkUser = hotFind(contacts, ["workspaceId", "networkUserId"], {
  rest: "AND network_user_id IS NOT NULL",
});

export const contactInWorkspace = hotFind(contacts, ["workspaceId", "id"]);

/**
 * Which of these phone numbers, and network ids with a plus, belong to a contact. They are one JSON array because there
 * can be any number of them.
 */
export const knownIdentifiers = hotQuery(
  `SELECT value AS name FROM json_each(:identifiers)
  WHERE EXISTS (SELECT 1 FROM contacts WHERE workspace_id = +:workspaceId AND phone = value AND phone IS NOT NULL)
    OR EXISTS (SELECT 1 FROM contact_network_ids
      WHERE workspace_id = +:workspaceId AND network_id = substr(value, 2))`,
  { workspaceId, identifiers: string },
  { name: string },
);

export const insertContact = hotQuery(
  `INSERT INTO contacts (
    workspace_id, phone, network_user_id, network_portfolio, username, ${profileNames.join(", ")},
    consent, consent_source, consent_at, created_at, updated_at
  ) VALUES (
    :workspaceId, :phone, :networkUserId, :networkPortfolio, :username, ${placeholders(profileColumns)},
    :consent, :consentSource, :consentAt, :createdAt, :createdAt
  ) RETURNING ${columns(contact)}`,
  contact,
  contact,
);

export const updateProfile = hotWrite(
  `UPDATE contacts SET (${profileNames.join(", ")}) = (${placeholders(profileColumns)}) WHERE id = +:id`,
  contact,
);

export const setUpdatedAt = hotWrite("UPDATE contacts SET updated_at = :updatedAt WHERE id = +:id", contact);

/** Names the consent that the contact leaves. */
export const updateConsent = hotQuery(
  `UPDATE contacts SET consent = :consent, consent_source = :consentSource, consent_at = :consentAt,
    stop_said_at = :stopSaidAt, start_said_at = :startSaidAt, may_want_to_stop_since = :mayWantToStopSince,
    updated_at = :updatedAt
  WHERE id = +:id AND consent = +:was RETURNING ${columns(contact)}`,
  { ...contact, was: contact.consent },
  contact,
);

/** The network's time of the person's last message. */
export const setLastMessageAt = hotWrite(
  "UPDATE contacts SET last_message_at = :lastMessageAt, updated_at = :updatedAt WHERE id = +:id",
  contact,
);

/** The network's time of a call, or of a handover to this server. */
export const openWindowAt = hotQuery(
  `UPDATE contacts SET window_opened_at = :windowOpenedAt, updated_at = :updatedAt WHERE id = +:id
  RETURNING ${columns(contact)}`,
  contact,
  contact,
);

/** The dispatch of a message that the network refused. */
export const closeWindowAt = hotQuery(
  `UPDATE contacts SET window_closed_at = :windowClosedAt, updated_at = :updatedAt WHERE id = +:id
  RETURNING ${columns(contact)}`,
  contact,
  contact,
);

export const insertConsentLog = hotInsert(consentLog, [
  ...(["workspaceId", "contactId", "was", "became", "source", "evidence", "at"] as const),
]);

export const latestConsentEvidence = hotFind(consentLog, ["contactId"], {
  rest: "ORDER BY id DESC LIMIT 1",
  take: ["evidence"],
});

export const insertAlias = hotInsert(
  contactNetworkIds,
  ["workspaceId", "networkId", "contactId", "portfolio"],
  "ON CONFLICT DO NOTHING",
);

/** Whether the workspace has any. */
export const anyErasedOptOut = hotFind(erasedOptOuts, ["workspaceId"], { rest: "LIMIT 1", take: ["optedOutAt"] });

export const erasedOptOut = hotFind(erasedOptOuts, ["workspaceId", "phoneHash"], { take: ["optedOutAt"] });

/** Those that have not ended: almost always none. */
export const openErasures = hotFind(erasures, ["workspaceId"], {
  rest: "AND ended_at IS NULL",
  take: ["id", "person"],
});

/** The counter that AUTOINCREMENT uses, so that no id is ever reused. */
export const lastContactId = hotQuery(
  "SELECT seq AS id FROM sqlite_sequence WHERE name = 'contacts'",
  {},
  { id: integer },
);

/** When one with a phone number last changed; the condition is that of its index. */
export const newestWithPhone = hotFind(contacts, ["workspaceId"], {
  rest: "AND phone IS NOT NULL ORDER BY updated_at DESC LIMIT 1",
  take: ["updatedAt"],
});

/** The same of those with a user id alone. */
export const newestWithoutPhone = hotFind(contacts, ["workspaceId"], {
  rest: "AND phone IS NULL AND network_user_id IS NOT NULL ORDER BY updated_at DESC LIMIT 1",
  take: ["updatedAt"],
});
