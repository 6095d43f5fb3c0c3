/**
 * What Meta refuses about a message's content: texts that are too long, values that show nothing, files of the wrong
 * type. The simulator refuses the same, so that a test finds it and not a customer. Lengths are in code points. Pure.
 */
import type { Content, MediaHeader, TemplateContent } from "#src/domain/messages/content.ts";
import type { FilledTexts } from "#src/domain/templates/template.ts";

interface Refusal {
  /** Meta's error code. */
  code: string;
  /** What is wrong, in a sentence of ours: Meta's own wording varies. */
  message: string;
}

/** Meta's codes: a parameter is invalid, a template is too long once filled in, a value is not allowed. */
const PARAMETER_INVALID = "100";
const FILLED_TOO_LONG = "132005";
const VALUE_INVALID = "132018";
/** Meta's code for a file that it could not fetch or use. */
export const MEDIA_UNUSABLE = "131053";

/** The button that asks for a phone number comes with an interactive message, whose body is shorter than a text. */
const TEXT_MAX = { text: 4_096, contact_request: 1_024 };
const HEADER_MAX = 60;
const BODY_MAX = 1_024;
const SPACES_MAX = 4;

/** Blanks, control characters and those that have no glyph; U+2800 is a braille cell without dots. */
const SHOWS_NOTHING = /^[\p{Z}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]*$/u;
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

/** The refusal in the answer to the send; null: Meta takes the content. `filled`: null if the template is not known. */
export function refuseContent(content: Content, filled: FilledTexts | null): Refusal | null {
  if (content.type === "template") return refuseValues(content) ?? (filled === null ? null : refuseLengths(filled));
  const { type, body } = content;
  if (SHOWS_NOTHING.test(body)) return { code: PARAMETER_INVALID, message: "The text has no visible character." };
  return isLonger(body, TEXT_MAX[type]) ? tooLong(PARAMETER_INVALID, "text", TEXT_MAX[type]) : null;
}

/**
 * Whether the header's file has a type that the header does not take. Only the extension in the link's path tells;
 * without a known one, the file is taken to be right.
 */
export function hasUnusableFile(content: Content): boolean {
  if (content.type !== "template" || content.header === null || content.header.type === "text") return false;
  const { type, link } = content.header;
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

function tooLong(code: string, part: string, max: number): Refusal {
  return { code, message: `The ${part} has more than ${max.toLocaleString("en")} characters.` };
}

function isLonger(text: string, max: number): boolean {
  // Most texts have fewer code units than the limit, and no text has fewer units than points.
  return text.length > max && [...text].length > max;
}
