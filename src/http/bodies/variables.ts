/** Template values and the header file in request bodies: their schemas, and the conversion from JSON. */

import { type Static, Type } from "@sinclair/typebox";
import { type FieldFault, type FieldProblems, unknownName } from "#src/core/fault.ts";
import { inDocument } from "#src/core/schema.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";

const LINK_LENGTH_MAX = 2048;
const FILENAME_LENGTH_MAX = 240;

/** More than any template has placeholders. */
export const VALUES_MAX = 100;

/** One line that is not blank and has at most four spaces in a row. */
export const VALUE_PATTERN = "^ {0,4}([^\\S\\n\\r\\t ] {0,4})*\\S {0,4}([^\\n\\r\\t ] {0,4})*$";

/** What `readLiteral` checks. */
export const LiteralValue = inDocument(Type.Unsafe<string | number>({ type: ["string", "number"] }), {
  pattern: VALUE_PATTERN,
  minimum: Number.MIN_SAFE_INTEGER,
  maximum: Number.MAX_SAFE_INTEGER,
});

export const VALUE_RULES =
  "A text is one line, is not blank and has at most four spaces in a row; a number needs no exponent.";

const Values = Type.Array(LiteralValue, {
  maxItems: VALUES_MAX,
  description: `Values in the order of the placeholders. ${VALUE_RULES}`,
  examples: [["Asha", 10042]],
});

const VariableParts = Type.Object(
  { header: Type.Optional(Values), body: Type.Optional(Values) },
  { additionalProperties: false, description: "Separate values for the header and the body." },
);

export const VariablesBody = Type.Union([Values, VariableParts], {
  $id: "Variables",
  description:
    "Values for the template's placeholders: an array fills the body; an object has separate values for the header and the body.",
});

export const MediaBody = Type.Object(
  {
    link: inDocument(
      Type.String({
        format: "uri",
        maxLength: LINK_LENGTH_MAX,
        description:
          "A public HTTPS URL, which the network fetches when the message is sent. JPG or PNG up to 5 MB, MP4 up to 16 MB, or PDF up to 100 MB, matching the media type of the template.",
        examples: ["https://files.example.com/invoice-10042.pdf"],
      }),
      { pattern: "^[Hh][Tt][Tt][Pp][Ss]://[^\\s\\u0000-\\u001f\\u007f-\\u009f]+$" },
    ),
    filename: Type.Optional(
      Type.String({
        maxLength: FILENAME_LENGTH_MAX,
        description: "For PDFs only: the file name that the recipient sees. Default: the last part of the link.",
      }),
    ),
  },
  {
    $id: "Media",
    additionalProperties: false,
    description: "The file for a template with a media header. Neither the file nor the link is stored.",
  },
);

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
  if (SHOWS_NOTHING.test(text)) return { rule: "too_short", sentence: "A value must not be empty." };
  if (/[\n\r\t]/.test(text)) return "A value must not contain line breaks or tabs.";
  if (new RegExp(` {${SPACES_MAX + 1},}`).test(text)) return `A value has at most ${SPACES_MAX} spaces in a row.`;
  return text.isWellFormed() ? null : MALFORMED;
}

/** The header file; null if there is none. */
export function readMedia(media: Static<typeof MediaBody> | undefined, fields: FieldProblems) {
  if (media === undefined || fields.media !== undefined) return null;
  if (fields["media.link"] === undefined) checkLink(fields, media.link);
  return { link: media.link, filename: media.filename ?? null };
}

function checkLink(fields: FieldProblems, link: string): void {
  if (!/^https:\/\/[^\s\p{C}]+$/iu.test(link) || !URL.canParse(link)) {
    fields["media.link"] = [{ rule: "format", sentence: "The link has to be a complete https address." }];
  }
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
