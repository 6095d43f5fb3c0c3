/**
 * Compiles a filter to SQL that counts the matching contacts of a workspace or lists their ids in batches. Only
 * contacts with a phone number or a user id match, because no others can be sent to. The reader runs the statements, because they
 * can take long. Each statement names its index: SQLite has no statistics on how often a value occurs, and at a million
 * contacts its choices took ten times as long.
 */
import { withinBudget } from "#src/db/query-budget.ts";
import type { ListRange } from "../contacts/list.ts";
import type { Condition } from "./condition.ts";
import {
  ADDRESSABLE,
  both,
  caseVariants,
  conditionSql,
  type FilterContext,
  type Membership,
  type Sql,
} from "./condition-sql.ts";
import type { Filter } from "./filter.ts";

export type { Sql } from "./condition-sql.ts";

export type CompileContext = Omit<FilterContext, "membership">;

/**
 * The index that scans all of a workspace's contacts in table order. Any other order reads the file's pages at random.
 */
export const WALK = "contacts_addressable";

/**
 * A statement that returns one row with `total`. `also`: a further condition on the row, which no index helps.
 */
export function compileCount(filter: Filter, context: CompileContext, also: Sql | null = null): Sql {
  const index = findIndex(filter);
  // If no index narrows the scan, at most one condition finds contacts by a gathered set; the other conditions are
  // tested against each contact found.
  const found = index === undefined ? requiredConditions(filter).find(isGatherable) : undefined;
  const rest = index === undefined && found === undefined ? "gather" : "each";
  const matches = whereSql(filter, context, (condition) => {
    if (condition === found) return "find";
    return isGatherable(condition) ? rest : "each";
  });
  const where = also === null ? matches : both(matches, also);
  if (index === "contacts_listed") return countListed(where, context);
  return {
    sql:
      `SELECT count(*) AS total FROM contacts INDEXED BY ${index ?? WALK} ` +
      `WHERE contacts.workspace_id = ? AND ${ADDRESSABLE} AND ${withinBudget("contacts.id")} AND ${where.sql}`,
    parameters: [context.workspaceId, ...where.parameters],
  };
}

/** Contacts by the time of their last change: those with a phone number and those without have an index each. */
function countListed(where: Sql, { workspaceId }: CompileContext): Sql {
  const countIn = (index: string, isNamed: string) =>
    `(SELECT count(*) FROM contacts INDEXED BY ${index} ` +
    `WHERE contacts.workspace_id = ? AND ${isNamed} AND ${withinBudget("contacts.id")} AND ${where.sql})`;
  const withPhone = countIn("contacts_listed", "contacts.phone IS NOT NULL");
  const without = countIn("contacts_without_phone", "contacts.phone IS NULL AND contacts.network_user_id IS NOT NULL");
  const parameters = [workspaceId, ...where.parameters];
  return { sql: `SELECT ${withPhone} + ${without} AS total`, parameters: [...parameters, ...parameters] };
}

/**
 * A statement that returns up to `limit` rows with `id`, in ascending order after `afterId`; fewer rows mean that there
 * are no more. It scans contacts by id and tests each, so that all batches together cost one scan. Gathering a tag's
 * hundred thousand contacts again for each batch would cost as much as a hundred scans.
 */
export function compileIds(filter: Filter, context: CompileContext, afterId: number, limit: number): Sql {
  const where = whereSql(filter, context, () => "each");
  return {
    sql:
      `SELECT contacts.id FROM contacts INDEXED BY ${WALK} WHERE contacts.workspace_id = ? AND contacts.id > ? ` +
      `AND ${ADDRESSABLE} AND ${withinBudget("contacts.id")} AND ${where.sql} ORDER BY contacts.id LIMIT ?`,
    parameters: [context.workspaceId, afterId, ...where.parameters, limit],
  };
}

/** Matches that are found in the order of the table and sorted sooner than they are met in the order of the list. */
export const SORTED_MAX = 20_000;

/**
 * A statement that returns places of a list, newest first: rows with `id` and `updatedAt`. `total`: how many contacts
 * match. Few are found and sorted, and so are those of a tag or a group; where there are many, walking the list in its
 * order soon fills a page.
 */
export function compileListed(
  filter: Filter,
  context: CompileContext,
  { over, upTo, behind, offset, limit }: ListRange,
  also: Sql,
  total: number,
): Sql {
  const found = narrowing(filter);
  const matches = whereSql(filter, context, (condition) => (condition === found ? "find" : "each"));
  const where = both(matches, also);
  const place = behind ?? { updatedAt: upTo, id: Number.MAX_SAFE_INTEGER };
  const parameters = [context.workspaceId, over, upTo, place.updatedAt, place.id, ...where.parameters];
  const placesIn = (source: string, isNamed: string) =>
    `SELECT contacts.id, contacts.updated_at AS updatedAt FROM ${source} WHERE contacts.workspace_id = ? AND ${isNamed} ` +
    "AND contacts.updated_at > ? AND contacts.updated_at <= ? AND (contacts.updated_at, contacts.id) < (?, ?) " +
    `AND ${withinBudget("contacts.id")} AND ${where.sql}`;
  const order = "ORDER BY updatedAt DESC, id DESC LIMIT ? OFFSET ?";
  if (found !== undefined || total <= SORTED_MAX) {
    const source = found === undefined ? `contacts INDEXED BY ${WALK}` : "contacts";
    return { sql: `${placesIn(source, ADDRESSABLE)} ${order}`, parameters: [...parameters, limit, offset] };
  }
  const withPhone = placesIn("contacts INDEXED BY contacts_listed", "contacts.phone IS NOT NULL");
  const isWithout = "contacts.phone IS NULL AND contacts.network_user_id IS NOT NULL";
  const without = placesIn("contacts INDEXED BY contacts_without_phone", isWithout);
  return {
    sql: `${withPhone} UNION ALL ${without} ${order}`,
    parameters: [...parameters, ...parameters, limit, offset],
  };
}

/** A statement that returns a row if the filter matches this contact. */
export function compileMatch(filter: Filter, context: CompileContext, contactId: number): Sql {
  const where = whereSql(filter, context, () => "each");
  return {
    sql: `SELECT 1 AS matches FROM contacts WHERE contacts.id = ? AND contacts.workspace_id = ? AND ${where.sql}`,
    parameters: [contactId, context.workspaceId, ...where.parameters],
  };
}

/** The condition whose members are found first: of a tag or a group. */
export function narrowing(filter: Filter): Condition | undefined {
  return requiredConditions(filter).find(({ kind, test }) => (kind === "tag" || kind === "group") && test.op === "in");
}

export function whereSql(
  filter: Filter,
  context: CompileContext,
  membershipOf: (condition: Condition) => Membership,
): Sql {
  switch (filter.kind) {
    case "condition":
      return conditionSql(filter.condition, { ...context, membership: membershipOf(filter.condition) });
    case "not": {
      const part = whereSql(filter.part, context, membershipOf);
      return { sql: `NOT (${part.sql})`, parameters: part.parameters };
    }
    case "all":
    case "any": {
      const parts = filter.parts.map((part) => whereSql(part, context, membershipOf));
      return {
        sql: `(${parts.map(({ sql }) => sql).join(filter.kind === "all" ? " AND " : " OR ")})`,
        parameters: parts.flatMap(({ parameters }) => parameters),
      };
    }
  }
}

/** The index that narrows the scan most; undefined if none does and all contacts are scanned. */
function findIndex(filter: Filter): string | undefined {
  if (filter.kind === "condition") return indexOf(filter.condition) ?? momentIndexOf(filter.condition);
  const indexes = requiredConditions(filter).map(indexOf);
  return ["contacts_phone", "contacts_anniversary", "contacts_city"].find((index) => indexes.includes(index));
}

/** Conditions that every match must meet. */
function requiredConditions(filter: Filter): Condition[] {
  if (filter.kind === "condition") return [filter.condition];
  return filter.kind === "all" ? filter.parts.flatMap(requiredConditions) : [];
}

/**
 * Whether an index returns the condition's contacts in the order of their ids, or only a few of them. A range of values
 * returns them in the order of the values, and sorting a million ids takes longer than testing each contact.
 */
function isGatherable(condition: Condition): boolean {
  switch (condition.kind) {
    case "tag":
    case "group":
    case "custom_text":
    case "custom_choice":
    case "custom_number":
    case "custom_date":
      return condition.test.op === "in" || condition.test.op === "within_days";
    case "yearly":
      return condition.column === "birthday" && (condition.test.op === "in" || condition.test.op === "within_days");
    default:
      return false;
  }
}

function indexOf(condition: Condition): string | undefined {
  if (condition.kind === "yearly" && condition.column === "anniversary") {
    return condition.test.op === "in" || condition.test.op === "within_days" ? "contacts_anniversary" : undefined;
  }
  if (condition.kind !== "text") return undefined;
  const { column, test } = condition;
  // A prefix with several case variants is several ranges, which no single index scan covers.
  const isRange = test.op === "in" || (test.op === "starts_with" && caseVariants(test.text).length === 1);
  if (!isRange) return undefined;
  return column === "phone" ? "contacts_phone" : column === "city" ? "contacts_city" : undefined;
}

/**
 * A range of time may match every contact. As the only condition it is counted within the index. With other conditions
 * every contact would be looked up in the order of time, which takes longer than the full scan.
 */
function momentIndexOf(condition: Condition): string | undefined {
  if (condition.kind !== "instant" || condition.test.op === "set") return undefined;
  if (condition.column === "last_message_at") return "contacts_last_message";
  return condition.column === "updated_at" ? "contacts_listed" : undefined;
}
