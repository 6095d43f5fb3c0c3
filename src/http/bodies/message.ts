/** The body of `POST /messages`: its schema, and the conversion from JSON to the input of the domain. */
import { type Static, Type } from "@sinclair/typebox";
import type { Fault } from "#src/core/fault.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { absent, FORM, inDocument, NOT_BLANK } from "#src/core/schema.ts";
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import type { TemplateInput } from "#src/domain/messages/fill-template.ts";
import type { SendInput } from "#src/domain/messages/plan.ts";
import { findFieldProblems } from "../validate.ts";
import { checkWellFormed, MediaBody, readLiteral, readMedia, readVariables, VariablesBody } from "./variables.ts";

const TEXT_LENGTH_MAX = 4096;
const REFERENCE_LENGTH_MAX = 191;

const Phone = Type.String({
  description: "A phone number in any common format. Without a country code, the workspace's country is assumed.",
  examples: ["+442079460210"],
});

const From = Type.Optional(
  Type.String({
    description: "One of the workspace's sending numbers. Required only if the workspace has more than one.",
    examples: ["+442079460100"],
  }),
);

const Reference = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: REFERENCE_LENGTH_MAX,
    description:
      "Your own id of the message, such as an order number. The message and its events show it, and `GET /messages?reference=` finds it. It is not sent to the network and need not be unique.",
    examples: ["order-10042"],
  }),
);

const TemplateForm = Type.Object(
  {
    to: Phone,
    template: Type.String({ description: "Name of the template.", examples: ["order_shipped"] }),
    language: Type.Optional(
      Type.String({
        description: "Language of the template. Required only if the template exists in several languages.",
        examples: ["en_US"],
      }),
    ),
    variables: Type.Optional(VariablesBody),
    media: Type.Optional(MediaBody),
    from: From,
    reference: Reference,
  },
  {
    $id: "SendTemplate",
    additionalProperties: false,
    description: "Sends an approved template. Templates can be sent at any time.",
  },
);

const SendTemplateBody = inDocument(TemplateForm, {
  ...FORM,
  properties: { text: absent("Not together with `template`.") },
});

const TextForm = Type.Object(
  {
    to: Phone,
    text: inDocument(
      Type.String({
        minLength: 1,
        maxLength: TEXT_LENGTH_MAX,
        description: "The text, which must not be blank.",
        examples: ["Your table is ready."],
      }),
      NOT_BLANK,
    ),
    from: From,
    reference: Reference,
  },
  {
    $id: "SendText",
    additionalProperties: false,
    description: "Sends free-form text. Free-form text can be sent within 24 hours of the recipient's last message.",
  },
);

const ONLY_WITH_TEMPLATE = absent("Only with `template`.");

const SendTextBody = inDocument(TextForm, {
  ...FORM,
  properties: {
    template: absent("Not together with `text`."),
    language: ONLY_WITH_TEMPLATE,
    variables: ONLY_WITH_TEMPLATE,
    media: ONLY_WITH_TEMPLATE,
  },
});

export const SendMessageBody = Type.Union([SendTemplateBody, SendTextBody], {
  $id: "SendMessage",
  description: "Either a template or free-form text, not both.",
});

/** Fields that both forms may have, for a body that is not clearly one of them. */
const EitherForm = Type.Object(
  {
    to: Phone,
    // Taken out before the check; a misspelt member is compared with these names, too.
    template: Type.Optional(Type.Unknown()),
    text: Type.Optional(Type.Unknown()),
    from: From,
    reference: Reference,
    language: Type.Optional(Type.Unknown()),
    variables: Type.Optional(Type.Unknown()),
    media: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);

/** Checks everything that can be checked from the request alone. Throws `invalid_request` with every wrong field. */
export function readSendMessage(body: Readonly<Record<string, unknown>>): SendInput {
  const hasTemplate = body.template !== undefined;
  const hasText = body.text !== undefined;
  if (hasTemplate === hasText) {
    const fault: Fault = hasText
      ? { rule: "conflict", sentence: "Send a template or a text, not both." }
      : { rule: "required", sentence: "Send either a template or a text." };
    const { template: _template, text: _text, ...rest } = body;
    throw invalidRequest(Object.assign(findFieldProblems(EitherForm, rest), { template: [fault], text: [fault] }));
  }
  return hasTemplate ? readTemplate(body) : readText(body);
}

function readText(body: Readonly<Record<string, unknown>>): SendInput {
  const fields = findFieldProblems(SendTextBody, body);
  const { to, text, from, reference } = body as Static<typeof SendTextBody>;
  if (fields.text === undefined && SHOWS_NOTHING.test(text))
    fields.text = [{ rule: "too_short", sentence: "The text must not be blank." }];
  checkWellFormed(fields, body);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return { to, from: from ?? null, reference: reference ?? null, content: { type: "text", body: text } };
}

function readTemplate(body: Readonly<Record<string, unknown>>): SendInput {
  // A union's schema only says that no form fits, so the values are checked form by form.
  const { variables: rawVariables, ...rest } = body;
  const fields = findFieldProblems(SendTemplateBody, rest);
  const variables = readVariables(rawVariables, fields, readLiteral);
  const { to, template, language, from, reference, ...others } = body as Static<typeof SendTemplateBody>;
  const media = readMedia(others.media, fields);
  checkWellFormed(fields, rest);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  const content: TemplateInput = {
    type: "template",
    name: template,
    language: language ?? null,
    variables,
    media,
  };
  return { to, from: from ?? null, reference: reference ?? null, content };
}
