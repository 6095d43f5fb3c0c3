/**
 * Templates: the components of Meta's request, and what Meta refuses about values, filled texts and the header's file.
 * Lengths are in code points. Pure.
 */

import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { isLonger } from "#src/core/text-limits.ts";
import type { MediaHeader, PlaceholderValue, TemplateContent, TextHeader } from "#src/domain/messages/content.ts";
import type { FilledTexts } from "#src/domain/templates/template.ts";
import { type NetworkKind, type Refusal, tooLong } from "./kind.ts";

interface TemplatePayload {
  name: string;
  language: { code: string };
  components?: Component[];
}

type Component =
  | { type: "header" | "body"; parameters: Parameter[] }
  | { type: "button"; sub_type: "url"; index: string; parameters: Parameter[] };

type Parameter =
  | { type: "text"; text: string; parameter_name?: string }
  | { type: "image"; image: MediaSource }
  | { type: "video"; video: MediaSource }
  | { type: "document"; document: MediaSource & { filename?: string } };

/** Exactly one of the two. */
type MediaSource = { link: string } | { id: string };

/** Meta's codes: a template is too long once filled in, a value is not allowed. */
const FILLED_TOO_LONG = "132005";
const VALUE_INVALID = "132018";

const HEADER_MAX = 60;
const BODY_MAX = 1_024;
const SPACES_MAX = 4;

/** A line break, a tab, or more than `SPACES_MAX` spaces. */
const GAP = /[\n\r\t]| {5}/;

/** The extensions of the types that each header takes. */
const FITTING: Readonly<Record<MediaHeader["type"], readonly string[]>> = {
  image: ["jpg", "jpeg", "png"],
  video: ["mp4", "3gp", "3gpp"],
  document: ["pdf", "txt", "csv", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp", "rtf"],
};
/** Extensions of types that no header takes. */
const UNFIT = [
  ...["gif", "webp", "svg", "bmp", "tif", "tiff", "heic", "heif", "avif"],
  ...["mov", "m4v", "webm", "mkv", "avi", "mpg", "mpeg"],
  ...["aac", "amr", "flac", "m4a", "mp3", "ogg", "opus", "wav"],
];
const KNOWN = new Set([...Object.values(FITTING).flat(), ...UNFIT]);

export const template: NetworkKind<TemplateContent> = {
  payload: (content, mediaId) => ({ type: "template", template: templateOf(content, mediaId) }),
  refuse: (content, filled) => refuseValues(content) ?? (filled === null ? null : refuseLengths(filled)),
  linkOf: ({ header }) => (header === null || header.type === "text" ? null : header.link),
  hasUnusableFile: ({ header }) => header !== null && header.type !== "text" && isUnusable(header),
  needsPhone: ({ oneTimePassword }) => oneTimePassword !== null,
};

function templateOf(content: TemplateContent, mediaId: string | null): TemplatePayload {
  const components = componentsOf(content, mediaId);
  return {
    name: content.name,
    language: { code: content.language },
    ...(components.length > 0 ? { components } : {}),
  };
}

/** Omits a component without values: Meta counts parameters, and rejects an empty list as a wrong count. */
function componentsOf({ header, body, oneTimePassword }: TemplateContent, mediaId: string | null): Component[] {
  const components: Component[] = [];
  const headerParameters = header === null ? [] : headerParametersOf(header, mediaId);
  if (headerParameters.length > 0) components.push({ type: "header", parameters: headerParameters });
  if (body.length > 0) components.push({ type: "body", parameters: body.map(textParameter) });
  if (oneTimePassword !== null) {
    // Created as an OTP button, but filled like a URL button whose suffix is the code.
    components.push({
      type: "button",
      sub_type: "url",
      index: String(oneTimePassword.index),
      parameters: [{ type: "text", text: oneTimePassword.code }],
    });
  }
  return components;
}

function headerParametersOf(header: TextHeader | MediaHeader, mediaId: string | null): Parameter[] {
  if (header.type === "text") return header.values.map(textParameter);
  const source: MediaSource = mediaId === null ? { link: header.link } : { id: mediaId };
  switch (header.type) {
    case "image":
      return [{ type: "image", image: source }];
    case "video":
      return [{ type: "video", video: source }];
    case "document":
      return [
        {
          type: "document",
          document: { ...source, ...(header.filename === null ? {} : { filename: header.filename }) },
        },
      ];
  }
}

function textParameter(value: PlaceholderValue): Parameter {
  return { type: "text", text: value.text, ...(value.name === null ? {} : { parameter_name: value.name }) };
}

/** Only the extension in the link's path tells the type; without a known one, the file is taken to be right. */
function isUnusable({ type, link }: MediaHeader): boolean {
  const extension = /\.([a-z0-9]{1,5})$/.exec(new URL(link).pathname.toLowerCase())?.[1];
  return extension !== undefined && KNOWN.has(extension) && !FITTING[type].includes(extension);
}

function refuseValues({ header, body }: TemplateContent): Refusal | null {
  const values = [...(header?.type === "text" ? header.values : []), ...body];
  for (const { text } of values) {
    if (SHOWS_NOTHING.test(text)) return { code: VALUE_INVALID, message: "A value has no visible character." };
    if (GAP.test(text)) {
      const message = `A value has a line break, a tab, or more than ${SPACES_MAX} spaces in a row.`;
      return { code: VALUE_INVALID, message };
    }
  }
  return null;
}

function refuseLengths({ header, body }: FilledTexts): Refusal | null {
  if (header !== null && isLonger(header, HEADER_MAX)) return tooLong(FILLED_TOO_LONG, "header", HEADER_MAX);
  return isLonger(body, BODY_MAX) ? tooLong(FILLED_TOO_LONG, "body", BODY_MAX) : null;
}
