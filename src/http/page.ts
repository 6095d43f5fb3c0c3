/**
 * Lists: which page a request wants, and the position of the page that it gets; 50 rows a page unless the request
 * asks for another number. By page number, as the specification requires, a row that disappears between two pages
 * shifts the rest; by cursor, no row is missed or repeated. Reading a cursor or a parameter throws `invalid_request`.
 */
import type { Static } from "@sinclair/typebox";
import { Type } from "@sinclair/typebox";
import type { FieldFault } from "#src/core/fault.ts";
import { readInstant } from "#src/core/instant.ts";
import { invalidRequest, type Problem } from "#src/core/problem.ts";
import { Component, Nullable } from "#src/core/schema.ts";
import type { Reader } from "#src/db/reader.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { Rows } from "./rows.ts";

const PER_PAGE = 50;
const PER_PAGE_MAX = 500;

/** In the query of a list that is read by cursor alone. */
export const CursorQuery = {
  per_page: Type.Integer({
    minimum: 1,
    default: PER_PAGE,
    description: `Maximum number of entries on a page; more than ${PER_PAGE_MAX} counts as ${PER_PAGE_MAX}.`,
  }),
  after: Type.String({ description: "Cursor: the `meta.next` of the previous response." }),
};

/** `meta` of a list that is read by cursor alone: it has no total. */
export const CursorMeta = Type.Object({
  per_page: Type.Integer(),
  has_more: Type.Boolean({ description: "Whether more entries follow." }),
  next: Nullable(Type.String({ description: "Cursor of the next page, to be passed as `after`." })),
});

/** In the query of a list: a page by its number, or by a cursor. */
export const PageQuery = {
  page: Type.Integer({
    minimum: 1,
    default: 1,
    description: "Number of the page. A page past the end is empty.",
  }),
  per_page: CursorQuery.per_page,
  after: Type.String({
    description:
      "Cursor: the `meta.next` of the previous response. Use it for syncing: with page numbers, an entry that is removed between two requests shifts all later entries.",
  }),
};

export const PageView = Component("Page", "The position of a page in its list.", {
  page: Type.Integer({ description: "Number of the page; always 1 if the request used `after`." }),
  per_page: Type.Integer({ description: "Maximum number of entries on a page.", examples: [PER_PAGE] }),
  total: Type.Integer({ description: "Total number of entries on all pages." }),
  has_more: Type.Boolean({ description: "Whether more entries follow this page." }),
  next: Nullable(
    Type.String({ description: "Cursor of the next page, to be passed as `after`; null on the last page." }),
  ),
  pending: Type.Optional(
    Type.Integer({
      description:
        "Only in lists of messages filtered by `reference` or `idempotency_key`: matching messages that were accepted and are not listed yet, because they are still on their way to the network.",
    }),
  ),
});

type Cursor = Readonly<Record<string, unknown>>;
type PageFrom<Position = unknown> = ({ offset: number; page: number } | { after: Position }) & { perPage: number };

/** Throws `invalid_request`. */
export function readPerPage(query: { get(name: "per_page"): string | null }): number {
  const text = query.get("per_page") ?? String(PER_PAGE);
  if (!/^\d+$/.test(text) || Number(text) < 1) {
    throw wrongParameter("per_page", {
      rule: "format",
      sentence: "The number of entries is a whole number, at least 1.",
    });
  }
  return Math.min(Number(text), PER_PAGE_MAX);
}

/** The same for what a request costs, before anything else of it is read: what is wrong counts as the usual number. */
export function readRowCount(text: string | null): number {
  return text !== null && /^\d+$/.test(text) ? Math.min(Number(text), PER_PAGE_MAX) : PER_PAGE;
}

/** The part of a query that says which page of a list is wanted. */
interface PageQuery {
  get(name: "page" | "per_page" | "after"): string | null;
}

/** The page of a list that only the console has: a screen. Throws `invalid_request`. */
export function readScreen<Position>(query: PageQuery, read: (cursor: Cursor) => Position): PageFrom<Position> {
  return readPage(query, read, PER_PAGE);
}

/** `read`: what of the list is in its cursors. Throws `invalid_request`. A cursor wins over a page number. */
export function readPage<Position>(
  query: PageQuery,
  read: (cursor: Cursor) => Position,
  perPageMax = PER_PAGE_MAX,
): PageFrom<Position> {
  const perPage = Math.min(readPerPage(query), perPageMax);
  const after = readAfter(query, read);
  if (after !== null) return { after, perPage };
  const text = query.get("page") ?? "1";
  // A number too large to count with is past the end, like any other.
  const page = Math.min(Number(text), Math.floor(Number.MAX_SAFE_INTEGER / perPage));
  if (!/^\d+$/.test(text) || page < 1)
    throw wrongParameter("page", { rule: "format", sentence: "The page is a whole number, at least 1." });
  return { offset: (page - 1) * perPage, page, perPage };
}

/** The position in the cursor of a request; null: it has none, so it begins at the beginning. Throws `invalid_request`. */
export function readAfter<Position>(
  query: { get(name: "after"): string | null },
  read: (cursor: Cursor) => Position,
): Position | null {
  const text = query.get("after");
  return text === null ? null : read(readCursor(text));
}

/** The position after which the page begins; null: it begins at the beginning, or has a number. */
export function positionIn<Position>(from: PageFrom<Position>): Position | null {
  return "after" in from ? from.after : null;
}

/** One page of a list. */
interface ListPage<View> {
  data: Rows<View>;
  meta: Static<typeof PageView>;
}

/**
 * `rows` holds one row more than a page, to tell whether more follow: only what finds a row, its id and its place.
 * `view` reads the row while the answer is made, in a transaction of its own; null or undefined: it is gone by now.
 */
export function pageOf<Row, View>(
  from: PageFrom,
  rows: readonly Row[],
  total: number,
  view: (row: Row, tx: ReadTx) => View | null | undefined,
  position: (row: Row) => object,
  more: { pending?: number } = {},
): ListPage<View> {
  const { shown, next } = cut(rows, from.perPage, position);
  return pageOfRows(from, Rows.of(shown, view), { total, hasMore: next !== null, next, ...more });
}

/** The rows of one page among `rows`, which holds one more; `next`: the position of the last one, if more follow. */
export function cut<Row>(rows: readonly Row[], perPage: number, position: (row: Row) => object) {
  const shown = rows.slice(0, perPage);
  const last = rows.length > perPage ? shown.at(-1) : undefined;
  return { shown, next: last === undefined ? null : position(last) };
}

/** The `meta` of a list that is read by cursor alone. `next`: the position of the last row, if more follow. */
export function metaAfter(perPage: number, next: object | null): Static<typeof CursorMeta> {
  return { per_page: perPage, has_more: next !== null, next: next === null ? null : writeCursor(next) };
}

/** The same for a list in the order of its ids. */
export function pageById<Row extends { id: number }, View>(
  from: PageFrom,
  rows: readonly Row[],
  total: number,
  view: (row: Row, tx: ReadTx) => View | null | undefined,
): ListPage<View> {
  return pageOf(from, rows, total, view, ({ id }) => ({ id }));
}

/** The same for a list that determines `hasMore` and the next cursor itself. */
export function pageOfRows<View>(
  from: PageFrom,
  data: Rows<View>,
  { total, hasMore, next, ...more }: { total: number; hasMore: boolean; next: object | null; pending?: number },
): ListPage<View> {
  const meta = {
    page: "page" in from ? from.page : 1,
    per_page: from.perPage,
    total,
    has_more: hasMore,
    next: next === null ? null : writeCursor(next),
    ...more,
  };
  return { data, meta };
}

/** Reads a time from the query, in milliseconds; null if absent. Throws `invalid_request`. */
export function readSince<Name extends string>(
  query: { get(name: Name): string | null },
  name: Name,
  timezone: string,
): number | null {
  const text = query.get(name);
  if (text === null) return null;
  const since = readInstant(text, timezone);
  if (since !== null) return since;
  throw wrongParameter(name, {
    rule: "format",
    sentence: "Use an ISO 8601 time, for example 2026-11-21T08:44:26Z. In an address, a + has to be written as %2B.",
  });
}

/** Counts on the reader's thread, because counting all changes since a time can be slow. */
export async function countInReader(reader: Reader, sql: string, workspaceId: number, since: number): Promise<number> {
  const [row] = await reader.query(sql, [workspaceId, since]);
  return Number(row?.total ?? 0);
}

/** Cursors are opaque to callers: their form may change. */
export function writeCursor(position: object): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/** Throws `invalid_request`. */
export function readCursor(text: string): Cursor {
  try {
    const position: unknown = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
    if (typeof position === "object" && position !== null) return position as Cursor;
  } catch {
    // Fall through: every malformed cursor gets the same refusal.
  }
  throw wrongCursor();
}

export function wrongCursor(): Problem {
  return wrongParameter("after", "This is not a cursor of this list: use `meta.next` of the previous answer.");
}

/** Reads a value among `choices` from the query; null if absent. Throws `invalid_request`. */
export function readChoice<Name extends string, const Choice extends string>(
  query: { get(name: Name): string | null },
  name: Name,
  choices: readonly Choice[],
): Choice | null {
  const value = query.get(name);
  const choice = choices.find((known) => known === value);
  if (value === null || choice !== undefined) return choice ?? null;
  throw wrongParameter(name, { rule: "one_of", sentence: `The ${name} is one of ${choices.join(", ")}.` });
}

export function wrongParameter(name: string, fault: FieldFault): Problem {
  return invalidRequest({ [name]: [fault] });
}

interface Kinds {
  number: number;
  string: string;
}

/** Reads a position with these members from a cursor; numbers are whole. */
export function positionWith<const Members extends Readonly<Record<string, keyof Kinds>>>(members: Members) {
  return (cursor: Cursor): { [Name in keyof Members]: Kinds[Members[Name]] } => {
    const read = Object.entries(members).map(([name, kind]) => {
      const value = cursor[name];
      if (kind === "number" ? Number.isSafeInteger(value) : typeof value === kind) return [name, value];
      throw wrongCursor();
    });
    return Object.fromEntries(read);
  };
}

/** In a list in the order of times: of the last row, and its id. */
export const timePosition = positionWith({ at: "number", id: "number" });

/** In a list in the order of its ids. */
export function idPosition({ id }: Cursor): number {
  if (!Number.isSafeInteger(id)) throw wrongCursor();
  return id as number;
}

/** False if the parameter is absent. Throws `invalid_request` for anything but true and false. */
export function readBoolean<Name extends string>(query: { get(name: Name): string | null }, name: Name): boolean {
  const text = query.get(name);
  if (text === null || text === "false") return false;
  if (text === "true") return true;
  throw wrongParameter(name, "This is true or false.");
}
