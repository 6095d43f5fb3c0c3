/**
 * Saved views of the list of contacts: a filter with an order and columns, under a name. A view is its user's own, or shared
 * with the workspace. What a view refers to may be removed later: the rest of the view stays usable, and says what is gone.
 */
import { and, asc, count, eq, ne, or } from "drizzle-orm";
import { allSentences, type FieldProblems } from "#src/core/fault.ts";
import { invalidRequest, notFound, Problem } from "#src/core/problem.ts";
import { trimShown } from "#src/core/shown-text.ts";
import { deleteRows, findRow, insertRow } from "#src/db/rows.ts";
import type { ReadTx, Tx } from "#src/db/transaction.ts";
import { consents } from "../contacts/consent.ts";
import { listFields } from "../contacts/custom-fields.ts";
import { profileNames } from "../contacts/profile-fields.ts";
import type { CustomField } from "../contacts/table.ts";
import { foldName } from "../groups/group.ts";
import { findGroup } from "../groups/read.ts";
import type { Workspace } from "../workspaces/table.ts";
import { readGroupFilter } from "./group-filter.ts";
import { readSort } from "./sort.ts";
import { contactViews, type StoredView, type ViewSearch } from "./table.ts";

export const VIEWS_MAX = 20;
/** Of all users of a workspace. */
export const SHARED_VIEWS_MAX = 50;
const VIEW_NAME_LENGTH_MAX = 60;
const COLUMNS_MAX = 30;
/** Characters of the filter's JSON. */
const FILTER_LENGTH_MAX = 20_000;
const TEXT_LENGTH_MAX = 300;

/** The columns of the list, besides custom fields. */
const columnNames: readonly string[] = [
  ...profileNames,
  ...["phone", "username", "consent", "tags", "groups", "last_message_at", "created_at", "updated_at"],
];

/** As a user gave it. */
export interface GivenView {
  name: string;
  isShared: boolean;
  search: ViewSearch;
  columns: readonly string[];
}

/** With what is left of it. */
export interface ShownView extends StoredView {
  isOwn: boolean;
  /** In sentences, what it refers to that no longer exists; `search` and `columns` are without it. */
  gone: string[];
}

type ViewWorkspace = Pick<Workspace, "id" | "country">;

/** A user's own views and those that are shared, by name. */
export function listViews(tx: ReadTx, workspace: ViewWorkspace, userId: number): ShownView[] {
  const isSeen = or(eq(contactViews.userId, userId), eq(contactViews.isShared, true));
  const rows = tx.db
    .select()
    .from(contactViews)
    .where(and(eq(contactViews.workspaceId, workspace.id), isSeen))
    .orderBy(asc(contactViews.folded), asc(contactViews.id))
    .limit(VIEWS_MAX + SHARED_VIEWS_MAX)
    .all();
  return rows.map((row) => showView(tx, workspace, row, userId));
}

/** Throws `not_found`, also for another user's own view. */
export function getView(tx: ReadTx, workspace: ViewWorkspace, id: number, userId: number): ShownView {
  const row = findRow(tx, contactViews, { id });
  if (row?.workspaceId !== workspace.id || (row.userId !== userId && !row.isShared)) throw notFound("view");
  return showView(tx, workspace, row, userId);
}

/** Throws `invalid_request`. */
export function addView(tx: Tx, workspace: ViewWorkspace, userId: number, given: GivenView): ShownView {
  const checked = requireView(tx, workspace, userId, given, null);
  const row = { workspaceId: workspace.id, userId, ...checked, createdAt: tx.now, updatedAt: tx.now };
  return showView(tx, workspace, insertRow(tx, contactViews, row), userId);
}

/** Throws `invalid_request`. */
export function updateView(
  tx: Tx,
  workspace: ViewWorkspace,
  was: ShownView,
  given: GivenView,
  userId: number,
): ShownView {
  const checked = requireView(tx, workspace, was.userId, given, was.id);
  const row = tx.db
    .update(contactViews)
    .set({ ...checked, updatedAt: tx.now })
    .where(eq(contactViews.id, was.id))
    .returning()
    .get();
  return showView(tx, workspace, row, userId);
}

export function removeView(tx: Tx, id: number): void {
  deleteRows(tx, contactViews, { id });
}

function requireView(tx: ReadTx, workspace: ViewWorkspace, userId: number, given: GivenView, ownId: number | null) {
  const name = trimShown(given.name);
  const problems: FieldProblems = {};
  const nameProblem = findNameProblem(tx, workspace.id, userId, name, ownId);
  if (nameProblem !== null) problems.name = [nameProblem];
  const fields = listFields(tx, workspace.id);
  const { search, faults } = readSearch(tx, workspace, given.search, fields);
  Object.assign(problems, faults);
  const columns = [...new Set(given.columns)];
  const unknown = columns.find((column) => !isColumn(column, fields));
  if (columns.length === 0 || columns.length > COLUMNS_MAX) {
    problems.columns = [`A view has 1 to ${COLUMNS_MAX} columns.`];
  } else if (unknown !== undefined) problems.columns = [`There is no column ${unknown}.`];
  const limitProblem = findLimitProblem(tx, workspace.id, userId, given.isShared, ownId);
  if (limitProblem !== null) problems[given.isShared ? "is_shared" : "name"] ??= [limitProblem];
  if (Object.keys(problems).length > 0) throw invalidRequest(problems);
  return { name, folded: foldName(name), isShared: given.isShared, search, columns };
}

function isColumn(name: string, fields: readonly CustomField[]): boolean {
  return columnNames.includes(name) || fields.some(({ key }) => name === `fields.${key}`);
}

function findNameProblem(tx: ReadTx, workspaceId: number, userId: number, name: string, ownId: number | null) {
  if (name === "") return "A view needs a name.";
  if (name.length > VIEW_NAME_LENGTH_MAX) return `A name has at most ${VIEW_NAME_LENGTH_MAX} characters.`;
  if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name) || !name.isWellFormed()) return "A name is one line of ordinary characters.";
  const known = findRow(tx, contactViews, { workspaceId, userId, folded: foldName(name) });
  return known === undefined || known.id === ownId
    ? null
    : `There is already a view ${known.name}; choose another name.`;
}

function findLimitProblem(tx: ReadTx, workspaceId: number, userId: number, isShared: boolean, ownId: number | null) {
  const isOther = and(
    eq(contactViews.workspaceId, workspaceId),
    ownId === null ? undefined : ne(contactViews.id, ownId),
  );
  const totalOf = (which: ReturnType<typeof eq>) =>
    tx.db.select({ total: count() }).from(contactViews).where(and(isOther, which)).get()?.total ?? 0;
  if (totalOf(eq(contactViews.userId, userId)) >= VIEWS_MAX) {
    return `A user has at most ${VIEWS_MAX} views. Delete one that is no longer used.`;
  }
  if (isShared && totalOf(eq(contactViews.isShared, true)) >= SHARED_VIEWS_MAX) {
    return `A workspace has at most ${SHARED_VIEWS_MAX} shared views. Delete one that is no longer used.`;
  }
  return null;
}

function showView(tx: ReadTx, workspace: ViewWorkspace, row: StoredView, userId: number): ShownView {
  const fields = listFields(tx, workspace.id);
  const { search, faults } = readSearch(tx, workspace, row.search, fields);
  const columns = row.columns.filter((column) => isColumn(column, fields));
  const gone = [
    ...allSentences(faults),
    ...row.columns.filter((column) => !columns.includes(column)).map((column) => `There is no column ${column}.`),
  ];
  return { ...row, search, columns, gone: [...new Set(gone)], isOwn: row.userId === userId };
}

/** What of a search can be used, and what is wrong with the rest, by field. */
function readSearch(
  tx: ReadTx,
  workspace: ViewWorkspace,
  given: ViewSearch,
  fields: readonly CustomField[],
): { search: ViewSearch; faults: FieldProblems } {
  const search: ViewSearch = {};
  const faults: FieldProblems = {};
  const keep = <Name extends keyof ViewSearch>(
    name: Name,
    find: (value: ViewSearch[Name] & {}) => FieldProblems | null,
  ) => {
    const value = given[name];
    if (value === undefined || value === null || value === "") return;
    const found = find(value);
    if (found === null) search[name] = value;
    else Object.assign(faults, found);
  };
  keep("q", (q) =>
    q.length > TEXT_LENGTH_MAX ? { q: [`This may have at most ${TEXT_LENGTH_MAX} characters.`] } : null,
  );
  keep("consent", (consent) =>
    consents.some((known) => known === consent)
      ? null
      : { consent: [`Consent must be one of ${consents.join(", ")}.`] },
  );
  keep("group", (group) => {
    const isKnown = /^\d{1,15}$/.test(group) && findGroup(tx, workspace.id, Number(group)) !== undefined;
    return isKnown ? null : { group: ["There is no group of this id."] };
  });
  keep("sort", (sort) => problemOf(() => readSort(sort, fields)));
  keep("filter", (filter) => {
    if (JSON.stringify(filter).length > FILTER_LENGTH_MAX) {
      return {
        filter: [`The filter of a view has at most ${FILTER_LENGTH_MAX.toLocaleString("en")} characters of JSON.`],
      };
    }
    const problem = problemOf(() => readGroupFilter(tx, workspace, filter));
    const part = problem === null ? null : usablePart(tx, workspace, filter);
    if (part !== null) search.filter = part;
    return problem;
  });
  return { search, faults };
}

/** The conditions that can still be read, of a filter that is one list of them; null: none. */
function usablePart(tx: ReadTx, workspace: ViewWorkspace, filter: unknown): unknown {
  for (const joint of ["all", "any"] as const) {
    const parts = (filter as Record<string, unknown> | null)?.[joint];
    if (!Array.isArray(parts)) continue;
    const usable = parts.filter((part: unknown) => problemOf(() => readGroupFilter(tx, workspace, part)) === null);
    return usable.length === 0 ? null : { [joint]: usable };
  }
  return null;
}

/** The mistakes of an input, by field; null: it has none. */
function problemOf(read: () => unknown): FieldProblems | null {
  try {
    read();
    return null;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.details.fields ?? {};
  }
}
