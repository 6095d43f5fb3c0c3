/**
 * Joins two contacts that a user says are one person. One transaction decides everything: the stricter consent, the names, the
 * values, whatever waits to be sent. From its commit on each name leads to the contact that stays. Rows of the past
 * follow in batches (`join-rows.ts`), which a stored job carries out. The other contact keeps its row without a name, linked with
 * this one, and its consent log.
 */
import { sql } from "drizzle-orm";
import { invalidRequest, Problem } from "#src/core/problem.ts";
import { insertRow, updateRows } from "#src/db/rows.ts";
import type { Tx } from "#src/db/transaction.ts";
import { enqueue } from "#src/jobs/enqueue.ts";
import { changeConsent } from "../contacts/change-consent.ts";
import { logConsent, readConsentTerms } from "../contacts/consent-log.ts";
import { listPeople } from "../contacts/details.ts";
import { getContact, nameOfAddress } from "../contacts/find.ts";
import { linkContacts } from "../contacts/identity.ts";
import { keepAsFurther } from "../contacts/joined.ts";
import { replaceUserId } from "../contacts/learn-identity.ts";
import { isOptedOutByMarketingPreference } from "../contacts/marketing-preference.ts";
import { type NewPerson, PEOPLE_MAX, replacePeople } from "../contacts/people.ts";
import { type ProfileColumn, profileColumns, profileFields, profileNames } from "../contacts/profile-fields.ts";
import {
  CONTACT_CHANGED,
  type Contact,
  type ContactJoin,
  contactJoins,
  contactNetworkIds,
  contacts,
} from "../contacts/table.ts";
import { isWindowOpen } from "../contacts/window.ts";
import { redirectWaiting } from "../messages/redirect.ts";
import type { Workspace } from "../workspaces/table.ts";
import { moveAttached, moveConversations } from "./join-attached.ts";
import { compareFields, numbersAfter, requirePair } from "./join-compare.ts";

interface JoinRequest {
  stays: Contact;
  goes: Contact;
  /** Names of differing fields whose value is that of the contact that goes. */
  take: readonly string[];
  /** What the user looked at (`seenOf`); null: whatever is stored now. */
  seen: string | null;
  /** When the server moves the rows, if no command has until then. */
  dueAt: number;
}

/** Throws `invalid_request`, and `unavailable` while rows of the contact that goes are still on their way to it. */
export function joinContacts(tx: Tx, workspace: Workspace, request: JoinRequest): ContactJoin {
  const { stays, goes, take, seen, dueAt } = request;
  requirePair(tx, stays, goes, seen);
  requireMoved(tx, goes);
  const compared = compareFields(tx, stays, goes);
  const unknown = take.find((name) => !compared.some(({ field, differs }) => field === name && differs));
  if (unknown !== undefined) throw invalidRequest({ take: [`The two do not differ in "${unknown}".`] });
  const numbers = numbersAfter(stays, goes, take.includes("phone"));
  shareConsent(tx, workspace, stays, goes);
  giveNames(tx, workspace, stays, goes, numbers);
  giveValues(tx, stays, goes, take);
  const joined = getContact(tx, workspace.id, stays.id);
  redirectWaiting(tx, { fromContactId: goes.id, toContactId: stays.id, to: nameOfAddress(joined) });
  if (joined.phone !== null && stays.phone !== null && joined.phone !== stays.phone)
    redirectWaiting(tx, { fromContactId: stays.id, toContactId: stays.id, to: joined.phone });
  moveAttached(tx, stays.id, goes.id, numbers.further === null);
  moveConversations(tx, stays.id, goes.id);
  const join = insertRow(tx, contactJoins, {
    workspaceId: workspace.id,
    contactId: stays.id,
    goneId: goes.id,
    createdAt: tx.now,
  });
  enqueue(tx, { kind: "join_contacts", subject: join.id, queueKey: workspace.id, dueAt });
  tx.notify(CONTACT_CHANGED);
  return join;
}

/** The contact is the one that stays of a join that has not ended. */
function requireMoved(tx: Tx, { id }: Contact): void {
  const open = tx.db.get<{ id: number } | undefined>(
    sql`SELECT id FROM contact_joins WHERE contact_id = ${id} AND ended_at IS NULL`,
  );
  if (open === undefined) return;
  throw new Problem("unavailable", "Another contact is being joined into this one. Try again in a minute.", {
    outcome: "not_sent",
    retryAfterMs: 5_000,
  });
}

/** Nothing is raised: an opt-out of either is both's before they are linked, so no START of the past lifts it. */
function shareConsent(tx: Tx, workspace: Workspace, stays: Contact, goes: Contact): void {
  for (const [one, other] of [
    [stays, goes],
    [goes, stays],
  ] as const) {
    if (one.consent !== "opted_out" || other.consent === "opted_out") continue;
    const why = {
      source: one.consentSource ?? ("manual" as const),
      evidence: {
        joined_contact: one.id,
        ...(isOptedOutByMarketingPreference(tx, one) ? { control: "stop" } : {}),
      },
      ...(one.consentAt === null ? {} : { at: one.consentAt }),
    };
    changeConsent(tx, workspace, other, { kind: "opt_out" }, why);
  }
  linkContacts(tx, workspace, getContact(tx, workspace.id, stays.id), getContact(tx, workspace.id, goes.id));
  const now = getContact(tx, workspace.id, stays.id);
  const doubts = [stays.mayWantToStopSince, goes.mayWantToStopSince].filter((since) => since !== null);
  if (doubts.length > 0 && now.consent !== "opted_out")
    updateRows(tx, contacts, { id: stays.id }, { mayWantToStopSince: Math.min(...doubts) });
  const { purpose, notice } = readConsentTerms(tx, now);
  const control = isOptedOutByMarketingPreference(tx, now) ? { control: "stop" } : {};
  const evidence = {
    joined_contact: goes.id,
    its_consent: goes.consent,
    its_source: goes.consentSource,
    its_consent_at: goes.consentAt,
    ...(purpose === null ? {} : { purpose }),
    ...(notice === null ? {} : { notice }),
    ...control,
  };
  logConsent(tx, now, now.consent, { source: "manual", evidence });
}

/** Every name that led to the one that goes leads to the one that stays. */
function giveNames(
  tx: Tx,
  workspace: Workspace,
  stays: Contact,
  goes: Contact,
  { first, further }: ReturnType<typeof numbersAfter>,
): void {
  updateRows(
    tx,
    contacts,
    { id: goes.id },
    {
      ...{ phone: null, networkUserId: null, networkPortfolio: null, username: null, mayWantToStopSince: null },
      ...{ lastMessageAt: null, windowOpenedAt: null, windowClosedAt: null, updatedAt: tx.now },
      ...Object.fromEntries(profileColumns.map((column) => [column, null])),
    },
  );
  const isFirst = first === goes.phone;
  if (further !== null && isFirst) keepAsFurther(tx, stays, further);
  if (further !== null && !isFirst) keepAsFurther(tx, goes, further);
  updateRows(tx, contactNetworkIds, { contactId: goes.id }, { contactId: stays.id });
  const username = stays.username ?? goes.username;
  updateRows(
    tx,
    contacts,
    { id: stays.id },
    { phone: first, username, ...windowAfter(tx.now, stays, goes, { first, further }), updatedAt: tx.now },
  );
  keepFurtherNames(tx, stays, goes, { first, further });
  if (goes.networkUserId !== null && stays.networkUserId === null)
    replaceUserId(tx, workspace, getContact(tx, workspace.id, stays.id), goes.networkUserId, goes.networkPortfolio);
}

/** A user id of the one that goes, where the other has one, and the number variant that is not stored. */
function keepFurtherNames(
  tx: Tx,
  stays: Contact,
  goes: Contact,
  { first, further }: ReturnType<typeof numbersAfter>,
): void {
  const keep = (networkId: string, portfolio: string | null): void =>
    void tx.db
      .insert(contactNetworkIds)
      .values({ workspaceId: stays.workspaceId, contactId: stays.id, networkId, portfolio })
      .onConflictDoNothing()
      .run();
  const variant = [stays.phone, goes.phone].find((phone) => phone !== null && phone !== first);
  if (further === null && variant != null) keep(variant.slice(1), null);
  if (goes.networkUserId !== null && stays.networkUserId !== null)
    keep(goes.networkUserId, goes.networkPortfolio === stays.networkPortfolio ? null : goes.networkPortfolio);
}

type Window = Pick<Contact, "lastMessageAt" | "windowOpenedAt" | "windowClosedAt">;

/** WhatsApp's window is a number's: what the person wrote from one number opens none on the other. */
function windowAfter(
  now: number,
  stays: Contact,
  goes: Contact,
  { first, further }: ReturnType<typeof numbersAfter>,
): Window {
  const later = (one: number | null, other: number | null): number | null =>
    one === null || other === null ? (one ?? other) : Math.max(one, other);
  const lastMessageAt = later(stays.lastMessageAt, goes.lastMessageAt);
  const windowOpenedAt = later(stays.windowOpenedAt, goes.windowOpenedAt);
  const windowClosedAt = later(stays.windowClosedAt, goes.windowClosedAt);
  if (further === null) return { lastMessageAt, windowOpenedAt, windowClosedAt };
  const [own, others] = first === goes.phone ? [goes, stays] : [stays, goes];
  if (isWindowOpen(now, own))
    return {
      lastMessageAt: own.lastMessageAt,
      windowOpenedAt: own.windowOpenedAt,
      windowClosedAt: own.windowClosedAt,
    };
  const closedAt = isWindowOpen(now, others) ? later(lastMessageAt, windowOpenedAt) : null;
  return { lastMessageAt, windowOpenedAt, windowClosedAt: later(windowClosedAt, closedAt) };
}

/** A value that only one has is kept; of two, the one that stays has the say, but for the fields in `take`. */
function giveValues(tx: Tx, stays: Contact, goes: Contact, take: readonly string[]): void {
  const values: Partial<Record<ProfileColumn, string | null>> = {};
  for (const name of profileNames) {
    const { column } = profileFields[name];
    if (goes[column] !== null && (stays[column] === null || take.includes(name))) values[column] = goes[column];
  }
  updateRows(tx, contacts, { id: stays.id }, { ...values, updatedAt: tx.now });
  const taken = take.filter((name) => name.startsWith("fields.")).map((name) => name.slice("fields.".length));
  tx.db.run(sql`DELETE FROM contact_fields WHERE contact_id = ${stays.id} AND field_id IN
    (SELECT custom_fields.id FROM custom_fields JOIN json_each(${JSON.stringify(taken)}) ON value = custom_fields.key
      WHERE custom_fields.workspace_id = ${stays.workspaceId})`);
  const people: NewPerson[] = listPeople(tx, stays.id);
  for (const { name, firstName, birthday, ref } of listPeople(tx, goes.id)) {
    const isKnown = people.some((one) => (ref === null ? one.name === name : one.ref === ref));
    if (!isKnown) people.push({ name, firstName, birthday, ref });
  }
  replacePeople(tx, stays.id, people.slice(0, PEOPLE_MAX));
}
