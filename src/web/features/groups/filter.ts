/**
 * A filter as sentences: what can be asked of which field, in words, and the way to and from the filter that the server
 * reads. A filter that was written elsewhere and goes deeper than a list of sentences is shown, not edited.
 */
import type { CustomField } from "../developer/custom-fields.tsx";
import { words } from "./strings.ts";

/** What stands behind the words of a sentence: nothing, a text, one of some, a number, a date. */
export type Input = "none" | "text" | "choice" | "number" | "date" | "days";

export interface Ask {
  /** Unique among those of a field. */
  id: string;
  label: string;
  input: Input;
  /** The filter's operator; `value`: fixed, where nothing is asked. */
  operator: string;
  value?: unknown;
}

export interface FilterField {
  /** As the filter names it. */
  id: string;
  label: string;
  asks: readonly Ask[];
  /** For the input of one of some. */
  choices?: readonly { value: string; label: string }[];
}

export interface Sentence {
  field: string;
  ask: string;
  value: string;
}

export interface Sentences {
  joint: "all" | "any";
  sentences: Sentence[];
}

const a = words.asks;
const filled: Ask[] = [
  { id: "filled", label: a.filled, input: "none", operator: "set", value: true },
  { id: "empty", label: a.empty, input: "none", operator: "set", value: false },
];
const text: Ask[] = [
  { id: "is", label: a.is, input: "text", operator: "is" },
  { id: "is_not", label: a.isNot, input: "text", operator: "is_not" },
  { id: "contains", label: a.contains, input: "text", operator: "contains" },
  { id: "starts_with", label: a.startsWith, input: "text", operator: "starts_with" },
  ...filled,
];
const number: Ask[] = [
  { id: "is", label: a.is, input: "number", operator: "is" },
  { id: "over", label: a.over, input: "number", operator: "over" },
  { id: "under", label: a.under, input: "number", operator: "under" },
  ...filled,
];
const one: Ask[] = [
  { id: "is", label: a.is, input: "choice", operator: "is" },
  { id: "is_not", label: a.isNot, input: "choice", operator: "is_not" },
];
const yearly: Ask[] = [
  { id: "today", label: a.today, input: "none", operator: "within_days", value: 0 },
  { id: "within_days", label: a.nextDays, input: "days", operator: "within_days" },
  ...filled,
];
const moment: Ask[] = [
  { id: "within_days", label: a.lastDays, input: "days", operator: "within_days" },
  { id: "after", label: a.wasAfter, input: "date", operator: "after" },
  { id: "before", label: a.wasBefore, input: "date", operator: "before" },
];
const date: Ask[] = [
  { id: "is", label: a.is, input: "date", operator: "is" },
  { id: "after", label: a.after, input: "date", operator: "after" },
  { id: "before", label: a.before, input: "date", operator: "before" },
  { id: "within_days", label: a.nextDays, input: "days", operator: "within_days" },
  ...filled,
];
const yesNo: Ask[] = [
  { id: "yes", label: a.yes, input: "none", operator: "is", value: true },
  { id: "no", label: a.no, input: "none", operator: "is", value: false },
  ...filled,
];
const tag: Ask[] = [
  { id: "is", label: a.tag, input: "text", operator: "is" },
  { id: "is_not", label: a.noTag, input: "text", operator: "is_not" },
];

/** Every field that can be asked of in this workspace. */
export function filterFields(
  custom: readonly CustomField[],
  groups: readonly { id: number; name: string }[],
): FilterField[] {
  const f = words.fields;
  const own: FilterField[] = [
    { id: "city", label: f.city, asks: text },
    { id: "tag", label: f.tag, asks: tag },
    {
      id: "group",
      label: f.group,
      asks: [
        { id: "is", label: a.group, input: "choice", operator: "is" },
        { id: "is_not", label: a.noGroup, input: "choice", operator: "is_not" },
      ],
      choices: groups.map(({ id, name }) => ({ value: String(id), label: name })),
    },
    {
      id: "consent",
      label: f.consent,
      asks: one,
      choices: Object.entries(words.consents).map(([value, label]) => ({ value, label })),
    },
    { id: "last_message_at", label: f.last_message_at, asks: [...moment, ...wrote] },
    { id: "birthday", label: f.birthday, asks: yearly },
    { id: "anniversary", label: f.anniversary, asks: yearly },
    { id: "name", label: f.name, asks: text },
    { id: "first_name", label: f.first_name, asks: text },
    { id: "last_name", label: f.last_name, asks: text },
    { id: "phone", label: f.phone, asks: text.filter(({ input }) => input === "text") },
    { id: "email", label: f.email, asks: text },
    { id: "state", label: f.state, asks: text },
    { id: "postal_code", label: f.postal_code, asks: text },
    { id: "company", label: f.company, asks: text },
    { id: "created_at", label: f.created_at, asks: moment },
    { id: "updated_at", label: f.updated_at, asks: moment },
  ];
  const asksOf = { text, number, date, boolean: yesNo, choice: [...one, ...filled] } as const;
  return [
    // A group can only be asked for where there is a list.
    ...own.filter(({ id }) => id !== "group" || groups.length > 0),
    ...custom.map(({ key, label, kind, choices }) => ({
      id: `fields.${key}`,
      label,
      asks: asksOf[kind],
      ...(choices === null ? {} : { choices: choices.map((choice) => ({ value: choice, label: choice })) }),
    })),
  ];
}

const wrote: Ask[] = [
  { id: "filled", label: a.ever, input: "none", operator: "set", value: true },
  { id: "empty", label: a.never, input: "none", operator: "set", value: false },
];

export function newSentence(field: FilterField): Sentence {
  const [ask] = field.asks;
  return { field: field.id, ask: ask?.id ?? "", value: field.choices?.[0]?.value ?? "" };
}

/** Null while a sentence is unfinished. */
export function toFilter({ joint, sentences }: Sentences, fields: readonly FilterField[]): unknown {
  if (sentences.length === 0) return null;
  const parts = sentences.map((sentence) => {
    const field = fields.find(({ id }) => id === sentence.field);
    const ask = field?.asks.find(({ id }) => id === sentence.ask);
    if (field === undefined || ask === undefined) return null;
    const value = givenValue(ask, field, sentence.value);
    return value === undefined ? null : { field: field.id, [ask.operator]: value };
  });
  return parts.includes(null) ? null : { [joint]: parts };
}

function givenValue(ask: Ask, field: FilterField, text: string): unknown {
  const given = text.trim();
  switch (ask.input) {
    case "none":
      return ask.value;
    case "number":
    case "days":
      return given === "" || !Number.isFinite(Number(given)) ? undefined : Number(given);
    case "choice":
      return given === "" ? undefined : field.id === "group" ? Number(given) : given;
    default:
      return given === "" ? undefined : given;
  }
}

/** As sentences that can be edited; null where it goes deeper than they can say. */
export function fromFilter(filter: unknown, fields: readonly FilterField[]): Sentences | null {
  const read = readSentences(filter);
  if (read === null) return null;
  const sentences = read.parts.map((part) => {
    const found = readPart(part, fields);
    if (found === null) return null;
    const { field, ask, value } = found;
    const known = field.choices === undefined || field.choices.some((choice) => choice.value === String(value));
    if (ask.input === "choice" && !known) return null;
    return { field: field.id, ask: ask.id, value: ask.input === "none" ? "" : String(value) };
  });
  const whole = sentences.filter((sentence) => sentence !== null);
  return whole.length < sentences.length ? null : { joint: read.joint, sentences: whole };
}

/** In words, for people who only look; null where it goes deeper than sentences. */
export function describe(filter: unknown, fields: readonly FilterField[]): string[] | null {
  const read = readSentences(filter);
  if (read === null) return null;
  const lines = read.parts.map((part) => {
    const found = readPart(part, fields);
    if (found === null) return null;
    const { field, ask, value } = found;
    const shown = field.choices?.find((choice) => choice.value === String(value))?.label ?? String(value);
    if (ask.input === "none") return `${field.label} ${ask.label}`;
    return ask.input === "days"
      ? `${field.label} ${ask.label} ${words.days(Number(value))}`
      : `${field.label} ${ask.label} ${shown}`;
  });
  const whole = lines.filter((line) => line !== null);
  if (whole.length < lines.length) return null;
  return whole.map((line, index) => (index === 0 ? line : `${words.joints[read.joint]} ${line}`));
}

/** What a condition asks, as far as a sentence can say it. */
function readPart(
  part: Record<string, unknown>,
  fields: readonly FilterField[],
): { field: FilterField; ask: Ask; value: unknown } | null {
  const { field: id, ...operators } = part;
  const field = fields.find((known) => known.id === id);
  const [[operator, value] = ["", null]] = Object.entries(operators);
  const ask =
    field?.asks.find((known) => known.operator === operator && known.input === "none" && known.value === value) ??
    field?.asks.find((known) => known.operator === operator && known.input !== "none");
  return field === undefined || ask === undefined || typeof value === "object" ? null : { field, ask, value };
}

function readSentences(filter: unknown): { joint: "all" | "any"; parts: Record<string, unknown>[] } | null {
  if (typeof filter !== "object" || filter === null) return null;
  if ("field" in filter) return { joint: "all", parts: [filter as Record<string, unknown>] };
  for (const joint of ["all", "any"] as const) {
    const parts = (filter as Record<string, unknown>)[joint];
    if (!Array.isArray(parts)) continue;
    if (parts.every((part: unknown) => typeof part === "object" && part !== null && "field" in part)) {
      return { joint, parts };
    }
  }
  return null;
}
