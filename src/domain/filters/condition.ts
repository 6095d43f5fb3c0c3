/**
 * Reads one condition of a filter: checks that the field allows the operator and that the value fits. Negations are
 * returned separately (`is_not` negates `is`, `"set": false` negates `"set": true`), so that a contact without a value
 * matches every negation and nothing else.
 */
import type { Consent } from "../contacts/consent.ts";
import { type ProfileNameOf, profileNamesOf } from "../contacts/profile-fields.ts";
import type { CustomField } from "../contacts/table.ts";
import {
  type DateTest,
  type In,
  type InstantTest,
  type IsSet,
  type NumberTest,
  type Operand,
  type ParseState,
  readBooleanTest,
  readChoiceTest,
  readConsentTest,
  readCountryTest,
  readDateTest,
  readInstantTest,
  readNameTest,
  readNumberTest,
  readPhoneTest,
  readTextTest,
  readYearlyTest,
  refuse,
  type TextTest,
} from "./operand.ts";

const textColumns = profileNamesOf("text", "email");
const yearlyColumns = profileNamesOf("date");
const instantColumns = ["created_at", "updated_at", "last_message_at"] as const;

type TextColumn = ProfileNameOf<"text" | "email"> | "phone" | "username" | "network_user_id";
export type YearlyColumn = ProfileNameOf<"date">;
type InstantColumn = (typeof instantColumns)[number];

export type Condition =
  /** A phone number is compared in every E.164 form in which it may be stored. */
  | { kind: "text"; column: TextColumn; test: TextTest }
  | { kind: "consent"; test: In<Consent> }
  /** Of the phone number; ISO 3166. */
  | { kind: "country"; test: In<string> }
  | { kind: "tag"; test: In<string> | IsSet }
  /** A number is a group's id, a string its name; `path` is the group's path in the filter. */
  | { kind: "group"; test: In<string | number> | IsSet; path: string }
  | { kind: "instant"; column: InstantColumn; test: InstantTest }
  /** Compared by month and day if the year is omitted. A birthday matches any person on the number. */
  | { kind: "yearly"; column: YearlyColumn; test: DateTest }
  | { kind: "custom_text"; field: CustomField; test: TextTest }
  | { kind: "custom_choice"; field: CustomField; test: In<string> | IsSet }
  /** A number, or a boolean as 0 or 1. */
  | { kind: "custom_number"; field: CustomField; test: NumberTest }
  | { kind: "custom_date"; field: CustomField; test: DateTest };

const operators = [
  "is",
  "is_not",
  "in",
  "contains",
  "starts_with",
  "set",
  "over",
  "under",
  "before",
  "after",
  "within_days",
] as const;
type Operator = (typeof operators)[number];

/** Operators that each kind of field allows, in the order in which errors list them. */
const operatorsOf = {
  text: ["is", "is_not", "in", "contains", "starts_with", "set"],
  number: ["is", "is_not", "in", "over", "under", "set"],
  boolean: ["is", "is_not", "set"],
  date: ["is", "is_not", "in", "before", "after", "within_days", "set"],
  moment: ["before", "after", "within_days", "set"],
  choice: ["is", "is_not", "in", "set"],
  consent: ["is", "is_not", "in"],
} as const satisfies Record<string, readonly Operator[]>;

const builtIn = [
  ...["phone", ...textColumns, ...yearlyColumns, "consent", "tag", "group", ...instantColumns],
  ...["user_id", "username", "country"],
];

interface ReadCondition {
  condition: Condition;
  isNegated: boolean;
}

/** Returns null if the condition is invalid; `state` then holds the problems. */
export function readCondition(node: Record<string, unknown>, path: string, state: ParseState): ReadCondition | null {
  const { field, ...others } = node;
  const names = Object.keys(others);
  const unknown = names.filter((name) => !isOperator(name));
  for (const name of unknown) {
    refuse(state, `${path}.${name}`, `Unknown operator. The operators are ${list(operators)}.`);
  }
  const named = names.filter(isOperator);
  if (named.length > 1) {
    refuse(
      state,
      path,
      `A condition has one operator, this one has ${list(named, "and")}; put the others into conditions of their own under "all".`,
    );
  } else if (named.length === 0 && unknown.length === 0) {
    refuse(state, path, `A condition needs an operator with a value, as in {"field": "city", "is": "Pune"}.`);
  }
  const reader = findReader(field, path, state);
  const operator = named[0];
  if (reader === null || operator === undefined || named.length > 1 || unknown.length > 0) return null;

  if (!reader.operators.includes(operator)) {
    refuse(
      state,
      `${path}.${operator}`,
      `${String(field)} is ${reader.noun}: ask for it with ${list(reader.operators)}.`,
    );
    return null;
  }
  const operand: Operand = {
    operator: operator === "is_not" ? "is" : operator,
    value: node[operator],
    path: `${path}.${operator}`,
    state,
  };
  const condition = reader.read(operand);
  if (condition === null) return null;
  return { condition, isNegated: operator === "is_not" || (operator === "set" && operand.value === false) };
}

interface FieldReader {
  /** What the field holds, as error messages name it. */
  noun: string;
  operators: readonly Operator[];
  read: (operand: Operand) => Condition | null;
}

function findReader(field: unknown, path: string, state: ParseState): FieldReader | null {
  if (typeof field !== "string") {
    const what = field === undefined ? "A condition needs a field" : "The name of a field must be a text";
    refuse(state, `${path}.field`, `${what}: ${list(builtIn)}, or fields. and a custom field's key.`);
    return null;
  }
  const reader = field.startsWith("fields.") ? customReader(field.slice(7), path, state) : builtInReader(field);
  if (reader !== undefined) return reader;
  const custom = state.fields.find(({ key }) => key === field);
  const right =
    custom === undefined ? `there are ${list(builtIn)}, and custom fields as fields.KEY` : `write fields.${custom.key}`;
  refuse(state, `${path}.field`, `A contact has no field ${field}; ${right}.`);
  return null;
}

function builtInReader(name: string): FieldReader | undefined {
  const text = textColumns.find((column) => column === name);
  if (text !== undefined)
    return reader("a text", operatorsOf.text, readTextTest, (test) => ({ kind: "text", column: text, test }));
  const yearly = yearlyColumns.find((column) => column === name);
  if (yearly !== undefined) {
    return reader("a date", operatorsOf.date, readYearlyTest, (test) => ({ kind: "yearly", column: yearly, test }));
  }
  const instant = instantColumns.find((column) => column === name);
  if (instant !== undefined) {
    return reader("a moment", operatorsOf.moment, readInstantTest, (test) => ({
      kind: "instant",
      column: instant,
      test,
    }));
  }
  switch (name) {
    case "phone":
      return reader("a phone number", operatorsOf.text, readPhoneTest, (test) => ({
        kind: "text",
        column: "phone",
        test,
      }));
    case "user_id":
    case "username": {
      const column = name === "username" ? name : "network_user_id";
      return reader("a text", operatorsOf.text, readTextTest, (test) => ({ kind: "text", column, test }));
    }
    case "consent":
      return reader("a consent", operatorsOf.consent, readConsentTest, (test) => ({ kind: "consent", test }));
    case "country":
      return reader("a country", operatorsOf.consent, readCountryTest, (test) => ({ kind: "country", test }));
    case "tag":
      return reader("a tag", operatorsOf.choice, tagTest, (test) => ({ kind: "tag", test }));
    case "group":
      return reader("a group", operatorsOf.choice, groupTest, (test, { path }) => ({ kind: "group", test, path }));
    default:
      return undefined;
  }
}

function tagTest(operand: Operand): In<string> | IsSet | null {
  return readNameTest(operand, "A tag is named by a text.", (value) => typeof value === "string");
}

function groupTest(operand: Operand): In<string | number> | IsSet | null {
  const isGroup = (value: unknown): value is string | number =>
    typeof value === "string" || Number.isSafeInteger(value);
  return readNameTest(operand, "A group is named by its name, or by its id as a whole number.", isGroup);
}

/** Returns null if the custom field does not exist; `state` then holds the problem. */
function customReader(key: string, path: string, state: ParseState): FieldReader | null {
  const field = state.fields.find((known) => known.key === key);
  if (field === undefined) {
    const right =
      state.fields.length === 0
        ? "the workspace has none"
        : `there are ${list(state.fields.map((known) => known.key))}`;
    refuse(state, `${path}.field`, `There is no custom field ${key}; ${right}.`);
    return null;
  }
  switch (field.kind) {
    case "text":
      return reader("a text", operatorsOf.text, readTextTest, (test) => ({ kind: "custom_text", field, test }));
    case "choice":
      return reader(
        "a choice",
        operatorsOf.choice,
        (operand) => readChoiceTest(operand, field.choices ?? []),
        (test) => ({
          kind: "custom_choice",
          field,
          test,
        }),
      );
    case "number":
      return reader("a number", operatorsOf.number, readNumberTest, (test) => ({ kind: "custom_number", field, test }));
    case "boolean":
      return reader("true or false", operatorsOf.boolean, readBooleanTest, (test) => ({
        kind: "custom_number",
        field,
        test,
      }));
    case "date":
      return reader("a date", operatorsOf.date, readDateTest, (test) => ({ kind: "custom_date", field, test }));
  }
}

function reader<Test>(
  noun: string,
  allowed: readonly Operator[],
  readTest: (operand: Operand) => Test | null,
  make: (test: Test, operand: Operand) => Condition,
): FieldReader {
  return {
    noun,
    operators: allowed,
    read: (operand) => {
      const test = readTest(operand);
      return test === null ? null : make(test, operand);
    },
  };
}

function isOperator(name: string): name is Operator {
  return operators.some((operator) => operator === name);
}

function list(words: readonly string[], joint = "or"): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} ${joint} ${words.at(-1)}`;
}
