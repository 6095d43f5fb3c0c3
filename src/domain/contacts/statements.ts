/** The hot statements of contacts: see `db/hot-statement.ts`. */
import { getTableColumns } from "drizzle-orm";
import { columns, hotQuery, hotWrite, integer, placeholders, string } from "#src/db/hot-statement.ts";
import { profileColumns, profileNames } from "./profile-fields.ts";
import { consentLog, contactNetworkIds, contacts, erasedOptOuts, erasures } from "./table.ts";

const contact = getTableColumns(contacts);
const consentLogColumns = getTableColumns(consentLog);
const alias = getTableColumns(contactNetworkIds);
const { workspaceId, phoneHash, optedOutAt } = getTableColumns(erasedOptOuts);

export const contactByPhone = hotQuery(
  `SELECT ${columns(contact)} FROM contacts
  WHERE workspace_id = +:workspaceId AND phone = +:phone AND phone IS NOT NULL`,
  contact,
  contact,
);

/** A subquery: the equivalent join takes ten times as long (measured), and this runs on every lookup. */
export const contactByNetworkId = hotQuery(
  `SELECT ${columns(contact)} FROM contacts WHERE id =
    (SELECT contact_id FROM contact_network_ids WHERE workspace_id = +:workspaceId AND network_id = +:networkId)`,
  alias,
  contact,
);

export const contactByNetworkUser = hotQuery(
  `SELECT ${columns(contact)} FROM contacts
  WHERE workspace_id = +:workspaceId AND network_user_id = +:networkUserId AND network_user_id IS NOT NULL`,
  contact,
  contact,
);

export const contactInWorkspace = hotQuery(
  `SELECT ${columns(contact)} FROM contacts WHERE workspace_id = +:workspaceId AND id = +:id`,
  contact,
  contact,
);

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

export const insertConsentLog = hotWrite(
  `INSERT INTO consent_log (workspace_id, contact_id, was, became, source, evidence, at)
  VALUES (:workspaceId, :contactId, :was, :became, :source, :evidence, :at)`,
  consentLogColumns,
);

export const latestConsentEvidence = hotQuery(
  "SELECT evidence FROM consent_log WHERE contact_id = +:contactId ORDER BY id DESC LIMIT 1",
  { contactId: consentLogColumns.contactId },
  { evidence: consentLogColumns.evidence },
);

export const insertAlias = hotWrite(
  `INSERT INTO contact_network_ids (workspace_id, network_id, contact_id, portfolio)
  VALUES (:workspaceId, :networkId, :contactId, :portfolio) ON CONFLICT DO NOTHING`,
  alias,
);

/** Whether the workspace has any. */
export const anyErasedOptOut = hotQuery(
  "SELECT opted_out_at AS optedOutAt FROM erased_opt_outs WHERE workspace_id = +:workspaceId LIMIT 1",
  { workspaceId },
  { optedOutAt },
);

export const erasedOptOut = hotQuery(
  `SELECT opted_out_at AS optedOutAt FROM erased_opt_outs
  WHERE workspace_id = +:workspaceId AND phone_hash = +:phoneHash`,
  { workspaceId, phoneHash },
  { optedOutAt },
);

const erasure = getTableColumns(erasures);

/** Those that have not ended: almost always none. */
export const openErasures = hotQuery(
  "SELECT id, person FROM erasures WHERE workspace_id = +:workspaceId AND ended_at IS NULL",
  { workspaceId },
  { id: erasure.id, person: erasure.person },
);

/** The counter that AUTOINCREMENT uses, so that no id is ever reused. */
export const lastContactId = hotQuery(
  "SELECT seq AS id FROM sqlite_sequence WHERE name = 'contacts'",
  {},
  { id: integer },
);
