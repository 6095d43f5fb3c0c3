/**
 * A condition as SQL about a row of `contacts`. Only `?` stands for what a caller wrote; names of columns come from this
 * project alone. Every condition is true or false for every contact, never null, so that a negation is the rest.
 */

import type { CustomField } from "../contacts/table.ts";
import { foldName } from "../groups/group.ts";
import type { Condition } from "./condition.ts";
import { comingDays, firstInstant, startOfLastDays, yearlySpan } from "./days.ts";
import type { DateTest, In, InstantTest, IsSet, NumberTest, TextTest } from "./operand.ts";

export interface Sql {
  sql: string;
  parameters: (string | number)[];
}

/**
 * How to ask whether a contact is among others, such as those with a tag. `find`: the others are gathered, and contacts
 * are found by them. `gather`: they are gathered, and each contact is compared with them. `each`: asked contact by
 * contact.
 */
export type Membership = "find" | "gather" | "each";

export interface FilterContext {
  workspaceId: number;
  timezone: string;
  /** Milliseconds; decides what today is. */
  now: number;
  membership: Membership;
}

export function conditionSql(condition: Condition, context: FilterContext): Sql {
  switch (condition.kind) {
    case "text":
      return textSql(`contacts.${condition.column}`, condition.test);
    case "consent":
      return among("contacts.consent", condition.test.values);
    case "tag":
      return tagSql(condition.test, context);
    case "group":
      return groupSql(condition.test, context);
    case "instant":
      return instantSql(`contacts.${condition.column}`, condition.test, context);
    case "yearly":
      return yearlySql(condition.column, condition.test, context);
    case "custom_text":
      return fieldSql(condition, "text_value", (column) => textSql(column, condition.test), context);
    case "custom_choice":
      return fieldSql(condition, "text_value", (column) => choiceSql(column, condition.test), context);
    case "custom_number":
      return fieldSql(condition, "number_value", (column) => numberSql(column, condition.test), context);
    case "custom_date":
      return fieldSql(condition, "text_value", (column) => dateSql(column, condition.test, context), context);
  }
}

function textSql(column: string, test: TextTest): Sql {
  // Phone numbers have no case, and their index knows none to ignore.
  const compared = column === "contacts.phone" ? column : `${column} COLLATE NOCASE`;
  switch (test.op) {
    case "set":
      return isSet(column);
    case "in":
      return withValue(column, among(compared, [...new Set(test.values.flatMap(caseVariants))]));
    case "starts_with":
      return withValue(column, either(caseVariants(test.text).map((text) => startsWith(compared, text))));
    case "contains":
      return withValue(column, either(caseVariants(test.text).map((text) => contains(column, text))));
  }
}

/** The last character that Unicode has, and never gives to anybody. */
const LAST_CHARACTER = "\u{10FFFF}";

/** As a range, which an index can answer; a LIKE with a parameter can only be answered by one when it is prepared anew. */
function startsWith(column: string, text: string): Sql {
  return { sql: `(${column} >= ? AND ${column} < ?)`, parameters: [text, text + LAST_CHARACTER] };
}

function contains(column: string, text: string): Sql {
  return { sql: `${column} LIKE ? ESCAPE '\\'`, parameters: [`%${text.replace(/[\\%_]/g, "\\$&")}%`] };
}

/** The index knows no case, so it finds the candidates, and the second comparison the choice itself. */
function choiceSql(column: string, test: In<string> | IsSet): Sql {
  if (test.op === "set") return isSet(column);
  return withValue(column, both(among(`${column} COLLATE NOCASE`, test.values), among(column, test.values)));
}

function numberSql(column: string, test: NumberTest): Sql {
  switch (test.op) {
    case "set":
      return isSet(column);
    case "in":
      return withValue(column, among(column, test.values));
    case "over":
    case "under":
      return withValue(column, { sql: `${column} ${test.op === "over" ? ">" : "<"} ?`, parameters: [test.number] });
  }
}

/** `YYYY-MM-DD` sorts as the calendar does. */
function dateSql(column: string, test: DateTest, { now, timezone }: FilterContext): Sql {
  switch (test.op) {
    case "set":
      return isSet(column);
    case "in":
      return withValue(column, among(`${column} COLLATE NOCASE`, test.values));
    case "before":
    case "after":
      return withValue(column, beside(`${column} COLLATE NOCASE`, test.op, test.date));
    case "within_days": {
      const { from, to } = comingDays(now, timezone, test.days);
      return withValue(column, { sql: `${column} COLLATE NOCASE BETWEEN ? AND ?`, parameters: [from, to] });
    }
  }
}

/** A date alone is its first instant in the workspace's timezone. */
function instantSql(column: string, test: InstantTest, { now, timezone }: FilterContext): Sql {
  switch (test.op) {
    case "set":
      return isSet(column);
    case "before":
    case "after":
      return withValue(column, beside(column, test.op, firstInstant(test.date, timezone)));
    case "within_days":
      return withValue(column, { sql: `${column} >= ?`, parameters: [startOfLastDays(now, timezone, test.days)] });
  }
}

function yearlySql(column: "birthday" | "anniversary", test: DateTest, context: FilterContext): Sql {
  const own = yearlyDateSql(`contacts.${column}`, test, context);
  if (column === "anniversary") return own;
  // A birthday is that of anybody on the number. Both halves are gathered, for an OR over two tables uses no index.
  const others = yearlyDateSql("contact_people.birthday", test, context);
  const { membership, workspaceId } = context;
  if (membership === "each") return either([own, belongs("contact_people", others, context)]);
  return gathered(
    `SELECT contacts.id FROM contacts INDEXED BY contacts_birthday WHERE contacts.workspace_id = ? AND contacts.phone IS NOT NULL AND ${own.sql} ` +
      `UNION ALL SELECT contact_id FROM contact_people WHERE ${others.sql}`,
    [workspaceId, ...own.parameters, ...others.parameters],
    membership,
  );
}

function yearlyDateSql(column: string, test: DateTest, { now, timezone }: FilterContext): Sql {
  // The expression of the index: the last five characters of `YYYY-MM-DD` and of `--MM-DD`.
  const day = `substr(${column}, -5)`;
  switch (test.op) {
    case "set":
      return isSet(column);
    case "in": {
      const days = test.values.filter((date) => date.startsWith("--")).map((date) => date.slice(-5));
      const dates = test.values.filter((date) => !date.startsWith("--"));
      const onDates = both(among(day, [...new Set(dates.map((date) => date.slice(-5)))]), among(column, dates));
      return withValue(column, either([among(day, days), onDates]));
    }
    case "before":
    case "after":
      // Without its year a date is neither before nor after another; "-" sorts before every digit.
      return withValue(column, both(beside(column, test.op, test.date), { sql: `${column} >= '0'`, parameters: [] }));
    case "within_days": {
      const { from, to } = yearlySpan(now, timezone, test.days);
      const joint = from <= to ? "AND" : "OR";
      return withValue(column, { sql: `(${day} >= ? ${joint} ${day} <= ?)`, parameters: [from, to] });
    }
  }
}

function tagSql(test: In<string> | IsSet, context: FilterContext): Sql {
  if (test.op === "set") return belongs("contact_tags", ALWAYS, context);
  const tags = among("folded", [...new Set(test.values.map(foldName))]);
  const named: Sql = {
    sql: `tag_id IN (SELECT id FROM tags WHERE workspace_id = ? AND ${tags.sql})`,
    parameters: [context.workspaceId, ...tags.parameters],
  };
  return belongs("contact_tags", named, context);
}

function groupSql(test: In<string | number> | IsSet, context: FilterContext): Sql {
  if (test.op === "set") return belongs("group_members", ALWAYS, context);
  const ids = among(
    "id",
    test.values.filter((value) => typeof value === "number"),
  );
  const names = among("folded", test.values.filter((value) => typeof value === "string").map(foldName));
  const which = either([ids, names]);
  const named: Sql = {
    sql: `group_id IN (SELECT id FROM groups WHERE workspace_id = ? AND ${which.sql})`,
    parameters: [context.workspaceId, ...which.parameters],
  };
  return belongs("group_members", named, context);
}

function fieldSql(
  condition: Extract<Condition, { field: CustomField }>,
  column: "text_value" | "number_value",
  ask: (column: string) => Sql,
  context: FilterContext,
): Sql {
  const { sql, parameters } = ask(`contact_fields.${column}`);
  const which = { sql: `field_id = ? AND ${sql}`, parameters: [condition.field.id, ...parameters] };
  return belongs("contact_fields", which, context);
}

const ALWAYS: Sql = { sql: "1", parameters: [] };
const NEVER: Sql = { sql: "0", parameters: [] };

/** The contact has a row in `table` that meets `which`. */
function belongs(
  table: "contact_tags" | "group_members" | "contact_fields" | "contact_people",
  which: Sql,
  { membership }: FilterContext,
): Sql {
  if (membership !== "each")
    return gathered(`SELECT contact_id FROM ${table} WHERE ${which.sql}`, which.parameters, membership);
  const sql = `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.contact_id = contacts.id AND ${which.sql})`;
  return { sql, parameters: which.parameters };
}

/** The plus keeps SQLite from finding contacts by two sets at once: it would try every pair of their members. */
function gathered(select: string, parameters: Sql["parameters"], membership: "find" | "gather"): Sql {
  return { sql: `${membership === "find" ? "" : "+"}contacts.id IN (${select})`, parameters };
}

function isSet(column: string): Sql {
  return { sql: `${column} IS NOT NULL`, parameters: [] };
}

/** False instead of null where there is no value; said outright, for the indexes hold only rows with one. */
function withValue(column: string, { sql, parameters }: Sql): Sql {
  return { sql: `(${column} IS NOT NULL AND ${sql})`, parameters };
}

function beside(column: string, op: "before" | "after", value: string | number): Sql {
  return { sql: `${column} ${op === "before" ? "<" : ">"} ?`, parameters: [value] };
}

function among(column: string, values: readonly (string | number)[]): Sql {
  if (values.length === 0) return NEVER;
  return { sql: `${column} IN (${values.map(() => "?").join(", ")})`, parameters: [...values] };
}

function both(one: Sql, other: Sql): Sql {
  return { sql: `(${one.sql} AND ${other.sql})`, parameters: [...one.parameters, ...other.parameters] };
}

function either(all: readonly Sql[]): Sql {
  const possible = all.filter((one) => one.sql !== NEVER.sql);
  if (possible.length === 0) return NEVER;
  return {
    sql: `(${possible.map(({ sql }) => sql).join(" OR ")})`,
    parameters: possible.flatMap(({ parameters }) => parameters),
  };
}

const BEYOND_ASCII = /\P{ASCII}/u;

/** The text first, then its other spellings; only the text where SQLite can compare by itself. */
export function caseVariants(text: string): string[] {
  if (!BEYOND_ASCII.test(text)) return [text];
  const small = text.toLowerCase();
  const words = small.replace(/(?<![\p{L}\p{M}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase());
  return [...new Set([text, small, text.toUpperCase(), words])];
}
