/**
 * Whether a contact matches a filter, decided on plain objects straight from the filter's JSON: a second opinion on the
 * SQL, written without looking at it.
 */
export interface OracleContact {
  phone: string | null;
  texts: Partial<Record<string, string>>;
  birthday: string | null;
  anniversary: string | null;
  consent: string;
  created_at: number;
  updated_at: number;
  last_message_at: number | null;
  tags: string[];
  groups: { id: number; name: string }[];
  fields: Record<string, string | number | boolean>;
  /** Birthdays of the identity's other contacts. */
  people: (string | null)[];
}

export interface OracleContext {
  timezone: string;
  now: number;
  /** Kinds of the custom fields, by key. */
  kinds: Record<string, string>;
}

type Json = Record<string, unknown>;

export function meets(json: unknown, contact: OracleContact, context: OracleContext): boolean {
  const node = json as Json;
  if (Array.isArray(node.all)) return node.all.every((part) => meets(part, contact, context));
  if (Array.isArray(node.any)) return node.any.some((part) => meets(part, contact, context));
  if ("not" in node) return !meets(node.not, contact, context);
  const { field, ...rest } = node;
  const [operator, operand] = Object.entries(rest)[0] ?? ["", null];
  if (operator === "is_not") return !meets({ field, is: operand }, contact, context);
  const values = valuesOf(String(field), contact);
  if (operator === "set") return values.length > 0 === operand;
  return values.some((value) => holds(kindOf(String(field), context), operator, value, operand, context));
}

function valuesOf(field: string, contact: OracleContact): unknown[] {
  if (field === "tag") return contact.tags;
  if (field === "group") return contact.groups;
  if (field === "birthday") return [contact.birthday, ...contact.people].filter((date) => date !== null);
  if (field.startsWith("fields.")) return [contact.fields[field.slice(7)]].filter((value) => value !== undefined);
  const value = field in contact ? contact[field as keyof OracleContact] : contact.texts[field];
  return value === null || value === undefined ? [] : [value];
}

function kindOf(field: string, { kinds }: OracleContext): string {
  if (field.startsWith("fields.")) return kinds[field.slice(7)] ?? "";
  if (field.endsWith("_at")) return "moment";
  if (field === "birthday" || field === "anniversary") return "yearly";
  return field === "tag" || field === "group" || field === "consent" ? field : "text";
}

function holds(kind: string, operator: string, value: unknown, operand: unknown, context: OracleContext): boolean {
  if (operator === "in") return (operand as unknown[]).some((one) => holds(kind, "is", value, one, context));
  switch (kind) {
    case "tag":
      return String(value).toLowerCase() === String(operand).toLowerCase();
    case "group": {
      const { id, name } = value as { id: number; name: string };
      return typeof operand === "number" ? id === operand : name.toLowerCase() === String(operand).toLowerCase();
    }
    case "text":
      return spelled(String(operand)).some((wanted) => {
        const text = ascii(String(value));
        if (operator === "contains") return text.includes(wanted);
        return operator === "starts_with" ? text.startsWith(wanted) : text === wanted;
      });
    case "number":
      return compare(operator, Number(value), Number(operand));
    case "date":
      if (operator !== "within_days") return compare(operator, String(value), String(operand));
      return upcoming(Number(operand), context).some((day) => day.toString() === value);
    case "yearly":
      return yearly(operator, String(value), operand, context);
    case "moment": {
      const zone = context.timezone;
      const at = Temporal.Instant.fromEpochMilliseconds(Number(value)).toZonedDateTimeISO(zone);
      if (operator === "within_days") {
        return Temporal.PlainDate.compare(at.toPlainDate(), today(context).subtract({ days: Number(operand) })) >= 0;
      }
      const text = String(operand);
      const other = text.includes("T")
        ? Temporal.Instant.from(text)
        : Temporal.PlainDate.from(text).toZonedDateTime(zone);
      return compare(operator, Number(value), other.epochMilliseconds);
    }
    default:
      return value === operand;
  }
}

function yearly(operator: string, value: string, operand: unknown, context: OracleContext): boolean {
  const [month, day] = value.slice(-5).split("-").map(Number);
  if (operator === "within_days") {
    return upcoming(Number(operand), context).some(
      (date) =>
        (date.month === month && date.day === day) ||
        (month === 2 && day === 29 && date.month === 2 && date.day === 28 && !date.inLeapYear),
    );
  }
  if (operator === "is")
    return String(operand).startsWith("--") ? value.endsWith(String(operand).slice(2)) : value === operand;
  return !value.startsWith("--") && compare(operator, value, String(operand));
}

function compare<Value extends string | number>(operator: string, value: Value, other: Value): boolean {
  if (operator === "over" || operator === "after") return value > other;
  return operator === "under" || operator === "before" ? value < other : value === other;
}

function today({ now, timezone }: OracleContext): Temporal.PlainDate {
  return Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(timezone).toPlainDate();
}

function upcoming(days: number, context: OracleContext): Temporal.PlainDate[] {
  return Array.from({ length: days + 1 }, (_, index) => today(context).add({ days: index }));
}

function ascii(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

/**
 * The text as given, in lower case, in upper case, and capitalised: the forms that a case-insensitive comparison must
 * find.
 */
function spelled(text: string): string[] {
  const words = text
    .toLowerCase()
    .split(/(?<=[^\p{L}\p{M}\p{N}'’])/u)
    .map((word) => [...word].map((letter, index) => (index === 0 ? letter.toUpperCase() : letter)).join(""));
  return [text, text.toLowerCase(), text.toUpperCase(), words.join("")].map(ascii);
}
