/**
 * Learns what the network says about who a contact is: variants of the phone number, user ids, the username. Whatever
 * turns out to belong to another contact links the two. Every way in which the network names a person ends here: an
 * inbound, a notice, a shared contact card, a status, the answer to a send, a marketing preference.
 */
import { and, desc, eq, inArray, isNotNull } from "drizzle-orm";
import { type E164, fromNetwork } from "#src/core/phone.ts";
import { updateRows } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { onlyPortfolio } from "../numbers/user-id-scope.ts";
import type { Workspace } from "../workspaces/table.ts";
import { changeConsent } from "./change-consent.ts";
import { findErasedOptOut } from "./erased-opt-outs.ts";
import { findByAnyVariant, findByUserId, getContact, listLinkedContacts } from "./find.ts";
import { linkContacts } from "./identity.ts";
import { survivorOf } from "./joined.ts";
import { insertAlias } from "./statements.ts";
import { CONTACT_CHANGED, type Contact, contactNetworkIds, contacts } from "./table.ts";

interface NetworkIdentity {
  /** Digits; null if the network does not give the phone number. */
  phone: string | null;
  networkUserId: string | null;
  /** The id that the portfolios of one parent company share. */
  parentUserId?: string | null | undefined;
  username?: string | null | undefined;
  /** The portfolio of the number that the network told it to. */
  portfolio: string;
}

/** Returns the contact as it is then. */
export function learnIdentity(tx: Tx, workspace: Workspace, contact: Contact, identity: NetworkIdentity): Contact {
  const { phone, networkUserId, parentUserId, username, portfolio } = identity;
  let known = survivorOf(tx, contact);
  if (phone !== null) known = learnPhone(tx, workspace, known, phone);
  if (networkUserId !== null) known = learnUserId(tx, workspace, known, networkUserId, portfolio);
  if (parentUserId != null) known = learnAlias(tx, workspace, known, parentUserId);
  if (username != null && username !== known.username) {
    known = setUsername(tx, workspace, known, username);
  }
  return known;
}

function setUsername(tx: Tx, workspace: Workspace, { id }: Contact, username: string): Contact {
  updateRows(tx, contacts, { id }, { username, updatedAt: tx.now });
  tx.notify(CONTACT_CHANGED);
  return getContact(tx, workspace.id, id);
}

/** The network calls this contact's number `digits`: the number itself, where none was known, else a variant of it. */
function learnPhone(tx: Tx, workspace: Workspace, contact: Contact, digits: string): Contact {
  const phone = fromNetwork(digits);
  if (phone === null || phone === contact.phone) return contact;
  const owner = findByAnyVariant(tx, workspace.id, phone);
  if (owner === undefined) {
    if (contact.phone === null) return setPhone(tx, workspace, contact, phone);
    insertAlias(tx).run({ workspaceId: workspace.id, networkId: digits, contactId: contact.id, portfolio: null });
    return contact;
  }
  return link(tx, workspace, contact, owner);
}

/** A contact known only by a user id has revealed its phone number: the API lists it from now on. */
function setPhone(tx: Tx, workspace: Workspace, contact: Contact, phone: E164): Contact {
  updateRows(tx, contacts, { id: contact.id }, { phone, updatedAt: tx.now });
  tx.notify(CONTACT_CHANGED);
  const updated = getContact(tx, workspace.id, contact.id);
  // A person who was erased after opting out is recognised by the phone number: erasure does not lift the opt-out.
  const optedOutAt = findErasedOptOut(tx, workspace.id, phone);
  if (optedOutAt === null) return updated;
  const why = { source: "manual" as const, evidence: { erased: true }, at: optedOutAt };
  return changeConsent(tx, workspace, updated, { kind: "opt_out" }, why);
}

/**
 * The user id that the network used last is the one that it accepts. The former one of the same portfolio still leads
 * to the contact; one of another portfolio stays beside it.
 */
function learnUserId(
  tx: Tx,
  workspace: Workspace,
  contact: Contact,
  networkUserId: string,
  portfolio: string,
): Contact {
  const isElsewhere = contact.networkPortfolio !== null && contact.networkPortfolio !== portfolio;
  if (contact.networkUserId === networkUserId && !isElsewhere && contact.networkPortfolio !== null) return contact;
  const owner = findByUserId(tx, workspace.id, networkUserId);
  if (owner !== undefined && owner.id !== contact.id) return link(tx, workspace, contact, owner);
  // A former id, in a callback that is late.
  if (owner !== undefined && owner.networkUserId !== networkUserId) return contact;
  return setUserId(tx, workspace, contact, networkUserId, portfolio);
}

/**
 * What a file of the customer says: a user id of a contact without one, the username where none is known. The network's
 * own reports are never replaced. Returns the same object if nothing changed.
 */
export function recordGivenIdentity(
  tx: Tx,
  workspace: Workspace,
  contact: Contact,
  { userId, username }: { userId: string | null; username: string | null },
): Contact {
  let known = contact;
  if (userId !== null && userId !== contact.networkUserId) {
    const owner = findByUserId(tx, workspace.id, userId);
    if (owner === undefined && contact.networkUserId === null) {
      known = replaceUserId(tx, workspace, contact, userId, onlyPortfolio(tx, workspace.id));
    } else known = learnAlias(tx, workspace, contact, userId);
  }
  if (username !== null && known.username === null) {
    known = setUsername(tx, workspace, known, username);
  }
  return known;
}

/** Stores the id that the network accepts in this portfolio; an id of another portfolio stays as it is. */
export function setUserId(
  tx: Tx,
  workspace: Workspace,
  contact: Contact,
  networkUserId: string,
  portfolio: string,
): Contact {
  const { networkPortfolio } = contact;
  const isElsewhere = contact.networkUserId !== null && networkPortfolio !== null && networkPortfolio !== portfolio;
  if (!isElsewhere) return replaceUserId(tx, workspace, contact, networkUserId, portfolio);
  retireUserIds(tx, contact.id, portfolio);
  removeAlias(tx, contact, networkUserId);
  insertAlias(tx).run({ workspaceId: workspace.id, networkId: networkUserId, contactId: contact.id, portfolio });
  return contact;
}

/** Stores the id that the network accepts now; the former one still leads to the contact. */
export function replaceUserId(
  tx: Tx,
  workspace: Workspace,
  contact: Contact,
  networkUserId: string | null,
  portfolio: string | null,
): Contact {
  const former = contact.networkUserId;
  if (networkUserId !== null) removeAlias(tx, contact, networkUserId);
  updateRows(
    tx,
    contacts,
    { id: contact.id },
    { networkUserId, networkPortfolio: portfolio, ...(former === networkUserId ? {} : { updatedAt: tx.now }) },
  );
  tx.notify(CONTACT_CHANGED);
  if (former !== null && former !== networkUserId) {
    insertAlias(tx).run({ workspaceId: workspace.id, networkId: former, contactId: contact.id, portfolio: null });
  }
  return getContact(tx, workspace.id, contact.id);
}

/** The further ids of this portfolio are not accepted any more, but they still lead to the contact. */
export function retireUserIds(tx: Tx, contactId: number, portfolio: string): void {
  updateRows(tx, contactNetworkIds, { contactId, portfolio }, { portfolio: null });
}

function removeAlias(tx: Tx, { id, workspaceId }: Contact, networkId: string): void {
  const { contactId } = contactNetworkIds;
  const isIt = and(eq(contactNetworkIds.workspaceId, workspaceId), eq(contactNetworkIds.networkId, networkId));
  tx.db
    .delete(contactNetworkIds)
    .where(and(isIt, eq(contactId, id)))
    .run();
}

/** A name that leads to the contact, and to which no message is sent. */
function learnAlias(tx: Tx, workspace: Workspace, contact: Contact, userId: string): Contact {
  if (userId === contact.networkUserId) return contact;
  const owner = findByUserId(tx, workspace.id, userId);
  if (owner !== undefined) return link(tx, workspace, contact, owner);
  insertAlias(tx).run({ workspaceId: workspace.id, networkId: userId, contactId: contact.id, portfolio: null });
  return contact;
}

function link(tx: Tx, workspace: Workspace, contact: Contact, owner: Contact): Contact {
  if (owner.id === contact.id) return contact;
  if (owner.identityId !== null && owner.identityId === contact.identityId) return contact;
  linkContacts(tx, workspace, contact, owner);
  return getContact(tx, workspace.id, contact.id);
}

/**
 * The user id by which a number of these accounts, which are one portfolio, can send to the contact: its own, one of another name, or a linked
 * contact's. Null: there is none. An id whose portfolio is not known is tried.
 */
export function findUserIdFor(tx: ReadTx, contact: Contact, portfolio: readonly string[]): string | null {
  const own = userIdIn(tx, contact, portfolio);
  if (own !== null || contact.identityId === null) return own;
  for (const linked of listLinkedContacts(tx, contact)) {
    const found = userIdIn(tx, linked, portfolio);
    if (found !== null) return found;
  }
  return null;
}

function userIdIn(tx: ReadTx, contact: Contact, portfolio: readonly string[]): string | null {
  const { networkUserId, networkPortfolio } = contact;
  if (networkUserId !== null && (networkPortfolio === null || portfolio.includes(networkPortfolio)))
    return networkUserId;
  const other = tx.db
    .select({ id: contactNetworkIds.networkId })
    .from(contactNetworkIds)
    .where(
      and(
        eq(contactNetworkIds.contactId, contact.id),
        isNotNull(contactNetworkIds.portfolio),
        inArray(contactNetworkIds.portfolio, [...portfolio]),
      ),
    )
    .orderBy(desc(contactNetworkIds.networkId))
    .limit(1)
    .get();
  return other?.id ?? null;
}
