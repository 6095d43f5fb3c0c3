/**
 * Lists contacts for the API, most recently changed first, and opt-outs in the order in which they were recorded:
 * contacts with a phone number, or everybody who has a name at the network.
 */
import { and, asc, desc, eq, gt, gte, isNotNull, lt, lte, or, type SQL, sql } from "drizzle-orm";
import { withinBudget } from "#src/db/query-budget.ts";
import { findRow } from "#src/db/rows.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { newestWithoutPhone, newestWithPhone } from "./statements.ts";
import { contactCounters, contacts } from "./table.ts";

/**
 * Position of a caller that pages through the list. A contact that changes during paging moves to the front, behind the
 * caller's position. At the end of a pass the list therefore continues with the contacts changed since that pass began,
 * until one page holds all of them. No contact is missed.
 */
interface ContactCursor {
  /** This pass covers changes after `over`, up to and including `upTo`. */
  over: number;
  upTo: number;
  /** The last contact returned. */
  updatedAt: number;
  id: number;
  /** When this pass began. Where the clock still shows this time, it stands: under test control. */
  began: number;
  /** How many contacts changed after `upTo` this pass has returned. */
  late: number;
}

type ContactsFrom = { offset: number } | { after: ContactCursor };

const BEFORE_ALL = -1;
/**
 * A pass ends this long before now: more contacts may change within the current millisecond, and a read transaction may
 * be some milliseconds behind the clock. Later changes come (again) with the next pass.
 */
const STABLE_AFTER_MS = 50;

/** Whom a list holds: people with a phone number, or also those whom the network names by its user id alone. */
export type ListedIdentity = "phone" | "any";

interface Listed {
  workspaceId: number;
  identity: ListedIdentity;
}

/** A range of the list: contacts changed after `over`, up to `upTo` and behind `behind`, newest first. */
export interface ListRange {
  over: number;
  upTo: number;
  behind: Place | null;
  offset: number;
  limit: number;
}

/** Where a contact stands in the list. */
interface Place {
  id: number;
  updatedAt: number;
}

interface PageOfPlaces {
  places: Place[];
  hasMore: boolean;
  /** The cursor of the next page; null at the end. */
  next: ContactCursor | null;
}

/** `newest`: when the list changed last, read no later than its ranges; `now` is of the same moment. */
interface ListState {
  newest: number;
  now: number;
}

const NO_END = Number.MAX_SAFE_INTEGER;

/**
 * Reads a page: yields the ranges that it needs and receives their places. `since`: only contacts changed at or after it;
 * null for all.
 */
export function* readListPage(
  since: number | null,
  from: ContactsFrom,
  limit: number,
  state: ListState,
): Generator<ListRange, PageOfPlaces, Place[]> {
  const min = since === null ? BEFORE_ALL : since - 1;
  if ("offset" in from) return yield* beginPass(state, min, from.offset, limit);
  const { after } = from;
  const isStanding = state.now <= after.began;
  const found = yield {
    over: Math.max(after.over, min),
    upTo: isStanding ? Math.max(after.upTo, after.updatedAt) : after.upTo,
    behind: after,
    offset: 0,
    limit: limit + 1,
  };
  const page = toPage(found, limit, after, true);
  if (found.length > limit) return page;
  // Another pass would return the contacts of this moment again, and so would every pass after it.
  const isOver =
    after.upTo >= state.newest || (isStanding && (yield rangeBehind(after.upTo, lateOn(page, after))).length === 0);
  if (isOver) return { ...page, hasMore: false, next: null };
  if (found.length === 0) return yield* beginPass(state, Math.max(after.upTo, min), 0, limit);
  return page;
}

/** One contact of those changed after `over`, if there are more than `count`. */
function rangeBehind(over: number, count: number): ListRange {
  return { over, upTo: NO_END, behind: null, offset: count, limit: 1 };
}

/**
 * Starts a pass: the contacts changed after `over`. If they fit on one page, that page is a consistent snapshot and
 * paging ends.
 */
function* beginPass(
  { newest, now }: ListState,
  over: number,
  offset: number,
  limit: number,
): Generator<ListRange, PageOfPlaces, Place[]> {
  const found = yield { over, upTo: NO_END, behind: null, offset, limit: limit + 1 };
  const upTo = Math.max(over, Math.min(newest, now - STABLE_AFTER_MS));
  const cursor = { over, upTo, updatedAt: upTo, id: 0, began: now, late: 0 };
  return toPage(found, limit, cursor, found.length > limit);
}

function toPage(found: Place[], limit: number, cursor: ContactCursor, hasMore: boolean): PageOfPlaces {
  const places = found.slice(0, limit);
  const last = places.at(-1);
  const position =
    last === undefined
      ? cursor
      : { ...cursor, updatedAt: last.updatedAt, id: last.id, late: lateOn({ places }, cursor) };
  return { places, hasMore, next: hasMore ? position : null };
}

/** How many contacts changed after `upTo` the pass has returned, with this page. */
function lateOn({ places }: { places: readonly Place[] }, { upTo, late }: ContactCursor): number {
  return late + places.filter(({ updatedAt }) => updatedAt > upTo).length;
}

/** A page of all contacts; `since` as in `readListPage`. */
export function listContacts(
  tx: ReadTx,
  listed: Listed,
  since: number | null,
  from: ContactsFrom,
  limit: number,
): PageOfPlaces {
  const reading = readListPage(since, from, limit, stateOfList(tx, listed));
  let step = reading.next();
  while (step.done !== true) step = reading.next(readPlaces(tx, listed, step.value));
  return step.value;
}

/** Reads the places from the index alone, so that a large offset reads no rows of skipped contacts. */
function readPlaces(
  tx: ReadTx,
  { workspaceId, identity }: Listed,
  { over, upTo, behind, offset, limit }: ListRange,
): Place[] {
  const isBehind =
    behind === null
      ? undefined
      : or(
          lt(contacts.updatedAt, behind.updatedAt),
          and(eq(contacts.updatedAt, behind.updatedAt), lt(contacts.id, behind.id)),
        );
  const inRange = and(
    gt(contacts.updatedAt, over),
    upTo === NO_END ? undefined : lte(contacts.updatedAt, upTo),
    isBehind,
  );
  const placesOf = (isNamed: SQL) =>
    tx.db
      .select({ id: contacts.id, updatedAt: contacts.updatedAt })
      .from(contacts)
      .where(and(eq(contacts.workspaceId, workspaceId), isNamed, inRange));
  const withPhone = placesOf(isNotNull(contacts.phone));
  // Two indexes, merged in their common order.
  const all = identity === "phone" ? withPhone : withPhone.unionAll(placesOf(hasUserIdOnly));
  return all.orderBy(desc(sql`updated_at`), desc(sql`id`)).limit(limit).offset(offset).all();
}

/** Word for word as in the partial indexes. */
const hasUserIdOnly = sql`${contacts.phone} is null and ${contacts.networkUserId} is not null`;

/** As `readListPage` needs it. */
export function stateOfList(tx: ReadTx, listed: Listed): ListState {
  return { newest: newest(tx, listed), now: tx.now };
}

function newest(tx: ReadTx, { workspaceId, identity }: Listed): number {
  const withPhone = newestWithPhone(tx).get({ workspaceId })?.updatedAt ?? BEFORE_ALL;
  if (identity === "phone") return withPhone;
  return Math.max(withPhone, newestWithoutPhone(tx).get({ workspaceId })?.updatedAt ?? BEFORE_ALL);
}

const isAddressableRow = sql`(${contacts.phone} is not null or ${contacts.networkUserId} is not null)`;

/** Up to `limit` ids after an id, in ascending order, for callers that process all contacts. */
export function listContactIds(tx: ReadTx, workspaceId: number, afterId: number, limit: number): number[] {
  return tx.db
    .select({ id: contacts.id })
    .from(contacts)
    .where(and(eq(contacts.workspaceId, workspaceId), isAddressableRow, gt(contacts.id, afterId)))
    .orderBy(asc(contacts.id))
    .limit(limit)
    .all()
    .map(({ id }) => id);
}

/** Reads counters that triggers maintain; scans no contacts. */
export function countContacts(tx: ReadTx, workspaceId: number): { contacts: number; optedOut: number } {
  const row = findRow(tx, contactCounters, { workspaceId });
  return { contacts: row?.contacts ?? 0, optedOut: row?.optedOut ?? 0 };
}

interface OptOutCursor {
  at: number;
  id: number;
}

/** `since`: only opt-outs recorded at or after it; null for all. */
export function listOptOuts(
  tx: ReadTx,
  { workspaceId, identity }: Listed,
  since: number | null,
  from: { offset: number } | { after: OptOutCursor },
  limit: number,
): OptOutCursor[] {
  const after = "after" in from ? from.after : null;
  const idsOf = (isNamed: SQL) =>
    tx.db
      .select({ id: contacts.id, consentAt: contacts.consentAt })
      .from(contacts)
      .where(
        and(
          eq(contacts.workspaceId, workspaceId),
          isNamed,
          eq(contacts.consent, sql`'opted_out'`),
          since === null ? undefined : gte(contacts.consentAt, since),
          after === null
            ? undefined
            : or(gt(contacts.consentAt, after.at), and(eq(contacts.consentAt, after.at), gt(contacts.id, after.id))),
        ),
      );
  const withPhone = idsOf(isNotNull(contacts.phone));
  const all = identity === "phone" ? withPhone : withPhone.unionAll(idsOf(hasUserIdOnly));
  return all
    .orderBy(asc(sql`consent_at`), asc(sql`id`))
    .limit(limit)
    .offset("offset" in from ? from.offset : 0)
    .all()
    .map(({ id, consentAt }) => ({ id, at: consentAt ?? 0 }));
}

/** SQL of the totals that need a scan. The reader runs it, because it can take long. */
export const countSinceSql = {
  phone: {
    contacts: `SELECT count(*) AS total FROM contacts WHERE workspace_id = ? AND phone IS NOT NULL AND updated_at >= ? AND ${withinBudget("id")}`,
    optOuts: `SELECT count(*) AS total FROM contacts WHERE workspace_id = ? AND phone IS NOT NULL AND consent = 'opted_out' AND consent_at >= ? AND ${withinBudget("id")}`,
  },
  /** People whom the network names by its user id alone. */
  userId: {
    contacts: `SELECT count(*) AS total FROM contacts WHERE workspace_id = ? AND phone IS NULL AND network_user_id IS NOT NULL AND updated_at >= ? AND ${withinBudget("id")}`,
    optOuts: `SELECT count(*) AS total FROM contacts WHERE workspace_id = ? AND phone IS NULL AND network_user_id IS NOT NULL AND consent = 'opted_out' AND consent_at >= ? AND ${withinBudget("id")}`,
  },
} as const;

/** The id of the newest contact that can be sent to; 0 if there is none. The condition is that of the index. */
export function latestContactId(tx: ReadTx, workspaceId: number): number {
  const row = tx.db
    .select({ id: contacts.id })
    .from(contacts)
    .where(
      and(
        eq(contacts.workspaceId, workspaceId),
        sql`(${contacts.phone} IS NOT NULL OR ${contacts.networkUserId} IS NOT NULL)`,
      ),
    )
    .orderBy(desc(contacts.id))
    .limit(1)
    .get();
  return row?.id ?? 0;
}
