/**
 * Pages of contacts in an order of `sort.ts`, by the sorted value and the id: of contacts that stay as they are, each is on exactly one
 * page. The reader runs the statements.
 */
import { withinBudget } from "#src/db/query-budget.ts";
import { type CompileContext, narrowing, SORTED_MAX, type Sql, WALK, whereSql } from "./compile.ts";
import type { Filter } from "./filter.ts";
import { type Sort, type SortPlace, type SortRun, WITH_PHONE, WITHOUT_PHONE } from "./sort.ts";

export interface SortedRow {
  id: number;
  key: string | number | null;
}

interface SortedPage {
  rows: { id: number }[];
  hasMore: boolean;
  /** The cursor of the next page; null at the end. */
  next: SortPlace | null;
}

/** A part of a page: rows of one run behind a place, each part by one range of an index. */
interface SortedRange {
  run: number;
  /** `same`: later ids with the value of the place. `later`: later values; of a run without values, later ids. Null: from the beginning. */
  behind: { place: SortPlace; values: "same" | "later" } | null;
  limit: number;
}

/** Reads a page: yields the ranges that it needs and receives their rows. `after`: null at the beginning. */
export function* readSortedPage(
  sort: Sort,
  after: SortPlace | null,
  limit: number,
): Generator<SortedRange, SortedPage, SortedRow[]> {
  const found: SortPlace[] = [];
  for (const { run, behind } of rangesFrom(sort, after)) {
    if (found.length > limit) break;
    const rows = yield { run, behind, limit: limit + 1 - found.length };
    found.push(...rows.map(({ id, key }) => ({ run, key, id })));
  }
  const rows = found.slice(0, limit);
  const hasMore = found.length > limit;
  return { rows, hasMore, next: hasMore ? (rows.at(-1) ?? null) : null };
}

function rangesFrom({ runs }: Sort, after: SortPlace | null): Omit<SortedRange, "limit">[] {
  const whole = runs.map((_, run) => ({ run, behind: null }));
  if (after === null) return whole;
  const { run } = after;
  const values = after.key === null ? (["later"] as const) : (["same", "later"] as const);
  return [...values.map((which) => ({ run, behind: { place: after, values: which } })), ...whole.slice(run + 1)];
}

/**
 * A statement that returns rows with `id` and `key`. `filter`: null for everybody. `total`: how many contacts match. As
 * in `compileListed`, few matches are found and sorted; where there are many, walking the order's index soon fills a page.
 */
export function compileSorted(
  filter: Filter | null,
  context: CompileContext,
  sort: Sort,
  range: SortedRange,
  also: Sql,
  total: number,
): Sql {
  const run = sort.runs[range.run];
  if (run === undefined) throw new Error(`the order ${sort.text} has no run ${range.run}`);
  const found = filter === null ? undefined : narrowing(filter);
  const where =
    filter === null ? null : whereSql(filter, context, (condition) => (condition === found ? "find" : "each"));
  const walksOrder = run.index !== null && found === undefined && (filter === null || total > SORTED_MAX);
  const tests = [behindSql(run, sort, range.behind), ...(where === null ? [] : [where]), also];
  const parts = sourcesOf(run, walksOrder, found !== undefined).map(
    (source): Sql => ({
      sql:
        `SELECT contacts.id, ${run.key ?? "NULL"} AS key FROM ${source.from} WHERE contacts.workspace_id = ? AND ${source.where} ` +
        `AND ${withinBudget("contacts.id")} AND ${tests.map(({ sql }) => sql).join(" AND ")}`,
      parameters: [context.workspaceId, ...tests.flatMap(({ parameters }) => parameters)],
    }),
  );
  const isById = run.key === null || range.behind?.values === "same";
  const order = parts.length > 1 ? ["key", "id"] : [...(isById ? [] : [run.key]), "contacts.id"];
  const direction = sort.isDescending ? "DESC" : "ASC";
  return {
    sql: `${parts.map(({ sql }) => sql).join(" UNION ALL ")} ORDER BY ${order.map((by) => `${by} ${direction}`).join(", ")} LIMIT ?`,
    parameters: [...parts.flatMap(({ parameters }) => parameters), range.limit],
  };
}

function sourcesOf(
  { index, where }: SortRun,
  walksOrder: boolean,
  isFound: boolean,
): { from: string; where: string }[] {
  if (isFound) return [{ from: "contacts", where }];
  if (!walksOrder || index === null) return [{ from: `contacts INDEXED BY ${WALK}`, where }];
  if (typeof index === "string") return [{ from: `contacts INDEXED BY ${index}`, where }];
  const [withPhone, without] = index;
  return [
    { from: `contacts INDEXED BY ${withPhone}`, where: WITH_PHONE },
    { from: `contacts INDEXED BY ${without}`, where: WITHOUT_PHONE },
  ];
}

function behindSql({ key: value }: SortRun, { isDescending }: Sort, behind: SortedRange["behind"]): Sql {
  if (behind === null) return { sql: "true", parameters: [] };
  const { key, id } = behind.place;
  const compared = isDescending ? "<" : ">";
  if (value === null || key === null) return { sql: `contacts.id ${compared} ?`, parameters: [id] };
  if (behind.values === "later") return { sql: `${value} ${compared} ?`, parameters: [key] };
  return { sql: `(${value} = ? AND contacts.id ${compared} ?)`, parameters: [key, id] };
}
