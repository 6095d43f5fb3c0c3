/**
 * Turns a template's name and the caller's values into the content for the network and the text that the person sees.
 */
import { type Fault, type FieldProblems, unknownName } from "#src/core/fault.ts";
import { Problem, quote } from "#src/core/problem.ts";
import type { ReadTx } from "#src/db/transaction.ts";
import type { NamedUpload } from "../media/send-upload.ts";
import { findByPhoneNumberId } from "../numbers/read.ts";
import { listLanguages, listNames } from "../templates/read.ts";
import type { Template } from "../templates/table.ts";
import { type FilledTexts, fillTexts, renderText, type TemplateShape } from "../templates/template.ts";
import { shapeOf } from "../templates/view.ts";
import type { Content, MediaHeader, PlaceholderValue, TemplateContent, TextHeader } from "./content.ts";
import { findMisplaced, type GivenValues, placeValues } from "./given-values.ts";
import { fileNameOf } from "./link.ts";

export interface TemplateInput {
  type: "template";
  name: string;
  language: string | null;
  variables: GivenValues<string>;
  media: HeaderFile | null;
}

/** The file for a header: by its link, or an upload. */
export interface HeaderFile {
  link: string | null;
  filename: string | null;
  /** As the request names it. */
  id?: number;
  /** What it is; set while the request is planned. */
  upload?: NamedUpload;
}

interface TemplateChoice {
  /** Null: the sending number's account has no template of that name (and language). */
  template: Template | null;
  /** What the template shows to be wrong with the request. */
  fields: FieldProblems;
  /** Of a template that does not exist: the field that names it wrongly, and what was probably meant. */
  fault?: Fault & { field: string };
}

/** Finds the template and checks whether the request fits it. Missing values are reported later, in their own order. */
export function chooseTemplate(
  tx: ReadTx,
  workspaceId: number,
  accountId: string,
  input: TemplateInput,
): TemplateChoice {
  const languages = listLanguages(tx, workspaceId, accountId, input.name);
  if (input.language === null && languages.length > 1) {
    const known = languages.map(({ language }) => language).join(", ");
    return {
      template: null,
      fields: { language: [`${input.name} exists in several languages; say which: ${known}.`] },
    };
  }
  const template =
    input.language === null ? languages[0] : languages.find(({ language }) => language === input.language);
  if (template === undefined) {
    return { template: null, fields: {}, fault: describeUnknown(tx, workspaceId, accountId, input, languages) };
  }
  return { template, fields: findMisfits(template, input) };
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

/** Reports values that have no place in the template, and a file where the template has none. */
function findMisfits(template: Template, { variables, media }: TemplateInput): FieldProblems {
  const shape = shapeOf(template);
  const fields = findMisplaced(template.parameterFormat, shape, variables);
  const kind = mediaKind(shape);
  if (media !== null && kind === null) fields.media = ["The template has no media header."];
  const given = media?.upload?.kind;
  if (given !== undefined && kind !== null && given !== kind) {
    fields["media.id"] = [`The template has ${article(kind)} ${kind} header; the upload is ${describe(given)}.`];
  }
  if (media !== null && media.filename !== null && kind !== null && kind !== "document") {
    fields["media.filename"] = [`Only a PDF has a file name; this template has ${article(kind)} ${kind} header.`];
  }
  return fields;
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
    throw new Problem(
      "template_not_sendable",
      `The template ${template.name} is ${STATUS_DESCRIPTIONS[template.status]}.`,
    );
  }
  const { unsupported } = shapeOf(template);
  if (unsupported !== null) {
    throw new Problem("unsupported_template", `The template ${template.name} cannot be sent: ${unsupported}.`);
  }
  return template;
}

const STATUS_DESCRIPTIONS = {
  PENDING: "pending: the network has not approved it yet",
  REJECTED: "rejected by the network",
  PAUSED: "paused by the network because of complaints",
  DISABLED: "permanently disabled by the network",
} as const;

/** Throws `missing_media` or `missing_variable`. */
export function fillTemplate(template: Template, input: TemplateInput): { content: TemplateContent; text: string } {
  const shape = shapeOf(template);
  const media = fillMedia(template, shape, input);
  const values = placeValues(shape, input.variables);
  const code = values.body[0];
  return {
    content: {
      type: "template",
      name: template.name,
      language: template.language,
      header: media ?? fillHeader(template, shape, values.header),
      body: named(shape.body.placeholders, values.body, template),
      oneTimePassword:
        shape.oneTimePasswordButton === null || code === undefined
          ? null
          : { index: shape.oneTimePasswordButton, code },
    },
    text: renderText(shape, values.header, values.body),
  };
}

function fillHeader(template: Template, { header }: TemplateShape, values: readonly string[]): TextHeader | null {
  if (header?.type !== "text" || header.placeholders.length === 0) return null;
  return { type: "text", values: named(header.placeholders, values, template) };
}

/** Null: the template has no media header. */
function fillMedia(template: Template, shape: TemplateShape, input: TemplateInput): MediaHeader | null {
  const type = mediaKind(shape);
  if (type === null) return null;
  const upload = input.media?.upload;
  if (upload !== undefined) {
    const filename = type === "document" ? (input.media?.filename ?? upload.filename) : null;
    return { type, link: null, uploadId: upload.id, filename };
  }
  const link = input.media?.link ?? template.sampleLink;
  if (link === null) {
    throw new Problem(
      "missing_media",
      `The template ${template.name} has ${article(type)} ${type} header: give its link, or the id of an upload, in media.`,
    );
  }
  return {
    type,
    link,
    filename: type === "document" ? (input.media?.filename ?? fileNameOf(link)) : null,
  };
}

function named(placeholders: readonly string[], values: readonly string[], template: Template): PlaceholderValue[] {
  return placeholders.map((placeholder, index) => ({
    name: template.parameterFormat === "NAMED" ? placeholder : null,
    text: values[index] ?? "",
  }));
}

function mediaKind({ header }: TemplateShape): MediaHeader["type"] | null {
  return header === null || header.type === "text" || header.type === "location" ? null : header.type;
}

function describe(kind: NamedUpload["kind"]): string {
  return kind === "audio" ? kind : `${article(kind)} ${kind}`;
}

function article(kind: string): string {
  return kind === "image" ? "an" : "a";
}

/** `phoneNumberId`: of the sending number. Null for a text, and if the number or the template no longer exists. */
export function readFilledTexts(tx: ReadTx, phoneNumberId: string, content: Content): FilledTexts | null {
  if (content.type !== "template") return null;
  const number = findByPhoneNumberId(tx, phoneNumberId);
  if (number === undefined) return null;
  const languages = listLanguages(tx, number.workspaceId, number.accountId, content.name);
  const template = languages.find(({ language }) => language === content.language);
  if (template === undefined) return null;
  const header = content.header?.type === "text" ? content.header.values : [];
  return fillTexts(shapeOf(template), header.map(textOf), content.body.map(textOf));
}

function textOf({ text }: PlaceholderValue): string {
  return text;
}
