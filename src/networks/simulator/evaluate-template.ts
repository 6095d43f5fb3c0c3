/** What Meta refuses about a template's values and filled texts, and the file of its header. Lengths are in code points. Pure. */
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import { isLonger } from "#src/core/text-limits.ts";
import type { FilledTexts } from "#src/domain/templates/template.ts";
import type { JsonObject } from "../whatsapp/json.ts";
import type { FileKind } from "./limits.ts";
import { type Refusal, tooLong } from "./refusal.ts";

/** Meta's codes: a template is too long once filled in, a value is not allowed. */
const FILLED_TOO_LONG = "132005";
const VALUE_INVALID = "132018";

const HEADER_MAX = 60;
const BODY_MAX = 1_024;
const SPACES_MAX = 4;

/** A line break, a tab, or more than `SPACES_MAX` spaces. */
const GAP = /[\n\r\t]| {5}/;

interface Parameter {
  type: string;
  text?: string;
  image?: { link?: string };
  video?: { link?: string };
  document?: { link?: string };
}

function parametersIn(request: JsonObject, types: readonly string[]): Parameter[] {
  const { components = [] } = request.template as { components?: { type: string; parameters: Parameter[] }[] };
  return components.flatMap(({ type, parameters }) => (types.includes(type) ? parameters : []));
}

export function refuseTemplate(request: JsonObject, filled: FilledTexts | null): Refusal | null {
  for (const { text } of parametersIn(request, ["header", "body"])) {
    if (text === undefined) continue;
    if (SHOWS_NOTHING.test(text)) return { code: VALUE_INVALID, message: "A value has no visible character." };
    if (GAP.test(text)) {
      const message = `A value has a line break, a tab, or more than ${SPACES_MAX} spaces in a row.`;
      return { code: VALUE_INVALID, message };
    }
  }
  if (filled === null) return null;
  const { header, body } = filled;
  if (header !== null && isLonger(header, HEADER_MAX)) return tooLong(FILLED_TOO_LONG, "header", HEADER_MAX);
  return isLonger(body, BODY_MAX) ? tooLong(FILLED_TOO_LONG, "body", BODY_MAX) : null;
}

/** The file of the header, if it goes by a link. */
export function templateFile(request: JsonObject): { kind: FileKind; link: string } | null {
  const [header] = parametersIn(request, ["header"]);
  for (const kind of ["image", "video", "document"] as const) {
    const link = header?.[kind]?.link;
    if (link !== undefined) return { kind, link };
  }
  return null;
}
