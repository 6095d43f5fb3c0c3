/**
 * Pages of the list of contacts that are searched, filtered or sorted. All of it is read on the reader's thread: among a million
 * contacts, a rare name takes a moment.
 */

import { listFields } from "#src/domain/contacts/custom-fields.ts";
import { findById } from "#src/domain/contacts/find.ts";
import { type ListedIdentity, readListPage, stateOfList } from "#src/domain/contacts/list.ts";
import { viewContact } from "#src/domain/contacts/view.ts";
import { compileCount, compileListed, type Sql } from "#src/domain/filters/compile.ts";
import { both } from "#src/domain/filters/condition-sql.ts";
import type { Filter } from "#src/domain/filters/filter.ts";
import { readGroupFilter } from "#src/domain/filters/group-filter.ts";
import { readSort, SORTED_WITHOUT_INDEX_MAX, type Sort, type SortPlace } from "#src/domain/filters/sort.ts";
import { compileSorted, readSortedPage, type SortedRow } from "#src/domain/filters/sorted.ts";
import type { Workspace } from "#src/domain/workspaces/table.ts";
import { type ContactSearch, contactFilter, isSelective } from "../contact-filter.ts";
import { countListed, readIdentity } from "../listed-identity.ts";
import { pageOfRows, positionWith, readPage, readSince, wrongCursor, wrongParameter } from "../page.ts";
import { Rows } from "../rows.ts";
import type { WorkspaceCall } from "./call.ts";

type ListCall = Pick<WorkspaceCall, "store" | "reader" | "searchReader" | "workspace" | "clock"> & {
  user: unknown;
  query: {
    get(name: "identity" | "updated_since" | "sort" | "page" | "per_page" | "after"): string | null;
  };
};

const readPosition = positionWith({
  over: "number",
  upTo: "number",
  updatedAt: "number",
  id: "number",
  began: "number",
  late: "number",
});

/** A cursor without `began` and `late`, of an earlier build, is one of a pass that began before now. */
export const contactPosition = (cursor: Readonly<Record<string, unknown>>) =>
  readPosition({ began: -1, late: 0, ...cursor });

/** A page of the matches, those that changed last first. Throws `invalid_request`. */
export async function searchContacts(call: ListCall, search: ContactSearch) {
  const { store, searchReader, workspace, query } = call;
  const since = readSince(query, "updated_since", workspace.timezone);
  const from = readPage(query, contactPosition);
  const listed = { workspaceId: workspace.id, identity: identityOf(call) };
  const also = listedCondition(listed.identity);
  const { filter, state } = store.read((tx) => ({
    filter: readGroupFilter(tx, workspace, contactFilter(tx, workspace, search)),
    state: stateOfList(tx, listed),
  }));
  const total = await countMatches(call, filter, also, since);
  const reading = readListPage(since, from, from.perPage, state);
  let step = reading.next();
  while (step.done !== true) {
    const { sql, parameters } = compileListed(filter, contextOf(call), step.value, also, total);
    const rows = await searchReader.query(sql, parameters);
    step = reading.next(rows.map(({ id, updatedAt }) => ({ id: Number(id), updatedAt: Number(updatedAt) })));
  }
  const { places, ...page } = step.value;
  return pageOfRows(from, shownAt(places, workspace), { ...page, total });
}

/**
 * A page in the order of the parameter `sort`. Throws `invalid_request`: also for an order without an index where more
 * contacts match than can be sorted.
 */
export async function sortContacts(call: ListCall, search: ContactSearch) {
  const { store, reader, searchReader, workspace, query } = call;
  const since = readSince(query, "updated_since", workspace.timezone);
  const from = readPage(query, (cursor) => cursor);
  if ("page" in from && from.page > 1) throw wrongParameter("page", "A sorted list is read with after, not by page.");
  const identity = identityOf(call);
  const { filter, sort } = store.read((tx) => ({
    filter: isSelective(search) ? readGroupFilter(tx, workspace, contactFilter(tx, workspace, search)) : null,
    sort: readSort(query.get("sort") ?? "", listFields(tx, workspace.id)),
  }));
  const after = "after" in from ? readSortCursor(from.after, sort) : null;
  const isNamed = listedCondition(identity);
  const also = since === null ? isNamed : both(isNamed, changedSince(since));
  const counted = { workspaceId: workspace.id, identity: call.user === null ? identity : ("phone" as const) };
  const total =
    filter === null
      ? await countListed({ store, reader }, counted, "contacts", since)
      : await countMatches(call, filter, isNamed, since);
  if (!sort.isIndexed && total > SORTED_WITHOUT_INDEX_MAX) {
    const max = SORTED_WITHOUT_INDEX_MAX.toLocaleString("en");
    throw wrongParameter(
      "sort",
      `At most ${max} contacts can be sorted by ${sort.name}, and ${total.toLocaleString("en")} match. Filter the list first.`,
    );
  }
  const isEmpty = filter !== null && total === 0;
  const reading = readSortedPage(isEmpty ? { ...sort, runs: [] } : sort, isEmpty ? null : after, from.perPage);
  let step = reading.next();
  while (step.done !== true) {
    const { sql, parameters } = compileSorted(filter, contextOf(call), sort, step.value, also, total);
    const rows = await searchReader.query(sql, parameters);
    step = reading.next(rows.map(({ id, key }) => ({ id: Number(id), key: key as SortedRow["key"] })));
  }
  const { rows, hasMore, next } = step.value;
  return pageOfRows(from, shownAt(rows, workspace), {
    total,
    hasMore,
    next: next === null ? null : { sort: sort.text, ...next },
  });
}

/** Throws `invalid_request`, also for a cursor of another order. */
function readSortCursor(cursor: Readonly<Record<string, unknown>>, sort: Sort): SortPlace {
  const { sort: text, run, key, id } = cursor;
  const isKey = key === null || typeof key === "string" || (typeof key === "number" && Number.isFinite(key));
  const isRun = typeof run === "number" && sort.runs[run] !== undefined;
  if (text !== sort.text || !isRun || !isKey || typeof id !== "number" || !Number.isSafeInteger(id))
    throw wrongCursor();
  if ((key === null) !== (sort.runs[run]?.key === null)) throw wrongCursor();
  return { run, key, id };
}

async function countMatches(call: ListCall, filter: Filter, also: Sql, since: number | null): Promise<number> {
  const count = compileCount(filter, contextOf(call), since === null ? also : both(also, changedSince(since)));
  const [row] = await call.searchReader.query(count.sql, count.parameters);
  return Number(row?.total ?? 0);
}

function changedSince(since: number): Sql {
  return { sql: "contacts.updated_at >= ?", parameters: [since] };
}

function contextOf({ workspace, clock }: ListCall) {
  return { workspaceId: workspace.id, timezone: workspace.timezone, now: clock.now() };
}

/** Each contact is read when its turn comes; one that was erased in the meantime is omitted. */
export function shownAt(places: readonly { id: number }[], workspace: Workspace) {
  return Rows.of(places, ({ id }, tx) => {
    const contact = findById(tx, workspace.id, id);
    const isNamed = contact !== undefined && (contact.phone ?? contact.networkUserId) !== null;
    return isNamed ? viewContact(tx, contact, workspace) : null;
  });
}

/** Users see everybody who has a name at the network. */
export function identityOf(call: Pick<ListCall, "user" | "query">): ListedIdentity {
  return call.user === null ? readIdentity(call.query) : "any";
}

function listedCondition(identity: ListedIdentity): Sql {
  return { sql: identity === "phone" ? "contacts.phone IS NOT NULL" : "true", parameters: [] };
}
