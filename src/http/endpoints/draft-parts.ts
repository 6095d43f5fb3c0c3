/**
 * A draft that is not finished, completed so that the rest of it can be shown: each value and each part that is missing is
 * replaced by a sample. Pure.
 */
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
import type { DraftContent } from "#src/domain/broadcasts/table.ts";
import type { ValueButton } from "#src/domain/templates/buttons.ts";
import type { CardShape } from "#src/domain/templates/cards.ts";
import { needsOf } from "#src/domain/templates/needs.ts";
import { mediaKinds, type ParameterFormat, type TemplateShape, valueCounts } from "#src/domain/templates/template.ts";

interface DraftVariables {
  header?: readonly unknown[];
  body?: readonly unknown[];
  buttons?: readonly unknown[];
}

interface DraftCard {
  media?: unknown;
  product?: unknown;
  body?: unknown;
  buttons?: readonly unknown[];
}

const SAMPLE_LINK = "https://files.example.com/sample";
const SAMPLE_ID = "sample";
const SAMPLE_PLACE = { latitude: 0, longitude: 0 };
/** Later than any draft. */
const SAMPLE_END = "2999-01-01";

/** The members of `POST /broadcasts` that say what the template gets. */
export function completeContent(
  shape: TemplateShape,
  format: ParameterFormat,
  content: DraftContent,
): Record<string, unknown> {
  const { header = [], body = [], buttons = [] } = (content.variables ?? {}) as DraftVariables;
  const size = valueCounts(shape);
  const given = (content.cards ?? []) as readonly DraftCard[];
  const samples: Record<string, unknown> = {
    location: SAMPLE_PLACE,
    offer_expires_at: SAMPLE_END,
    products: sampleProducts(shape),
    cards: shape.cards?.map((card, index) => completeCard(card, format, given[index] ?? {})),
  };
  const needed = needsOf(shape).filter((name) => Object.hasOwn(samples, name));
  const parts = needed.map((name) => [name, name === "cards" ? samples.cards : (content[name] ?? samples[name])]);
  return {
    variables: {
      header: completeValues(header, size.header),
      body: completeValues(body, size.body),
      buttons: completeButtons(buttons, shape.buttons),
    },
    ...(hasFile(shape) ? { media: content.media ?? { link: SAMPLE_LINK } } : {}),
    ...Object.fromEntries(parts),
  };
}

function completeCard(shape: CardShape, format: ParameterFormat, { media, product, body, buttons = [] }: DraftCard) {
  const placeholders = shape.body?.placeholders ?? [];
  const byName = (Array.isArray(body) ? {} : (body ?? {})) as Readonly<Record<string, unknown>>;
  const named = placeholders.map((name) => [name, isBlank(byName[name]) ? `{{${name}}}` : byName[name]]);
  return {
    ...(shape.header === "product" ? { product: product ?? SAMPLE_ID } : { media: media ?? { link: SAMPLE_LINK } }),
    body:
      format === "NAMED"
        ? Object.fromEntries(named)
        : completeValues(Array.isArray(body) ? body : [], placeholders.length),
    buttons: completeButtons(buttons, shape.buttons),
  };
}

function completeValues(values: readonly unknown[], count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => (isBlank(values[index]) ? `{{${index + 1}}}` : values[index]));
}

function completeButtons(values: readonly unknown[], buttons: readonly ValueButton[]): unknown[] {
  return buttons.map(({ takes }, index) => {
    if (!isBlank(values[index])) return values[index];
    return takes === "payload" ? null : SAMPLE_ID;
  });
}

function hasFile({ header }: TemplateShape): boolean {
  return mediaKinds.some((kind) => kind === header?.type);
}

function sampleProducts({ productButton }: TemplateShape) {
  const sections = productButton?.is === "products" ? { sections: [{ items: [SAMPLE_ID] }] } : {};
  return { catalog_id: SAMPLE_ID, thumbnail: SAMPLE_ID, ...sections };
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && SHOWS_NOTHING.test(value));
}
