/** Converts template values and the header file in request bodies from JSON. */
import { type FieldFault, type FieldProblems, unknownName } from "#src/core/fault.ts";

/** The network refuses more consecutive spaces. */
const SPACES_MAX = 4;

/** Converts the value at `path`; adds any mistake to `fields`. */
export type ReadValue<Value> = (raw: unknown, path: string, fields: FieldProblems) => Value;

interface ReadVariables<Value> {
  /** Given as one list, which fills the body. */
  isList: boolean;
  header: Value[];
  body: Value[];
}

/** Accepts a list for the body, or an object with `header` and `body`. */
export function readVariables<Value>(
  raw: unknown,
  fields: FieldProblems,
  readValue: ReadValue<Value>,
): ReadVariables<Value> {
  const none: ReadVariables<Value> = { isList: true, header: [], body: [] };
  const readValues = (list: readonly unknown[], path: string): Value[] =>
    list.map((value, index) => readValue(value, `${path}.${index}`, fields));
  const readPart = (part: unknown, path: string): Value[] => {
    if (part === undefined) return [];
    if (Array.isArray(part)) return readValues(part, path);
    fields[path] = [{ rule: "type", sentence: "This has to be a list of values." }];
    return [];
  };
  if (raw === undefined) return none;
  if (Array.isArray(raw)) return { ...none, body: readValues(raw, "variables") };
  if (typeof raw !== "object" || raw === null) {
    fields.variables = [
      { rule: "type", sentence: "This has to be a list of values, or an object with header and body." },
    ];
    return none;
  }
  const { header, body, ...unknown } = raw as Record<string, unknown>;
  for (const name of Object.keys(unknown)) {
    fields[`variables.${name}`] = [unknownName("Unknown field. Use header and body.", name, ["header", "body"])];
  }
  return {
    isList: false,
    header: readPart(header, "variables.header"),
    body: readPart(body, "variables.body"),
  };
}

/** Accepts a text or a number, and returns the text to send. */
export function readLiteral(raw: unknown, path: string, fields: FieldProblems): string {
  const text = typeof raw === "number" ? String(raw) : raw;
  const problem = findValueProblem(raw, text);
  if (problem !== null) fields[path] = [problem];
  return typeof text === "string" ? text : "";
}

/** The network also refuses these values, but only after it accepted the message. */
function findValueProblem(value: unknown, text: unknown): FieldFault | null {
  if (typeof text !== "string") {
    const isContactField = typeof value === "object" && value !== null && "field" in value;
    const sentence = isContactField
      ? "A value of a contact's field works in broadcasts only: give the text itself."
      : "A value is a text or a number.";
    return { rule: "type", sentence };
  }
  const isExact = typeof value !== "number" || (/^-?[0-9.]+$/.test(text) && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
  if (!isExact) return "This number is too large or too small: send it as a text.";
  if (text.trim() === "") return { rule: "too_short", sentence: "A value must not be empty." };
  if (/[\n\r\t]/.test(text)) return "A value must not contain line breaks or tabs.";
  if (new RegExp(` {${SPACES_MAX + 1},}`).test(text)) return `A value has at most ${SPACES_MAX} spaces in a row.`;
  return text.isWellFormed() ? null : MALFORMED;
}

export function checkLink(fields: FieldProblems, link: string): void {
  if (!/^https:\/\/[^\s\p{C}]+$/iu.test(link) || !URL.canParse(link)) {
    fields["media.link"] = [{ rule: "format", sentence: "The link has to be a complete https address." }];
  }
}

const MALFORMED = "This text holds half of a character (an unpaired surrogate).";

export function checkWellFormed(fields: FieldProblems, value: unknown, path = ""): void {
  if (typeof value === "string") {
    if (!value.isWellFormed() && fields[path] === undefined) fields[path] = [MALFORMED];
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      checkWellFormed(fields, member, path === "" ? name : `${path}.${name}`);
    }
  }
}
