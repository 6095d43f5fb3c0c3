/**
 * Contacts as the API lists them: those with a phone number, the most recently changed first; and who is opted out, in
 * the order in which we recorded it.
 */
import { and, asc, desc, eq, gt, gte, isNotNull, lt, lte, or, sql } from "drizzle-orm";
import { type ReadTx, statement } from "#src/db/transaction.ts";
import { type Contact, contactCounters, contacts } from "./table.ts";

/**
 * How far a walk through the list has come. Contacts that change while a caller walks move to the front, where the walk
 * has been already; so when it reaches the end, it goes on with those that changed since it began, pass after pass,
 * until all that changed meanwhile stands on one page. That way nothing is missed.
 */
export interface ContactCursor {
  /** This pass covers changes after `over`, up to and with `upTo`. */
  over: number;
  upTo: number;
  /** The last contact that was shown. */
  updatedAt: number;
  id: number;
}

export type ContactsFrom = { offset: number } | { after: ContactCursor };

export interface ContactsPage {
  contacts: Contact[];
  hasMore: boolean;
  /** Where to go on; null at the end. */
  next: ContactCursor | null;
}

const BEFORE_ALL = -1;
/**
 * A pass ends so long before now: in the present millisecond more may still change, and a view of the data may be some
 * milliseconds older than the clock. What changed since comes (again) with the next pass.
 */
const STABLE_AFTER_MS = 50;

/** `since`: only contacts changed at or after it; null for all. */
export function listContacts(
  tx: ReadTx,
  workspaceId: number,
  since: number | null,
  from: ContactsFrom,
  limit: number,
): ContactsPage {
  const min = since === null ? BEFORE_ALL : since - 1;
  if ("offset" in from) return beginPass(tx, workspaceId, min, from.offset, limit);
  const { after } = from;
  const within = and(gt(contacts.updatedAt, Math.max(after.over, min)), lte(contacts.updatedAt, after.upTo));
  const behind = or(
    lt(contacts.updatedAt, after.updatedAt),
    and(eq(contacts.updatedAt, after.updatedAt), lt(contacts.id, after.id)),
  );
  const found = page(tx, workspaceId, and(within, behind), 0, limit + 1);
  if (found.length === 0) return beginPass(tx, workspaceId, Math.max(after.upTo, min), 0, limit);
  return toPage(found, limit, after, found.length > limit || after.upTo < newest(tx, workspaceId));
}

/** From the front: what changed after `over`. Where that is one page, it is all of it at one moment: the walk is over. */
function beginPass(tx: ReadTx, workspaceId: number, over: number, offset: number, limit: number): ContactsPage {
  const found = page(tx, workspaceId, gt(contacts.updatedAt, over), offset, limit + 1);
  const upTo = Math.max(over, Math.min(newest(tx, workspaceId), tx.now - STABLE_AFTER_MS));
  return toPage(found, limit, { over, upTo, updatedAt: upTo, id: 0 }, found.length > limit);
}

function toPage(found: Contact[], limit: number, cursor: ContactCursor, hasMore: boolean): ContactsPage {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const position = last === undefined ? cursor : { ...cursor, updatedAt: last.updatedAt, id: last.id };
  return { contacts: shown, hasMore, next: hasMore ? position : null };
}

/**
 * One page by the index alone, the rows looked up after: so skipping to the thousandth page reads no contact that is
 * not shown.
 */
function page(
  tx: ReadTx,
  workspaceId: number,
  condition: ReturnType<typeof and>,
  offset: number,
  limit: number,
): Contact[] {
  const ids = tx.db
    .select({ id: contacts.id })
    .from(contacts)
    .where(and(eq(contacts.workspaceId, workspaceId), isNotNull(contacts.phone), condition))
    .orderBy(desc(contacts.updatedAt), desc(contacts.id))
    .limit(limit)
    .offset(offset)
    .all();
  return ids.flatMap(({ id }) => byId(tx).get({ id }) ?? []);
}

const byId = statement((db) =>
  db
    .select()
    .from(contacts)
    .where(eq(contacts.id, sql.placeholder("id")))
    .prepare(),
);

const newestContact = statement((db) =>
  db
    .select({ updatedAt: contacts.updatedAt })
    .from(contacts)
    .where(and(eq(contacts.workspaceId, sql.placeholder("workspaceId")), isNotNull(contacts.phone)))
    .orderBy(desc(contacts.updatedAt))
    .limit(1)
    .prepare(),
);

function newest(tx: ReadTx, workspaceId: number): number {
  return newestContact(tx).get({ workspaceId })?.updatedAt ?? BEFORE_ALL;
}

/** In the order in which they were made, a bounded part after an id: for whoever goes through all of them. */
export function listContactsById(tx: ReadTx, workspaceId: number, afterId: number, limit: number): Contact[] {
  return tx.db
    .select()
    .from(contacts)
    .where(and(eq(contacts.workspaceId, workspaceId), isNotNull(contacts.phone), gt(contacts.id, afterId)))
    .orderBy(asc(contacts.id))
    .limit(limit)
    .all();
}

/** By a counter that triggers keep; nothing is counted. */
export function countContacts(tx: ReadTx, workspaceId: number): { contacts: number; optedOut: number } {
  const row = tx.db.select().from(contactCounters).where(eq(contactCounters.workspaceId, workspaceId)).get();
  return { contacts: row?.contacts ?? 0, optedOut: row?.optedOut ?? 0 };
}

export interface OptOutCursor {
  at: number;
  id: number;
}

/** `since`: only those recorded at or after it; null for all. */
export function listOptOuts(
  tx: ReadTx,
  workspaceId: number,
  since: number | null,
  from: { offset: number } | { after: OptOutCursor },
  limit: number,
): Contact[] {
  const after = "after" in from ? from.after : null;
  return tx.db
    .select()
    .from(contacts)
    .where(
      and(
        optedOut(workspaceId, since),
        after === null
          ? undefined
          : or(gt(contacts.consentAt, after.at), and(eq(contacts.consentAt, after.at), gt(contacts.id, after.id))),
      ),
    )
    .orderBy(asc(contacts.consentAt), asc(contacts.id))
    .limit(limit)
    .offset("offset" in from ? from.offset : 0)
    .all();
}

function optedOut(workspaceId: number, since: number | null) {
  return and(
    eq(contacts.workspaceId, workspaceId),
    isNotNull(contacts.phone),
    eq(contacts.consent, sql`'opted_out'`),
    since === null ? undefined : gte(contacts.consentAt, since),
  );
}

/** SQL of the totals that have to be counted, for the reader: it may take long. */
export const countSinceSql = {
  contacts: "SELECT count(*) AS total FROM contacts WHERE workspace_id = ? AND phone IS NOT NULL AND updated_at >= ?",
  optOuts:
    "SELECT count(*) AS total FROM contacts WHERE workspace_id = ? AND phone IS NOT NULL AND consent = 'opted_out' AND consent_at >= ?",
} as const;

/** The id of the newest contact, 0 where there is none. */
export function latestContactId(tx: ReadTx, workspaceId: number): number {
  const row = tx.db
    .select({ id: contacts.id })
    .from(contacts)
    .where(eq(contacts.workspaceId, workspaceId))
    .orderBy(desc(contacts.id))
    .limit(1)
    .get();
  return row?.id ?? 0;
}
