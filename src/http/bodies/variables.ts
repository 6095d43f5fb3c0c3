/** Template values and the header file in request bodies: their schemas, and the conversion from JSON. */

import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { type Fault, type FieldFault, type FieldProblems, unknownName } from "#src/core/fault.ts";
import { quote } from "#src/core/problem.ts";
import { inDocument } from "#src/core/schema.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import type { GivenValues } from "#src/domain/messages/given-values.ts";
import type { HeaderFile } from "#src/domain/messages/header-file.ts";
import { checkLink, checkSource, FileSource, Link } from "#src/domain/messages/link.ts";
import type { ButtonValues } from "#src/domain/messages/place-parts.ts";
import { findFieldProblems } from "../validate.ts";

const FILENAME_LENGTH_MAX = 240;

/** More than any template has placeholders. */
const VALUES_MAX = 100;
/** More than any template or card has. */
const BUTTONS_MAX = 10;

/** One line that is not blank and has at most four spaces in a row. */
export const VALUE_PATTERN = "^ {0,4}([^\\S\\n\\r\\t ] {0,4})*\\S {0,4}([^\\n\\r\\t ] {0,4})*$";

const LITERAL = { pattern: VALUE_PATTERN, minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/** What `readLiteral` checks. */
export const LiteralValue = inDocument(Type.Unsafe<string | number>({ type: ["string", "number"] }), LITERAL);

/** For a button; null keeps a quick reply's own words. */
export const LiteralOrNull = inDocument(
  Type.Unsafe<string | number | null>({ type: ["string", "number", "null"] }),
  LITERAL,
);

const VALUE_RULES =
  "A text is one line, is not blank and has at most four spaces in a row; a number needs no exponent.";

/**
 * The forms in which a request gives its values: a list for the body, or header and body by position or by name. `names`
 * are those of the schemas.
 */
export function variablesOf(
  value: TSchema,
  buttonValue: TSchema,
  names: { all: string; named: string },
  examples: { list: unknown[]; named: object; buttons: unknown[] },
  description: string,
) {
  const list = Type.Array(value, {
    maxItems: VALUES_MAX,
    description: `Values in the order of the placeholders. ${VALUE_RULES}`,
    examples: [examples.list],
  });
  const named = Type.Unsafe<Record<string, unknown>>({
    type: "object",
    additionalProperties: value,
    maxProperties: VALUES_MAX,
    description: `Values by the names of the placeholders. ${VALUE_RULES}`,
    examples: [examples.named],
  });
  const buttons = Type.Optional(buttonValuesOf(buttonValue, examples.buttons));
  const parts = (part: TSchema, keywords: object) =>
    Type.Object(
      { header: Type.Optional(part), body: Type.Optional(part), buttons },
      { additionalProperties: false, ...keywords },
    );
  // The forms of a union exclude each other: an object without names, or with buttons alone, is the form before.
  const byName = { minProperties: 1, not: { required: ["buttons"], maxProperties: 1, properties: { buttons: {} } } };
  return Type.Union(
    [
      list,
      parts(list, { description: "Separate values for the header, the body and the buttons." }),
      inDocument(parts(named, { $id: names.named, description: "Values of named placeholders, by name." }), byName),
    ],
    { $id: names.all, description },
  );
}

/** `value`: one that a button takes, or null. */
export function buttonValuesOf(value: TSchema, examples: unknown[]) {
  return Type.Array(value, {
    maxItems: BUTTONS_MAX,
    description:
      "One value for each button that takes one, in order: the end of a link, the code to copy, the payload of a quick reply, the token of a form. Quick replies keep their own words with null, or if all of them are omitted.",
    examples: [examples],
  });
}

export const VariablesBody = variablesOf(
  LiteralValue,
  LiteralOrNull,
  { all: "Variables", named: "NamedVariables" },
  { list: ["Asha", 10042], named: { first_name: "Asha", order: 10042 }, buttons: ["orders/10042"] },
  "Values for the template's placeholders and buttons: an array fills the body; an object has separate values for the header and the body, each as an array or, for named placeholders, as an object of names, and an array for the buttons.",
);

export const HeaderMediaBody = FileSource(
  {
    $id: "HeaderMedia",
    description:
      "The file for a template with a media header: by a link, which is not stored longer than the message or broadcast needs it, or by the id of an upload of the header's media type.",
  },
  Link(
    "A public HTTPS URL, which the network fetches when the message is sent. JPG or PNG up to 5 MB, MP4 up to 16 MB, or PDF up to 100 MB, matching the media type of the template.",
    "https://files.example.com/invoice-10042.pdf",
  ),
  {
    filename: Type.Optional(
      Type.String({
        maxLength: FILENAME_LENGTH_MAX,
        description: "For PDFs only: the file name that the recipient sees. Default: the last part of the link.",
      }),
    ),
  },
);

/** The network refuses more consecutive spaces. */
const SPACES_MAX = 4;

/** Converts the value at `path`; adds any mistake to `fields`. */
export type ReadValue<Value> = (raw: unknown, path: string, fields: FieldProblems) => Value;

/** The names and values of one part; `names` is null for values by position. */
interface ReadPart<Value> {
  names: string[] | null;
  values: Value[];
}

/**
 * Accepts a list for the body, or an object with `header` and `body`, which are both lists or both objects of names, and
 * `buttons`.
 */
export function readVariables<Value>(
  raw: unknown,
  fields: FieldProblems,
  readValue: ReadValue<Value>,
): GivenValues<Value> {
  const none: GivenValues<Value> = { isList: true, header: [], body: [] };
  if (raw === undefined) return none;
  if (Array.isArray(raw)) return { ...none, body: readPart(raw, "variables", fields, readValue).values };
  if (typeof raw !== "object" || raw === null) {
    fields.variables = [
      { rule: "type", sentence: "This has to be a list of values, or an object with header and body." },
    ];
    return none;
  }
  const { header: rawHeader, body: rawBody, buttons: rawButtons, ...unknown } = raw as Record<string, unknown>;
  for (const name of Object.keys(unknown).slice(0, VALUES_MAX)) {
    const sentence = `Unknown field. Use header, body and buttons; values by name stand in header or body: "body": {${quote(name)}: …}.`;
    fields[`variables.${name}`] = [unknownName(sentence, name, ["header", "body", "buttons"])];
  }
  const header = readPart(rawHeader, "variables.header", fields, readValue);
  const body = readPart(rawBody, "variables.body", fields, readValue);
  const buttons = readButtons(rawButtons, "variables.buttons", fields, readValue);
  const values = {
    ...{ isList: false, header: header.values, body: body.values },
    ...(buttons.length === 0 ? {} : { buttons }),
  };
  if (header.names === null && body.names === null) return values;
  if (Array.isArray(rawHeader) || Array.isArray(rawBody)) {
    const fault: Fault = { rule: "conflict", sentence: "Give all values by position or all by name, not both." };
    fields["variables.header"] = [fault];
    fields["variables.body"] = [fault];
  }
  return { ...values, names: { header: header.names ?? [], body: body.names ?? [] } };
}

/** The values of one part: a list, or an object of names. */
export function readPart<Value>(
  part: unknown,
  path: string,
  fields: FieldProblems,
  readValue: ReadValue<Value>,
): ReadPart<Value> {
  if (part === undefined) return { names: null, values: [] };
  if (Array.isArray(part)) {
    return { names: null, values: part.map((value, index) => readValue(value, `${path}.${index}`, fields)) };
  }
  if (typeof part !== "object" || part === null) {
    fields[path] = [{ rule: "type", sentence: "This has to be a list of values, or an object of names." }];
    return { names: null, values: [] };
  }
  const names = Object.keys(part);
  if (names.length > VALUES_MAX) {
    const sentence = `A template takes at most ${VALUES_MAX} values; ${names.length} were given.`;
    fields[path] = [{ rule: "too_many", sentence, limit: VALUES_MAX }];
    return { names: [], values: [] };
  }
  return {
    names,
    values: Object.entries(part).map(([name, value]) => readValue(value, `${path}.${name}`, fields)),
  };
}

/** Null keeps a quick reply's own words. */
export function readButtons<Value>(
  raw: unknown,
  path: string,
  fields: FieldProblems,
  readValue: ReadValue<Value>,
): ButtonValues<Value> {
  if (raw === undefined) return [];
  Object.assign(fields, findFieldProblems(ButtonList, raw, path));
  if (!Array.isArray(raw) || fields[path] !== undefined) return [];
  return raw.map((value: unknown, index) => (value === null ? null : readValue(value, `${path}.${index}`, fields)));
}

const ButtonList = Type.Array(Type.Unknown(), { maxItems: BUTTONS_MAX });

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
  if (SHOWS_NOTHING.test(text)) return { rule: "too_short", sentence: "A value must not be empty." };
  if (/[\n\r\t]/.test(text)) return "A value must not contain line breaks or tabs.";
  if (new RegExp(` {${SPACES_MAX + 1},}`).test(text)) return `A value has at most ${SPACES_MAX} spaces in a row.`;
  return text.isWellFormed() ? null : MALFORMED;
}

/** The header file; null if there is none. */
export function readHeaderMedia(
  media: Static<typeof HeaderMediaBody> | undefined,
  fields: FieldProblems,
): HeaderFile | null {
  if (media === undefined || fields.media !== undefined) return null;
  const { link = null, id, filename = null } = media;
  checkSource(fields, media);
  if (link !== null) checkLink(fields, "media.link", link);
  return { link, filename, ...(id === undefined ? {} : { id }) };
}

const MALFORMED = "This text contains an unpaired surrogate.";

/** An unpaired surrogate can neither be stored nor shown as it was sent. */
export function checkWellFormed(fields: FieldProblems, value: unknown, path = ""): void {
  if (typeof value === "string") {
    if (!value.isWellFormed() && fields[path] === undefined) fields[path] = [MALFORMED];
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      checkWellFormed(fields, member, path === "" ? name : `${path}.${name}`);
    }
  }
}
