/**
 * A filter as SQL: how many contacts of a workspace meet it, and who they are, batch by batch. Only contacts with a phone
 * number count, for nobody else can be written to. The statements are run by whoever may take long: the reader. Which
 * index a statement begins with is said outright: SQLite knows nothing of how often a value occurs, and at a million
 * contacts its guesses took ten times longer.
 */
import type { Condition } from "./condition.ts";
import { caseVariants, conditionSql, type FilterContext, type Membership, type Sql } from "./condition-sql.ts";
import type { Filter } from "./filter.ts";

export type { Sql } from "./condition-sql.ts";
export type CompileContext = Omit<FilterContext, "membership">;

/** All of a workspace's contacts in the order of the table; through any other order a walk jumps about in the file. */
const WALK = "contacts_addressable";

/** One row with `total`. */
export function compileCount(filter: Filter, context: CompileContext): Sql {
  const index = findIndex(filter);
  // One set of people to find contacts by, unless an index narrows them down already. The others are asked about each.
  const found = index === undefined ? requiredConditions(filter).find(isGatherable) : undefined;
  const rest = index === undefined && found === undefined ? "gather" : "each";
  const where = whereSql(filter, context, (condition) => {
    if (condition === found) return "find";
    return isGatherable(condition) ? rest : "each";
  });
  return {
    sql:
      `SELECT count(*) AS total FROM contacts INDEXED BY ${index ?? WALK} ` +
      `WHERE contacts.workspace_id = ? AND contacts.phone IS NOT NULL AND ${where.sql}`,
    parameters: [context.workspaceId, ...where.parameters],
  };
}

/**
 * At most `limit` rows with `id`, in its order, after `afterId`; fewer mean that there are no more. It walks over the
 * contacts by their id and asks of each, so that all batches together cost one walk: gathering a tag's hundred thousand
 * people anew for each batch would cost a hundred.
 */
export function compileIds(filter: Filter, context: CompileContext, afterId: number, limit: number): Sql {
  const where = whereSql(filter, context, () => "each");
  return {
    sql:
      `SELECT contacts.id FROM contacts INDEXED BY ${WALK} WHERE contacts.workspace_id = ? AND contacts.id > ? ` +
      `AND contacts.phone IS NOT NULL AND ${where.sql} ORDER BY contacts.id LIMIT ?`,
    parameters: [context.workspaceId, afterId, ...where.parameters, limit],
  };
}

function whereSql(filter: Filter, context: CompileContext, membershipOf: (condition: Condition) => Membership): Sql {
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

/** The index that narrows the contacts down most; undefined: none does, all are walked over. */
function findIndex(filter: Filter): string | undefined {
  if (filter.kind === "condition") return indexOf(filter.condition) ?? momentIndexOf(filter.condition);
  const indexes = requiredConditions(filter).map(indexOf);
  return ["contacts_phone", "contacts_anniversary", "contacts_city"].find((index) => indexes.includes(index));
}

/** Conditions that everybody must meet. */
function requiredConditions(filter: Filter): Condition[] {
  if (filter.kind === "condition") return [filter.condition];
  return filter.kind === "all" ? filter.parts.flatMap(requiredConditions) : [];
}

/**
 * Whether an index gives the people who meet it in their own order, or only a few. A range of values comes in the order
 * of the values: sorting a million people takes longer than asking about each.
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
  // The start of a text in several spellings is several ranges, which no single index answers.
  const isRange = test.op === "in" || (test.op === "starts_with" && caseVariants(test.text).length === 1);
  if (!isRange) return undefined;
  return column === "phone" ? "contacts_phone" : column === "city" ? "contacts_city" : undefined;
}

/**
 * A span of time may hold everybody. Alone it is counted in the index, whatever it holds; together with other conditions
 * each contact would be looked up in the order of time, which takes longer than the walk.
 */
function momentIndexOf(condition: Condition): string | undefined {
  if (condition.kind !== "instant" || condition.test.op === "set") return undefined;
  if (condition.column === "last_message_at") return "contacts_last_message";
  return condition.column === "updated_at" ? "contacts_listed" : undefined;
}
