/** The file at the top of a template or of a card: by its link, or an upload. Pure. */
import type { FieldProblems } from "#src/core/fault.ts";
import { Problem } from "#src/core/problem.ts";
import type { NamedUpload } from "../media/send-upload.ts";
import type { MediaKind, ParameterFormat } from "../templates/template.ts";
import type { MediaHeader, PlaceholderValue } from "./content.ts";
import { fileNameOf } from "./link.ts";

export interface HeaderFile {
  link: string | null;
  filename: string | null;
  /** As the request names it. */
  id?: number;
  /** What it is; set while the request is planned. */
  upload?: NamedUpload;
}

/** `of`: what has the header. */
export function findMisfitFile(
  kind: MediaKind,
  of: "template" | "card",
  file: HeaderFile | null,
  path: string,
): FieldProblems {
  const fields: FieldProblems = {};
  const given = file?.upload?.kind;
  if (given !== undefined && given !== kind) {
    fields[`${path}.id`] = [`The ${of} has ${article(kind)} ${kind} header; the upload is ${describe(given)}.`];
  }
  if (file !== null && file.filename !== null && kind !== "document") {
    fields[`${path}.filename`] = [`Only a PDF has a file name; this ${of} has ${article(kind)} ${kind} header.`];
  }
  return fields;
}

/** `sampleLink`: null, there is no stored sample. Throws `missing_media`. */
export function fillFile(
  type: MediaKind,
  file: HeaderFile | null,
  sampleLink: string | null,
  { name, path }: { name: string; path: string },
): MediaHeader {
  const upload = file?.upload;
  if (upload !== undefined) {
    const filename = type === "document" ? (file?.filename ?? upload.filename) : null;
    return { type, link: null, uploadId: upload.id, filename };
  }
  const link = file?.link ?? sampleLink;
  if (link === null) {
    throw new Problem(
      "missing_media",
      `The template ${name} has ${article(type)} ${type} header: give its link, or the id of an upload, in ${path}.`,
    );
  }
  return { type, link, filename: type === "document" ? (file?.filename ?? fileNameOf(link)) : null };
}

export function named(
  placeholders: readonly string[],
  values: readonly string[],
  format: ParameterFormat,
): PlaceholderValue[] {
  return placeholders.map((placeholder, index) => ({
    name: format === "NAMED" ? placeholder : null,
    text: values[index] ?? "",
  }));
}

function describe(kind: NamedUpload["kind"]): string {
  return kind === "audio" ? kind : `${article(kind)} ${kind}`;
}

function article(kind: string): string {
  return kind === "image" ? "an" : "a";
}
