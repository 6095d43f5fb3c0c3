/**
 * Contacts as the API lists them: those with a phone number, the most recently changed first; and who is opted out, in
 * the order in which we recorded it.
 */
import { and, asc, desc, eq, gt, gte, isNotNull, lt, lte, or, sql } from "drizzle-orm";
import { type Reading, statement } from "#src/db/transaction.ts";
import { type Contact, contactCounters, contacts } from "./table.ts";

/**
 * How far a walk through the list has come. Contacts that change while a caller walks move to the front, where the walk
 * has been already; so when it reaches the end, it goes on with those that changed since it began, pass after pass,
 * until all that changed meanwhile stands on one page. That way nothing is missed.
 */
export interface ContactWalk {
  /** This pass covers changes after `over`, up to and with `upTo`. */
  over: number;
  upTo: number;
  /** The last contact that was shown. */
  updatedAt: number;
  id: number;
}

export type ContactsFrom = { offset: number } | { after: ContactWalk };

export interface ContactsPage {
  contacts: Contact[];
  hasMore: boolean;
  /** Where to go on; null at the end. */
  next: ContactWalk | null;
}

const BEFORE_ALL = -1;
/**
 * A pass ends so long before now: in the present millisecond more may still change, and a view of the data may be some
 * milliseconds older than the clock. What changed since comes (again) with the next pass.
 */
const SETTLED_AFTER_MS = 50;

/** `since`: only contacts changed at or after it; null for all. */
export function listContacts(
  reading: Reading,
  workspaceId: number,
  since: number | null,
  from: ContactsFrom,
  limit: number,
): ContactsPage {
  const least = since === null ? BEFORE_ALL : since - 1;
  if ("offset" in from) return beginPass(reading, workspaceId, least, from.offset, limit);
  const { after } = from;
  const within = and(gt(contacts.updatedAt, Math.max(after.over, least)), lte(contacts.updatedAt, after.upTo));
  const behind = or(
    lt(contacts.updatedAt, after.updatedAt),
    and(eq(contacts.updatedAt, after.updatedAt), lt(contacts.id, after.id)),
  );
  const found = page(reading, workspaceId, and(within, behind), 0, limit + 1);
  if (found.length === 0) return beginPass(reading, workspaceId, Math.max(after.upTo, least), 0, limit);
  return cut(found, limit, after, found.length > limit || after.upTo < newest(reading, workspaceId));
}

/** From the front: what changed after `over`. Where that is one page, it is all of it at one moment: the walk is over. */
function beginPass(reading: Reading, workspaceId: number, over: number, offset: number, limit: number): ContactsPage {
  const found = page(reading, workspaceId, gt(contacts.updatedAt, over), offset, limit + 1);
  const upTo = Math.max(over, Math.min(newest(reading, workspaceId), reading.now - SETTLED_AFTER_MS));
  return cut(found, limit, { over, upTo, updatedAt: upTo, id: 0 }, found.length > limit);
}

function cut(found: Contact[], limit: number, walk: ContactWalk, hasMore: boolean): ContactsPage {
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  const position = last === undefined ? walk : { ...walk, updatedAt: last.updatedAt, id: last.id };
  return { contacts: shown, hasMore, next: hasMore ? position : null };
}

/**
 * One page by the index alone, the rows looked up after: so skipping to the thousandth page reads no contact that is
 * not shown.
 */
function page(
  reading: Reading,
  workspaceId: number,
  which: ReturnType<typeof and>,
  offset: number,
  limit: number,
): Contact[] {
  const ids = reading.db
    .select({ id: contacts.id })
    .from(contacts)
    .where(and(eq(contacts.workspaceId, workspaceId), isNotNull(contacts.phone), which))
    .orderBy(desc(contacts.updatedAt), desc(contacts.id))
    .limit(limit)
    .offset(offset)
    .all();
  return ids.flatMap(({ id }) => byId(reading).get({ id }) ?? []);
}

const byId = statement((db) =>
  db
    .select()
    .from(contacts)
    .where(eq(contacts.id, sql.placeholder("id")))
    .prepare(),
);

const newestOf = statement((db) =>
  db
    .select({ updatedAt: contacts.updatedAt })
    .from(contacts)
    .where(and(eq(contacts.workspaceId, sql.placeholder("workspaceId")), isNotNull(contacts.phone)))
    .orderBy(desc(contacts.updatedAt))
    .limit(1)
    .prepare(),
);

function newest(reading: Reading, workspaceId: number): number {
  return newestOf(reading).get({ workspaceId })?.updatedAt ?? BEFORE_ALL;
}

/** In the order in which they were made, a bounded part after an id: for whoever goes through all of them. */
export function listContactsById(reading: Reading, workspaceId: number, afterId: number, limit: number): Contact[] {
  return reading.db
    .select()
    .from(contacts)
    .where(and(eq(contacts.workspaceId, workspaceId), isNotNull(contacts.phone), gt(contacts.id, afterId)))
    .orderBy(asc(contacts.id))
    .limit(limit)
    .all();
}

/** By a counter that triggers keep; nothing is counted. */
export function countContacts(reading: Reading, workspaceId: number): { contacts: number; optedOut: number } {
  const row = reading.db.select().from(contactCounters).where(eq(contactCounters.workspaceId, workspaceId)).get();
  return { contacts: row?.contacts ?? 0, optedOut: row?.optedOut ?? 0 };
}

export interface OptOutPosition {
  at: number;
  id: number;
}

/** `since`: only those recorded at or after it; null for all. */
export function listOptOuts(
  reading: Reading,
  workspaceId: number,
  since: number | null,
  from: { offset: number } | { after: OptOutPosition },
  limit: number,
): Contact[] {
  const after = "after" in from ? from.after : null;
  return reading.db
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
export function latestContactId(reading: Reading, workspaceId: number): number {
  const row = reading.db
    .select({ id: contacts.id })
    .from(contacts)
    .where(eq(contacts.workspaceId, workspaceId))
    .orderBy(desc(contacts.id))
    .limit(1)
    .get();
  return row?.id ?? 0;
}
