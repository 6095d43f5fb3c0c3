/** The body of `POST /messages`: its schemas for the reference, and the way from JSON to what the domain takes. */
import { Type } from "@sinclair/typebox";
import type { TemplateInput, Variables } from "#src/domain/messages/fill-template.ts";
import type { SendInput } from "#src/domain/messages/plan.ts";
import { type FieldProblems, invalidRequest } from "#src/primitives/problem.ts";
import { findMistakes } from "./validate.ts";

const TEXT_LENGTH_MAX = 4096;
const LINK_LENGTH_MAX = 2048;
const FILENAME_LENGTH_MAX = 240;
/** The network takes no more than this in a row. */
const SPACES_MAX = 4;

const Phone = Type.String({
  description: "A phone number in any common format. Without a country code it is read in the workspace's country.",
  examples: ["+919876543210"],
});

const From = Type.Optional(
  Type.String({
    description: "One of the workspace's numbers; needed only when it has more than one.",
    examples: ["+911244001100"],
  }),
);

const Values = Type.Array(Type.Unsafe<string | number>({ type: ["string", "number"] }), {
  description: "Values in the order of the placeholders.",
  examples: [["Asha", 10042]],
});

const VariableParts = Type.Object(
  { header: Type.Optional(Values), body: Type.Optional(Values) },
  { additionalProperties: false, description: "Values for header and body apart." },
);

export const VariablesBody = Type.Union([Values, VariableParts], {
  $id: "Variables",
  description: "Fills the template's placeholders: a list fills the body, an object fills header and body apart.",
});

export const MediaBody = Type.Object(
  {
    link: Type.String({
      format: "uri",
      maxLength: LINK_LENGTH_MAX,
      description:
        "An https address that opens without signing in: the network fetches it when the message is sent. JPG or PNG up to 5 MB, MP4 up to 16 MB, PDF up to 100 MB, as the template was approved with.",
      examples: ["https://files.example.com/invoice-10042.pdf"],
    }),
    filename: Type.Optional(
      Type.String({
        maxLength: FILENAME_LENGTH_MAX,
        description: "PDFs only: the name that the phone shows. Left out: the last part of the link.",
      }),
    ),
  },
  {
    $id: "Media",
    additionalProperties: false,
    description: "The file at the top of a template that has one. Neither the file nor the link is kept.",
  },
);

export const SendTemplateBody = Type.Object(
  {
    to: Phone,
    template: Type.String({ description: "The template's name.", examples: ["order_shipped"] }),
    language: Type.Optional(
      Type.String({ description: "Needed only when the template exists in several languages.", examples: ["en_US"] }),
    ),
    variables: Type.Optional(VariablesBody),
    media: Type.Optional(MediaBody),
    from: From,
  },
  { $id: "SendTemplate", additionalProperties: false, description: "Sends an approved template, at any time." },
);

export const SendTextBody = Type.Object(
  {
    to: Phone,
    text: Type.String({ minLength: 1, maxLength: TEXT_LENGTH_MAX, examples: ["Your table is ready."] }),
    from: From,
  },
  {
    $id: "SendText",
    additionalProperties: false,
    description: "Sends free-form text, within 24 hours after the person last wrote.",
  },
);

export const SendMessageBody = Type.Union([SendTemplateBody, SendTextBody], {
  $id: "SendMessage",
  description: "Either a template or free-form text, never both.",
});

/** What either form may have, for a body that does not say which it is. */
const EitherForm = Type.Object(
  {
    to: Phone,
    from: From,
    language: Type.Optional(Type.Unknown()),
    variables: Type.Optional(Type.Unknown()),
    media: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);

/** Checks everything that the request alone shows. Throws `invalid_request` naming every field that is wrong. */
export function readSendMessage(body: Readonly<Record<string, unknown>>): SendInput {
  const hasTemplate = body.template !== undefined;
  const hasText = body.text !== undefined;
  if (hasTemplate === hasText) {
    const sentence = hasText ? "Send a template or a text, not both." : "Send either a template or a text.";
    const { template: _template, text: _text, ...rest } = body;
    throw invalidRequest(Object.assign(findMistakes(EitherForm, rest), { template: [sentence], text: [sentence] }));
  }
  return hasTemplate ? readTemplate(body) : readText(body);
}

function readText(body: Readonly<Record<string, unknown>>): SendInput {
  const fields = findMistakes(SendTextBody, body);
  const { to, text, from } = body as { to: string; text: string; from?: string };
  if (fields.text === undefined && text.trim() === "") fields.text = ["The text must not be blank."];
  checkWellFormed(fields, body);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return { to, from: from ?? null, content: { type: "text", text } };
}

function readTemplate(body: Readonly<Record<string, unknown>>): SendInput {
  // The schema of a union says only that no form fits, so the forms are checked one by one.
  const { variables: givenVariables, ...rest } = body;
  const fields = findMistakes(SendTemplateBody, rest);
  const variables = readVariables(givenVariables, fields);
  const { to, template, language, media, from } = body as {
    to: string;
    template: string;
    language?: string;
    media?: { link: string; filename?: string };
    from?: string;
  };
  if (fields["media.link"] === undefined && fields.media === undefined && media !== undefined) {
    checkLink(fields, media.link);
  }
  checkWellFormed(fields, rest);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  const content: TemplateInput = {
    type: "template",
    name: template,
    language: language ?? null,
    variables,
    media: media === undefined ? null : { link: media.link, filename: media.filename ?? null },
  };
  return { to, from: from ?? null, content };
}

function readVariables(given: unknown, fields: FieldProblems): Variables {
  const none: Variables = { isList: true, header: [], body: [] };
  if (given === undefined) return none;
  if (Array.isArray(given)) return { ...none, body: readValues(given, "variables", fields) };
  if (typeof given !== "object" || given === null) {
    fields.variables = ["This has to be a list of values, or an object with header and body."];
    return none;
  }
  const { header, body, ...unknown } = given as Record<string, unknown>;
  for (const name of Object.keys(unknown)) {
    fields[`variables.${name}`] = ["There is no field of this name here: use header and body."];
  }
  return {
    isList: false,
    header: readPart(header, "variables.header", fields),
    body: readPart(body, "variables.body", fields),
  };
}

function readPart(given: unknown, path: string, fields: FieldProblems): string[] {
  if (given === undefined) return [];
  if (Array.isArray(given)) return readValues(given, path, fields);
  fields[path] = ["This has to be a list of values."];
  return [];
}

function readValues(given: readonly unknown[], path: string, fields: FieldProblems): string[] {
  return given.map((value, index) => {
    const text = typeof value === "number" ? String(value) : value;
    const mistake = findValueMistake(value, text);
    if (mistake !== null) fields[`${path}.${index}`] = [mistake];
    return typeof text === "string" ? text : "";
  });
}

/** The network refuses these too, but only after the message was accepted. */
function findValueMistake(value: unknown, text: unknown): string | null {
  if (typeof text !== "string") {
    const isContactField = typeof value === "object" && value !== null && "field" in value;
    return isContactField
      ? "A value of a contact's field works in broadcasts only: give the text itself."
      : "A value is a text or a number.";
  }
  const isExact = typeof value !== "number" || (/^-?[0-9.]+$/.test(text) && Math.abs(value) <= Number.MAX_SAFE_INTEGER);
  if (!isExact) return "This number is too large or too small: send it as a text.";
  if (text.trim() === "") return "A value must not be empty.";
  if (/[\n\r\t]/.test(text)) return "A value must not contain line breaks or tabs.";
  if (new RegExp(` {${SPACES_MAX + 1},}`).test(text)) return `A value has at most ${SPACES_MAX} spaces in a row.`;
  return text.isWellFormed() ? null : MALFORMED;
}

function checkLink(fields: FieldProblems, link: string): void {
  if (!/^https:\/\/[^\s\p{C}]+$/iu.test(link) || !URL.canParse(link)) {
    fields["media.link"] = ["The link has to be a complete https address."];
  }
}

const MALFORMED = "This text holds half of a character (an unpaired surrogate).";

function checkWellFormed(fields: FieldProblems, value: unknown, path = ""): void {
  if (typeof value === "string") {
    if (!value.isWellFormed() && fields[path] === undefined) fields[path] = [MALFORMED];
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      checkWellFormed(fields, member, path === "" ? name : `${path}.${name}`);
    }
  }
}
