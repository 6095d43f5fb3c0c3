/** What Meta refuses about a template's values. Pure. */
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import type { JsonObject } from "../whatsapp/json.ts";
import type { Refusal } from "./refusal.ts";

/** Meta's code: a value is not allowed. */
const VALUE_INVALID = "132018";

const SPACES_MAX = 4;

/** A line break, a tab, or more than `SPACES_MAX` spaces. */
const GAP = new RegExp(`[\\n\\r\\t]| {${SPACES_MAX + 1}}`);

interface Component {
  type: string;
  parameters?: { text?: string }[];
  cards?: { components: Component[] }[];
}

/** `request`: it has the shape of a template. */
export function refuseValues(request: JsonObject): Refusal | null {
  for (const text of textsIn(request)) {
    if (SHOWS_NOTHING.test(text)) return { code: VALUE_INVALID, message: "A value has no visible character." };
    if (GAP.test(text)) {
      const message = `A value has a line break, a tab, or more than ${SPACES_MAX} spaces in a row.`;
      return { code: VALUE_INVALID, message };
    }
  }
  return null;
}

/** The values of headers and texts, also of cards. */
function textsIn(request: JsonObject): string[] {
  const { components = [] } = request.template as { components?: Component[] };
  const texts = ({ type, parameters = [], cards = [] }: Component): string[] => [
    ...(type === "header" || type === "body" ? parameters.flatMap(({ text = null }) => text ?? []) : []),
    ...cards.flatMap((card) => card.components.flatMap(texts)),
  ];
  return components.flatMap(texts);
}
