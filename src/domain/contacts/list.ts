/**
 * Lists contacts for the API: contacts with a phone number, most recently changed first, and opt-outs in the order in
 * which they were recorded.
 */
import { and, asc, desc, eq, gt, gte, isNotNull, lt, lte, or, sql } from "drizzle-orm";
import { withinBudget } from "#src/db/query-budget.ts";
import { type ReadTx, statement } from "#src/db/transaction.ts";
import { type Contact, contactCounters, contacts } from "./table.ts";

/**
 * Position of a caller that pages through the list. A contact that changes during paging moves to the front, behind the
 * caller's position. At the end of a pass the list therefore continues with the contacts changed since that pass began,
 * until one page holds all of them. No contact is missed.
 */
export interface ContactCursor {
  /** This pass covers changes after `over`, up to and including `upTo`. */
  over: number;
  upTo: number;
  /** The last contact returned. */
  updatedAt: number;
  id: number;
}

type ContactsFrom = { offset: number } | { after: ContactCursor };

interface ContactsPage {
  contacts: Contact[];
  hasMore: boolean;
  /** The cursor of the next page; null at the end. */
  next: ContactCursor | null;
}

const BEFORE_ALL = -1;
/**
 * A pass ends this long before now: more contacts may change within the current millisecond, and a read transaction may
 * be some milliseconds behind the clock. Later changes come (again) with the next pass.
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

/**
 * Starts a pass: the contacts changed after `over`. If they fit on one page, that page is a consistent snapshot and
 * paging ends.
 */
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
 * Reads the ids of a page from the index alone, then looks up the rows, so that a large offset reads no rows of skipped
 * contacts.
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

/** Lists up to `limit` contacts after an id, in the order of creation, for callers that process all contacts. */
export function listContactsById(tx: ReadTx, workspaceId: number, afterId: number, limit: number): Contact[] {
  return tx.db
    .select()
    .from(contacts)
    .where(and(eq(contacts.workspaceId, workspaceId), isNotNull(contacts.phone), gt(contacts.id, afterId)))
    .orderBy(asc(contacts.id))
    .limit(limit)
    .all();
}

/** Reads counters that triggers maintain; scans no contacts. */
export function countContacts(tx: ReadTx, workspaceId: number): { contacts: number; optedOut: number } {
  const row = tx.db.select().from(contactCounters).where(eq(contactCounters.workspaceId, workspaceId)).get();
  return { contacts: row?.contacts ?? 0, optedOut: row?.optedOut ?? 0 };
}

export interface OptOutCursor {
  at: number;
  id: number;
}

/** `since`: only opt-outs recorded at or after it; null for all. */
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

/** SQL of the totals that need a scan. The reader runs it, because it can take long. */
export const countSinceSql = {
  contacts: `SELECT count(*) AS total FROM contacts WHERE workspace_id = ? AND phone IS NOT NULL AND updated_at >= ? AND ${withinBudget("id")}`,
  optOuts: `SELECT count(*) AS total FROM contacts WHERE workspace_id = ? AND phone IS NOT NULL AND consent = 'opted_out' AND consent_at >= ? AND ${withinBudget("id")}`,
} as const;

/** The id of the newest contact; 0 if there is none. */
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
