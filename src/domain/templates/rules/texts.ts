/** Rules about the words of a template: header, body, footer, and the texts of cards. */
import { allPartsOf, type Candidate, formatOf, has, isLogin, type Part, partsOf, textIn } from "./candidate.ts";
import { type Finding, longer, type RuleTable, unless } from "./rule.ts";
import { countEmoji, countWords, hasFormatting, hasLineBreak, namesIn, placeholdersIn } from "./text.ts";

const COMPONENTS = "templates/components";
const REVIEW = "templates/template-review";
const OVERVIEW = "templates/overview";
const OFFER = "templates/marketing-templates/limited-time-offer-templates";
const CAROUSEL = "templates/marketing-templates/media-card-carousel-templates";
const HEADER_ERROR = "support/error-codes (2388047, 2388072)";
const FOOTER_ERROR = "support/error-codes (2388073)";
const RATIO_ERROR = "support/error-codes (2388293)";

const FORMATS = ["TEXT", "IMAGE", "VIDEO", "GIF", "DOCUMENT", "LOCATION", "PRODUCT"];

interface Text {
  path: string;
  text: string;
}

const textOf = (part: Part): Text => ({ path: `${part.path}.text`, text: textIn(part.given, "text") });

/** Headers of the message that are texts. */
function headers(candidate: Candidate): Text[] {
  return partsOf(candidate, "HEADER")
    .filter((part) => formatOf(part) === "TEXT")
    .map(textOf);
}

/** The body of the message; that of a login code has WhatsApp's own words. */
function bodies(candidate: Candidate): Text[] {
  return isLogin(candidate) ? [] : partsOf(candidate, "BODY").map(textOf);
}

function cardBodies({ cards }: Candidate): Text[] {
  return cards.flatMap(({ parts }) => parts.filter(({ type }) => type === "BODY").map(textOf));
}

function footers(candidate: Candidate): Text[] {
  return isLogin(candidate) ? [] : partsOf(candidate, "FOOTER").map(textOf);
}

/** Those that may have placeholders. */
function texts(candidate: Candidate): Text[] {
  return [...headers(candidate), ...bodies(candidate), ...cardBodies(candidate)];
}

function each(found: readonly Text[], isRight: (text: string) => boolean): Finding[] {
  return found.flatMap(({ path, text }) => unless(isRight(text), path));
}

export const textRules = {
  header_format_unknown: {
    from: COMPONENTS,
    says: `The format of a header is one of ${FORMATS.join(", ")}.`,
    find: (candidate) =>
      allPartsOf(candidate, "HEADER").flatMap((part) =>
        unless(FORMATS.includes(formatOf(part)), `${part.path}.format`),
      ),
  },
  header_text_missing: {
    from: COMPONENTS,
    says: "A header of the format TEXT needs a text.",
    find: (candidate) => each(headers(candidate), (text) => text.trim() !== ""),
  },
  header_too_long: {
    from: COMPONENTS,
    limit: 60,
    says: "A header has at most %limit characters; this one has %count.",
    find: (candidate, limit) => headers(candidate).flatMap(({ path, text }) => longer(text, limit, path)),
  },
  header_placeholders: {
    from: COMPONENTS,
    limit: 1,
    says: "A header has at most %limit placeholder; this one has %count.",
    find: (candidate, limit) =>
      headers(candidate).flatMap(({ path, text }) => {
        const count = placeholdersIn(text).length;
        return unless(count <= limit, path, { count });
      }),
  },
  header_line_break: {
    from: HEADER_ERROR,
    says: "A header is one line: remove the line break.",
    find: (candidate) => each(headers(candidate), (text) => !hasLineBreak(text)),
  },
  header_emoji: {
    from: HEADER_ERROR,
    says: "A header has no emoji: move it to the body.",
    find: (candidate) => each(headers(candidate), (text) => countEmoji(text) === 0),
  },
  header_formatting: {
    from: HEADER_ERROR,
    says: "A header has no formatting (*bold*, _italic_, ~struck~, `code`): WhatsApp shows it bold already.",
    find: (candidate) => each(headers(candidate), (text) => !hasFormatting(text)),
  },
  body_text_missing: {
    from: COMPONENTS,
    says: "A body needs a text.",
    find: (candidate) => each([...bodies(candidate), ...cardBodies(candidate)], (text) => text.trim() !== ""),
  },
  body_too_long: {
    from: COMPONENTS,
    limit: 1_024,
    says: "A body has at most %limit characters; this one has %count.",
    find: (candidate, limit) =>
      has(candidate, "LIMITED_TIME_OFFER")
        ? []
        : bodies(candidate).flatMap(({ path, text }) => longer(text, limit, path)),
  },
  offer_body_too_long: {
    from: OFFER,
    limit: 600,
    says: "The body of a limited-time offer has at most %limit characters; this one has %count.",
    find: (candidate, limit) =>
      has(candidate, "LIMITED_TIME_OFFER")
        ? bodies(candidate).flatMap(({ path, text }) => longer(text, limit, path))
        : [],
  },
  card_body_too_long: {
    from: CAROUSEL,
    limit: 160,
    says: "The text of a card has at most %limit characters; this one has %count.",
    find: (candidate, limit) => cardBodies(candidate).flatMap(({ path, text }) => longer(text, limit, path)),
  },
  body_emoji: {
    from: REVIEW,
    limit: 10,
    says: "The body of a MARKETING template has at most %limit emoji; this one has %count.",
    find: (candidate, limit) =>
      candidate.category !== "MARKETING"
        ? []
        : bodies(candidate).flatMap(({ path, text }) => {
            const count = countEmoji(text);
            return unless(count <= limit, path, { count });
          }),
  },
  footer_text_missing: {
    from: COMPONENTS,
    says: "A footer needs a text.",
    find: (candidate) => each(footers(candidate), (text) => text.trim() !== ""),
  },
  footer_too_long: {
    from: COMPONENTS,
    limit: 60,
    says: "A footer has at most %limit characters; this one has %count.",
    find: (candidate, limit) => footers(candidate).flatMap(({ path, text }) => longer(text, limit, path)),
  },
  footer_placeholder: {
    from: COMPONENTS,
    says: "A footer has no placeholders: move the value to the body.",
    find: (candidate) => each(footers(candidate), (text) => placeholdersIn(text).length === 0),
  },
  footer_line_break: {
    from: FOOTER_ERROR,
    says: "A footer is one line: remove the line break.",
    find: (candidate) => each(footers(candidate), (text) => !hasLineBreak(text)),
  },
  footer_emoji: {
    from: FOOTER_ERROR,
    says: "A footer has no emoji: move it to the body.",
    find: (candidate) => each(footers(candidate), (text) => countEmoji(text) === 0),
  },
  placeholder_braces: {
    from: REVIEW,
    says: "A placeholder has two braces on each side, such as {{1}} or {{first_name}}.",
    find: (candidate) => each(texts(candidate), (text) => !/\{\{|\}\}/.test(text.replace(/\{\{[^{}]*\}\}/g, ""))),
  },
  placeholder_name: {
    from: OVERVIEW,
    says: "%about is not a placeholder here: all are numbered, as {{1}}, or all have lower-case names, as {{first_name}}.",
    find: (candidate) => {
      const right = candidate.format === "NAMED" ? /^[a-z][a-z0-9_]*$/ : /^[1-9]\d*$/;
      return texts(candidate).flatMap(({ path, text }) => {
        const wrong = placeholdersIn(text).find(({ inside }) => !right.test(inside.trim()));
        return unless(wrong === undefined, path, { about: `{{${wrong?.inside.slice(0, 60) ?? ""}}}` });
      });
    },
  },
  placeholder_sequence: {
    from: REVIEW,
    says: "Placeholders are numbered from {{1}} without a gap: {{%about}} is missing.",
    find: (candidate) =>
      candidate.format === "NAMED"
        ? []
        : texts(candidate).flatMap(({ path, text }) => {
            const numbers = namesIn(text).filter((name) => /^[1-9]\d*$/.test(name));
            const missing = numbers.map((_, index) => String(index + 1)).find((number) => !numbers.includes(number));
            return missing === undefined ? [] : [{ path, about: missing }];
          }),
  },
  placeholder_at_edge: {
    from: REVIEW,
    says: "A body neither begins nor ends with a placeholder: put words around it.",
    find: (candidate) =>
      each(
        [...bodies(candidate), ...cardBodies(candidate)],
        (text) => !/^\{\{[^{}]*\}\}|\{\{[^{}]*\}\}$/.test(text.trim()),
      ),
  },
  placeholder_adjacent: {
    from: REVIEW,
    says: "Two placeholders have words between them: %about has none.",
    find: (candidate) =>
      texts(candidate).flatMap(({ path, text }) => {
        const pair = /\{\{[^{}]*\}\}\s*\{\{[^{}]*\}\}/.exec(text)?.[0];
        return pair === undefined ? [] : [{ path, about: pair.replace(/\s+/g, " ").slice(0, 80) }];
      }),
  },
  placeholder_ratio: {
    from: RATIO_ERROR,
    says: "There are too many placeholders for so few words: %count of them need at least %about other words.",
    find: (candidate) =>
      [...bodies(candidate), ...cardBodies(candidate)].flatMap(({ path, text }) => {
        const count = namesIn(text).length;
        const needed = 2 * count + 1;
        return unless(count === 0 || countWords(text) >= needed, path, { count, about: String(needed) });
      }),
  },
} as const satisfies RuleTable;
