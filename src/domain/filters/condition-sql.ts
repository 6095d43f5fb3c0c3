/**
 * Compiles a condition to an SQL expression about a row of `contacts`. Every value that a caller wrote is a `?`
 * parameter; column names come from this code alone. Every expression is true or false, never null, so that a negation
 * matches exactly the other contacts.
 */

import { withinBudget } from "#src/db/query-budget.ts";
import { prefixesOf } from "../contacts/country-prefix.ts";
import type { CustomField } from "../contacts/table.ts";
import { foldName } from "../groups/group.ts";
import type { Condition, YearlyColumn } from "./condition.ts";
import { comingDays, firstInstant, startOfLastDays, yearlySpan } from "./days.ts";
import type { DateTest, In, InstantTest, IsSet, NumberTest, TextTest } from "./operand.ts";

/** Contacts that can be sent to: by phone number, or by the network's user id. Word for word as in the partial indexes. */
export const ADDRESSABLE = "(contacts.phone IS NOT NULL OR contacts.network_user_id IS NOT NULL)";

export interface Sql {
  sql: string;
  parameters: (string | number)[];
}

/**
 * How to test whether a contact is in another set, such as the contacts with a tag. `find`: gather the set and look
 * contacts up by it. `gather`: gather the set and compare each contact with it. `each`: query the set for each contact.
 */
export type Membership = "find" | "gather" | "each";

export interface FilterContext {
  workspaceId: number;
  timezone: string;
  /** Milliseconds; determines today. */
  now: number;
  membership: Membership;
}

export function conditionSql(condition: Condition, context: FilterContext): Sql {
  switch (condition.kind) {
    case "text":
      return textSql(`contacts.${condition.column}`, condition.test);
    case "consent":
      return among("contacts.consent", condition.test.values);
    case "country":
      return either(condition.test.values.map(countrySql));
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
  // Phone numbers have no case, and their index is not NOCASE.
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

/** The highest code point of Unicode, which is never assigned. */
const LAST_CHARACTER = "\u{10FFFF}";

/**
 * A range, because an index can answer it. SQLite uses an index for LIKE with a parameter only if it prepares the
 * statement again for each value.
 */
function startsWith(column: string, text: string): Sql {
  return { sql: `(${column} >= ? AND ${column} < ?)`, parameters: [text, text + LAST_CHARACTER] };
}

function contains(column: string, text: string): Sql {
  return { sql: `${column} LIKE ? ESCAPE '\\'`, parameters: [`%${text.replace(/[\\%_]/g, "\\$&")}%`] };
}

/** The index is NOCASE: it finds the candidates, and the second comparison selects the exact choice. */
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

/** `YYYY-MM-DD` sorts in calendar order. */
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

/** A date without a time means its first instant in the workspace's timezone. */
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

function yearlySql(column: YearlyColumn, test: DateTest, context: FilterContext): Sql {
  const own = yearlyDateSql(`contacts.${column}`, test, context);
  if (column !== "birthday") return own;
  // A birthday matches any person on the number. Gather both halves, because an OR over two tables uses no index.
  const others = yearlyDateSql("contact_people.birthday", test, context);
  const { membership, workspaceId } = context;
  if (membership === "each") return either([own, belongs("contact_people", others, context)]);
  return gathered(
    `SELECT contacts.id FROM contacts INDEXED BY contacts_birthday WHERE contacts.workspace_id = ? AND ${ADDRESSABLE} AND ${withinBudget("contacts.id")} AND ${own.sql} ` +
      `UNION ALL SELECT contact_id FROM contact_people WHERE ${withinBudget("contact_id")} AND ${others.sql}`,
    [workspaceId, ...own.parameters, ...others.parameters],
    membership,
  );
}

function yearlyDateSql(column: string, test: DateTest, { now, timezone }: FilterContext): Sql {
  // The indexed expression: the last five characters of both `YYYY-MM-DD` and `--MM-DD`.
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
      // A date without a year is neither before nor after another. Its leading "-" sorts before every digit.
      return withValue(column, both(beside(column, test.op, test.date), { sql: `${column} >= '0'`, parameters: [] }));
    case "within_days": {
      const { from, to } = yearlySpan(now, timezone, test.days);
      const joint = from <= to ? "AND" : "OR";
      return withValue(column, { sql: `(${day} >= ? ${joint} ${day} <= ?)`, parameters: [from, to] });
    }
  }
}

/** True for the phone numbers of the country. Countries that share a calling code are found together, except +1 and +7. */
function countrySql(country: string): Sql {
  const prefixes = prefixesOf(country);
  const isOf = `substr(contacts.phone, 1, ${prefixes[0]?.length ?? 0}) IN (SELECT value FROM json_each(?))`;
  return { sql: `(contacts.phone IS NOT NULL AND ${isOf})`, parameters: [JSON.stringify(prefixes)] };
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
  // The plus keeps the primary key: per contact, a range of values within the field would be scanned again each time.
  const plus = context.membership === "each" ? "+" : "";
  const { sql, parameters } = ask(`${plus}contact_fields.${column}`);
  const which = { sql: `field_id = ? AND ${sql}`, parameters: [condition.field.id, ...parameters] };
  return belongs("contact_fields", which, context);
}

const ALWAYS: Sql = { sql: "1", parameters: [] };
const NEVER: Sql = { sql: "0", parameters: [] };

/** True if the contact has a row in `table` that meets `which`. */
function belongs(
  table: "contact_tags" | "group_members" | "contact_fields" | "contact_people",
  which: Sql,
  { membership }: FilterContext,
): Sql {
  if (membership !== "each")
    return gathered(
      `SELECT contact_id FROM ${table} WHERE ${withinBudget("contact_id")} AND ${which.sql}`,
      which.parameters,
      membership,
    );
  const sql = `EXISTS (SELECT 1 FROM ${table} WHERE ${table}.contact_id = contacts.id AND ${which.sql})`;
  return { sql, parameters: which.parameters };
}

/**
 * The unary plus prevents SQLite from looking contacts up by two sets at once: it would try every pair of their
 * members.
 */
function gathered(select: string, parameters: Sql["parameters"], membership: "find" | "gather"): Sql {
  return { sql: `${membership === "find" ? "" : "+"}contacts.id IN (${select})`, parameters };
}

function isSet(column: string): Sql {
  return { sql: `${column} IS NOT NULL`, parameters: [] };
}

/**
 * Makes the expression false instead of null if there is no value. The explicit IS NOT NULL also lets SQLite use the
 * partial indexes.
 */
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

export function both(one: Sql, other: Sql): Sql {
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

/** The text followed by its case variants; only the text if it is ASCII, which SQLite compares without case itself. */
export function caseVariants(text: string): string[] {
  if (!BEYOND_ASCII.test(text)) return [text];
  const small = text.toLowerCase();
  const words = small.replace(/(?<![\p{L}\p{M}\p{N}'’])\p{L}/gu, (letter) => letter.toUpperCase());
  return [...new Set([text, small, text.toUpperCase(), words])];
}
