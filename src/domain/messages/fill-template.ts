/**
 * Turns a template's name and the caller's values into the content for the network and the text that the person sees.
 */
import { type Fault, type FieldProblems, unknownName } from "#src/core/fault.ts";
import { Problem, quote } from "#src/core/problem.ts";
import { sentenceOf } from "#src/core/sentence.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import { findByPhoneNumberId } from "../numbers/read.ts";
import { DELETED, whyNotSendable } from "../templates/network-status.ts";
import { listLanguages, listNames } from "../templates/read.ts";
import type { Template } from "../templates/table.ts";
import { type MediaKind, mediaKinds, renderText, type TemplateShape } from "../templates/template.ts";
import { shapeOf } from "../templates/view.ts";
import type { Content, TemplateContent } from "./content.ts";
import { findMisplaced, type GivenValues, type PlacedValues, placeValues } from "./given-values.ts";
import { fillFile, findMisfitFile, type HeaderFile, named } from "./header-file.ts";
import { fillParts, findMisfitParts, productHeader, requireParts, type TemplateParts } from "./template-parts.ts";

export interface TemplateInput {
  type: "template";
  name: string;
  language: string | null;
  variables: GivenValues<string>;
  media: HeaderFile | null;
  /** Absent: none. */
  parts?: TemplateParts;
}

interface TemplateChoice {
  /** Null: the sending number's account has no template of that name (and language). */
  template: Template | null;
  /** What the template shows to be wrong with the request. */
  fields: FieldProblems;
  /** Of a template that does not exist: the field that names it wrongly, and what was probably meant. */
  fault?: Fault & { field: string };
}

/**
 * Finds the template and checks whether the request fits it. `startsAt`: when it is sent, at the earliest. What is missing
 * is reported later, in its own order.
 */
export function chooseTemplate(
  tx: ReadTx,
  workspaceId: number,
  accountId: string,
  input: TemplateInput,
  startsAt = tx.now,
): TemplateChoice {
  const languages = listLanguages(tx, workspaceId, accountId, input.name);
  // A deleted language keeps its row, so that a message in it says why it cannot be sent. It is no choice to be made.
  const existing = languages.filter(({ networkStatus }) => networkStatus !== DELETED);
  if (input.language === null && existing.length > 1) {
    const known = existing.map(({ language }) => language).join(", ");
    return {
      template: null,
      fields: { language: [`${input.name} exists in several languages; say which: ${known}.`] },
    };
  }
  const template =
    input.language === null
      ? (existing[0] ?? languages[0])
      : languages.find(({ language }) => language === input.language);
  if (template === undefined) {
    return { template: null, fields: {}, fault: describeUnknown(tx, workspaceId, accountId, input, languages) };
  }
  return { template, fields: findMisfits(template, input, startsAt) };
}

function describeUnknown(
  tx: ReadTx,
  workspaceId: number,
  accountId: string,
  input: TemplateInput,
  languages: readonly Template[],
): Fault & { field: string } {
  const language = input.language === null ? "" : ` in ${quote(input.language)}`;
  const sentence = `There is no template ${quote(input.name)}${language}.`;
  if (languages.length === 0 || input.language === null) {
    return { field: "template", ...unknownName(sentence, input.name, listNames(tx, workspaceId, accountId)) };
  }
  const known = languages.map((one) => one.language);
  return { field: "language", ...unknownName(`${sentence} It exists in ${known.join(", ")}.`, input.language, known) };
}

/** Reports what has no place in the template, by its path. */
function findMisfits(
  template: Template,
  { variables, media, parts = {} }: TemplateInput,
  startsAt: number,
): FieldProblems {
  const shape = shapeOf(template);
  const fields = findMisplaced(template.parameterFormat, shape, variables);
  const kind = mediaKind(shape);
  if (kind !== null) Object.assign(fields, findMisfitFile(kind, "template", media, "media"));
  else if (media !== null) fields.media = ["The template has no media header."];
  return { ...findMisfitParts(shape, parts, variables, startsAt), ...fields };
}

/** Throws `template_not_found`, `template_not_sendable` or `unsupported_template`. */
export function requireSendable(choice: TemplateChoice | null, input: TemplateInput): Template {
  const template = choice?.template ?? null;
  if (template === null) {
    const fault = choice?.fault;
    const message = fault?.sentence ?? `There is no template ${quote(input.name)}.`;
    throw new Problem("template_not_found", message, fault === undefined ? {} : { fault });
  }
  if (template.status !== "APPROVED") {
    throw new Problem("template_not_sendable", sentenceOf(whyNotSendable(template)));
  }
  const shape = shapeOf(template);
  if (shape.unsupported !== null) {
    throw new Problem("unsupported_template", `The template ${template.name} cannot be sent: ${shape.unsupported}.`);
  }
  requireParts(template.name, shape, input.parts ?? {});
  return template;
}

/** Throws `missing_media` or `missing_variable`. */
export function fillTemplate(template: Template, input: TemplateInput): { content: TemplateContent; text: string } {
  const shape = shapeOf(template);
  requireFiles(template, shape, input);
  const values = placeValues(shape, input.variables);
  const code = values.body[0];
  return {
    content: {
      type: "template",
      name: template.name,
      language: template.language,
      header: fillHeader(template, shape, input, values),
      body: named(shape.body.placeholders, values.body, template.parameterFormat),
      oneTimePassword:
        shape.oneTimePasswordButton === null || code === undefined
          ? null
          : { index: shape.oneTimePasswordButton, code },
      ...fillParts(template, shape, input.parts ?? {}, values),
    },
    text: renderText(shape, values.header, values.body),
  };
}

/** A file that is missing is reported before a value. Throws `missing_media`. */
function requireFiles(template: Template, shape: TemplateShape, input: TemplateInput): void {
  if (mediaKind(shape) !== null) fillHeader(template, shape, input, { header: [] });
  const { cards = [] } = input.parts ?? {};
  shape.cards?.forEach(({ header }, index) => {
    const top = { name: `${template.name}, card ${index + 1}`, path: `cards.${index}.media` };
    if (header !== "product") fillFile(header, cards[index]?.media ?? null, null, top);
  });
}

function fillHeader(
  template: Template,
  { header }: TemplateShape,
  { media, parts }: TemplateInput,
  values: Pick<PlacedValues<string>, "header">,
): TemplateContent["header"] {
  if (header === null) return null;
  switch (header.type) {
    case "text": {
      if (header.placeholders.length === 0) return null;
      return { type: "text", values: named(header.placeholders, values.header, template.parameterFormat) };
    }
    case "location":
      return parts?.location === undefined ? null : { type: "location", location: parts.location };
    case "product":
      return productHeader(parts?.products, parts?.products?.thumbnail ?? "");
    default:
      return fillFile(header.type, media, template.sampleLink, { name: template.name, path: "media" });
  }
}

function mediaKind({ header }: TemplateShape): MediaKind | null {
  return mediaKinds.find((kind) => kind === header?.type) ?? null;
}

/** `phoneNumberId`: of the sending number. Null for a free message, and if the number or the template no longer exists. */
export function findContentTemplate(tx: ReadTx, phoneNumberId: string, content: Content): Template | null {
  if (content.type !== "template") return null;
  const number = findByPhoneNumberId(tx, phoneNumberId);
  if (number === undefined) return null;
  const languages = listLanguages(tx, number.workspaceId, number.accountId, content.name);
  return languages.find(({ language }) => language === content.language) ?? null;
}
