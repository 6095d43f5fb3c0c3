/**
 * The body of `POST /messages`: the conversion from JSON to the input of the domain.
 */
import { Type } from "@sinclair/typebox";
import type { Fault } from "#src/core/fault.ts";
import { invalidRequest } from "#src/core/problem.ts";
import type { TemplateInput, Variables } from "#src/domain/messages/fill-template.ts";
import type { SendInput } from "#src/domain/messages/plan.ts";
import { findFieldProblems } from "../validate.ts";
import { From, Phone, Reference, SendTemplateBody, SendTextBody } from "./send-schema.ts";
import { checkLink, checkWellFormed, readLiteral, readVariables } from "./variables-body.ts";

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
  const { to, text, from, reference } = body as { to: string; text: string; from?: string; reference?: string };
  if (fields.text === undefined && text.trim() === "")
    fields.text = [{ rule: "too_short", sentence: "The text must not be blank." }];
  checkWellFormed(fields, body);
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return { to, from: from ?? null, reference: reference ?? null, content: { type: "text", text } };
}

function readTemplate(body: Readonly<Record<string, unknown>>): SendInput {
  // A union's schema only says that no form fits, so the values are checked form by form.
  const { variables: rawVariables, ...rest } = body;
  const fields = findFieldProblems(SendTemplateBody, rest);
  const variables: Variables = readVariables(rawVariables, fields, readLiteral);
  const { to, template, language, media, from, reference } = body as {
    to: string;
    template: string;
    language?: string;
    media?: { link: string; filename?: string };
    from?: string;
    reference?: string;
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
  return { to, from: from ?? null, reference: reference ?? null, content };
}
