/**
 * Filters as sentences: the comparisons that each field allows, and the conversion to and from the server's filter. A
 * filter that sentences cannot express is shown, but not editable.
 */
import { type ProfileKind, profileFields, profileNames } from "#src/domain/contacts/profile-fields.ts";
import type { CustomField } from "../developer/custom-fields.tsx";
import { countries } from "../workspaces/countries.ts";
import { strings } from "./strings.ts";

/** The input of a comparison's value. */
type Input = "none" | "text" | "choice" | "number" | "date" | "days";

export interface Comparison {
  /** Unique within a field. */
  id: string;
  label: string;
  input: Input;
  /** The filter's operator. `value`: a fixed operand, for comparisons without an input. */
  operator: string;
  value?: unknown;
}

export interface FilterField {
  /** The field's name in the filter. */
  id: string;
  label: string;
  comparisons: readonly Comparison[];
  /** For the input "choice". */
  choices?: readonly { value: string; label: string }[];
}

export interface FilterCondition {
  field: string;
  comparison: string;
  value: string;
}

export interface FilterConditions {
  match: "all" | "any";
  conditions: FilterCondition[];
}

const a = strings.comparisons;
const filled: Comparison[] = [
  { id: "filled", label: a.filled, input: "none", operator: "set", value: true },
  { id: "empty", label: a.empty, input: "none", operator: "set", value: false },
];
const text: Comparison[] = [
  { id: "is", label: a.is, input: "text", operator: "is" },
  { id: "is_not", label: a.isNot, input: "text", operator: "is_not" },
  { id: "contains", label: a.contains, input: "text", operator: "contains" },
  { id: "starts_with", label: a.startsWith, input: "text", operator: "starts_with" },
  ...filled,
];
const number: Comparison[] = [
  { id: "is", label: a.is, input: "number", operator: "is" },
  { id: "over", label: a.over, input: "number", operator: "over" },
  { id: "under", label: a.under, input: "number", operator: "under" },
  ...filled,
];
const one: Comparison[] = [
  { id: "is", label: a.is, input: "choice", operator: "is" },
  { id: "is_not", label: a.isNot, input: "choice", operator: "is_not" },
];
const yearly: Comparison[] = [
  { id: "today", label: a.today, input: "none", operator: "within_days", value: 0 },
  { id: "within_days", label: a.nextDays, input: "days", operator: "within_days" },
  ...filled,
];
const moment: Comparison[] = [
  { id: "within_days", label: a.lastDays, input: "days", operator: "within_days" },
  { id: "after", label: a.wasAfter, input: "date", operator: "after" },
  { id: "before", label: a.wasBefore, input: "date", operator: "before" },
];
const date: Comparison[] = [
  { id: "is", label: a.is, input: "date", operator: "is" },
  { id: "after", label: a.after, input: "date", operator: "after" },
  { id: "before", label: a.before, input: "date", operator: "before" },
  { id: "within_days", label: a.nextDays, input: "days", operator: "within_days" },
  ...filled,
];
const yesNo: Comparison[] = [
  { id: "yes", label: a.yes, input: "none", operator: "is", value: true },
  { id: "no", label: a.no, input: "none", operator: "is", value: false },
  ...filled,
];
const tag: Comparison[] = [
  { id: "is", label: a.tag, input: "text", operator: "is" },
  { id: "is_not", label: a.noTag, input: "text", operator: "is_not" },
];

const comparisonsOfProfile = { text, email: text, date: yearly } as const satisfies Record<ProfileKind, unknown>;
const profile = profileNames.map((id) => {
  const { label, kind } = profileFields[id];
  return { id, label, kind, comparisons: comparisonsOfProfile[kind] };
});

/** All fields that can be filtered by in this workspace, those that are asked for most often first. */
export function filterFields(
  custom: readonly CustomField[],
  groups: readonly { id: number; name: string }[],
): FilterField[] {
  const f = strings.fields;
  const own: FilterField[] = [
    ...profile.filter(({ id }) => id === "city"),
    { id: "tag", label: f.tag, comparisons: tag },
    {
      id: "group",
      label: f.group,
      comparisons: [
        { id: "is", label: a.group, input: "choice", operator: "is" },
        { id: "is_not", label: a.noGroup, input: "choice", operator: "is_not" },
      ],
      choices: groups.map(({ id, name }) => ({ value: String(id), label: name })),
    },
    {
      id: "consent",
      label: f.consent,
      comparisons: one,
      choices: Object.entries(strings.consents).map(([value, label]) => ({ value, label })),
    },
    { id: "last_message_at", label: f.last_message_at, comparisons: [...moment, ...wrote] },
    ...profile.filter(({ kind }) => kind === "date"),
    ...profile.filter(({ id, kind }) => id !== "city" && kind !== "date"),
    {
      id: "country",
      label: f.country,
      comparisons: one,
      choices: countries().map(({ code, name }) => ({ value: code, label: name })),
    },
    { id: "phone", label: f.phone, comparisons: text.filter(({ input }) => input === "text") },
    { id: "username", label: f.username, comparisons: text },
    { id: "user_id", label: f.user_id, comparisons: text },
    { id: "created_at", label: f.created_at, comparisons: moment },
    { id: "updated_at", label: f.updated_at, comparisons: moment },
  ];
  const comparisonsOfKind = { text, number, date, boolean: yesNo, choice: [...one, ...filled] } as const;
  return [
    // Offer "group" only if a static group exists.
    ...own.filter(({ id }) => id !== "group" || groups.length > 0),
    ...custom.map(({ key, label, kind, choices }) => ({
      id: `fields.${key}`,
      label,
      comparisons: comparisonsOfKind[kind],
      ...(choices === null ? {} : { choices: choices.map((choice) => ({ value: choice, label: choice })) }),
    })),
  ];
}

const wrote: Comparison[] = [
  { id: "filled", label: a.ever, input: "none", operator: "set", value: true },
  { id: "empty", label: a.never, input: "none", operator: "set", value: false },
];

export function newCondition(field: FilterField): FilterCondition {
  const [comparison] = field.comparisons;
  return { field: field.id, comparison: comparison?.id ?? "", value: field.choices?.[0]?.value ?? "" };
}

/** The server's filter; null while a sentence is incomplete. */
export function toFilter({ match, conditions }: FilterConditions, fields: readonly FilterField[]): unknown {
  if (conditions.length === 0) return null;
  const compiled = conditions.map((condition) => {
    const field = fields.find(({ id }) => id === condition.field);
    const comparison = field?.comparisons.find(({ id }) => id === condition.comparison);
    if (field === undefined || comparison === undefined) return null;
    const value = parseValue(comparison, field, condition.value);
    return value === undefined ? null : { field: field.id, [comparison.operator]: value };
  });
  return compiled.includes(null) ? null : { [match]: compiled };
}

function parseValue(comparison: Comparison, field: FilterField, text: string): unknown {
  const trimmed = text.trim();
  switch (comparison.input) {
    case "none":
      return comparison.value;
    case "number":
    case "days":
      return trimmed === "" || !Number.isFinite(Number(trimmed)) ? undefined : Number(trimmed);
    case "choice":
      return trimmed === "" ? undefined : field.id === "group" ? Number(trimmed) : trimmed;
    default:
      return trimmed === "" ? undefined : trimmed;
  }
}

/** The filter as editable sentences; null if sentences cannot express it. */
export function fromFilter(filter: unknown, fields: readonly FilterField[]): FilterConditions | null {
  const read = readConditions(filter);
  if (read === null) return null;
  const conditions = read.conditions.map((condition) => {
    const found = readCondition(condition, fields);
    if (found === null) return null;
    const { field, comparison, value } = found;
    const known = field.choices === undefined || field.choices.some((choice) => choice.value === String(value));
    if (comparison.input === "choice" && !known) return null;
    return { field: field.id, comparison: comparison.id, value: comparison.input === "none" ? "" : String(value) };
  });
  const whole = conditions.filter((condition) => condition !== null);
  return whole.length < conditions.length ? null : { match: read.match, conditions: whole };
}

/** The filter in words, read-only; null if sentences cannot express it. */
export function describe(filter: unknown, fields: readonly FilterField[]): string[] | null {
  const read = readConditions(filter);
  if (read === null) return null;
  const lines = read.conditions.map((condition) => {
    const found = readCondition(condition, fields);
    if (found === null) return null;
    const { field, comparison, value } = found;
    const shown = field.choices?.find((choice) => choice.value === String(value))?.label ?? String(value);
    if (comparison.input === "none") return `${field.label} ${comparison.label}`;
    return comparison.input === "days"
      ? `${field.label} ${comparison.label} ${strings.days(Number(value))}`
      : `${field.label} ${comparison.label} ${shown}`;
  });
  const whole = lines.filter((line) => line !== null);
  if (whole.length < lines.length) return null;
  return whole.map((line, index) => (index === 0 ? line : `${strings.conjunctions[read.match]} ${line}`));
}

/** A condition as the parts of a sentence, null if a sentence cannot express it. */
function readCondition(
  condition: Record<string, unknown>,
  fields: readonly FilterField[],
): { field: FilterField; comparison: Comparison; value: unknown } | null {
  const { field: id, ...operators } = condition;
  const field = fields.find((known) => known.id === id);
  const [[operator, value] = ["", null]] = Object.entries(operators);
  const comparison =
    field?.comparisons.find(
      (known) => known.operator === operator && known.input === "none" && known.value === value,
    ) ?? field?.comparisons.find((known) => known.operator === operator && known.input !== "none");
  return field === undefined || comparison === undefined || typeof value === "object"
    ? null
    : { field, comparison, value };
}

function readConditions(filter: unknown): { match: "all" | "any"; conditions: Record<string, unknown>[] } | null {
  if (typeof filter !== "object" || filter === null) return null;
  if ("field" in filter) return { match: "all", conditions: [filter as Record<string, unknown>] };
  for (const match of ["all", "any"] as const) {
    const conditions = (filter as Record<string, unknown>)[match];
    if (!Array.isArray(conditions)) continue;
    if (
      conditions.every(
        (condition: unknown) => typeof condition === "object" && condition !== null && "field" in condition,
      )
    ) {
      return { match, conditions };
    }
  }
  return null;
}
