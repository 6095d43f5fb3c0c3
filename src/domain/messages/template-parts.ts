/**
 * What a request gives a template beside values: a place, the end of an offer, products, an order, the files of cards. Here
 * it is compared with the template, and becomes content. Limits are Meta's pages' (below `templates/`). Pure.
 */
import type { FieldProblems } from "#src/core/fault.ts";
import { Problem } from "#src/core/problem.ts";
import { findMisfit, type ValueButton } from "../templates/buttons.ts";
import { CARD_BODY_MAX, CARDS_MAX, CARDS_MIN, type CardShape, cardAt, showProducts } from "../templates/cards.ts";
import { type RequestMember, requestMembers, takersOf } from "../templates/needs.ts";
import { fill, type ParameterFormat, type TemplateShape } from "../templates/template.ts";
import type { ButtonContent, CardContent, ProductHeader, TemplateContent } from "./content.ts";
import { fillFile, findMisfitFile, type HeaderFile, named } from "./header-file.ts";
import { addFault } from "./kinds/check.ts";
import type { LocationContent } from "./kinds/location.ts";
import type { ButtonValues, CardValues } from "./place-parts.ts";

/** By the members of the request. Absent: the request has none. */
export interface TemplateParts {
  location?: LocationContent["location"];
  /** Milliseconds. */
  offerEndsAt?: number;
  products?: GivenProducts;
  /** As the network takes it. */
  orderDetails?: Readonly<Record<string, unknown>>;
  cards?: readonly CardFile[];
}

interface GivenProducts {
  catalogId?: string;
  thumbnail?: string;
  sections?: readonly { title: string | null; items: readonly string[] }[];
}

/** What is at the top of a card. */
export interface CardFile {
  media: HeaderFile | null;
  /** The shop's own id of a product. */
  product: string | null;
}

/** The values as they are known when the request is evaluated; an empty text where a contact's field decides. */
interface KnownValues {
  buttons?: ButtonValues<string>;
  cards?: readonly CardValues<string>[];
}

/** The members of the request that are there. */
function isGiven(member: RequestMember, parts: TemplateParts): boolean {
  switch (member) {
    case "variables.buttons":
      return false;
    case "location":
      return parts.location !== undefined;
    case "offer_expires_at":
      return parts.offerEndsAt !== undefined;
    case "cards":
      return parts.cards !== undefined;
    case "products":
      return parts.products !== undefined;
    case "order_details":
      return parts.orderDetails !== undefined;
  }
}

const NOTHING_TAKES_IT: Readonly<Record<Exclude<RequestMember, "variables.buttons">, string>> = {
  location: "The template has no location header.",
  offer_expires_at: "The template has no limited-time offer that ends.",
  cards: "The template is no carousel.",
  products: "The template shows no products and no catalogue.",
  order_details: "The template shows no order.",
};

/**
 * Reports what does not fit the template, by its path. `startsAt`: when it is sent, at the earliest. A member that is
 * missing is reported by `requireParts`.
 */
export function findMisfitParts(
  shape: TemplateShape,
  parts: TemplateParts,
  values: KnownValues,
  startsAt: number,
): FieldProblems {
  const fields: FieldProblems = {};
  for (const member of requestMembers) {
    if (member === "variables.buttons" || !isGiven(member, parts) || takersOf[member](shape) !== null) continue;
    addFault(fields, member, { rule: "conflict", sentence: NOTHING_TAKES_IT[member] });
  }
  if (parts.offerEndsAt !== undefined && parts.offerEndsAt <= startsAt) {
    addFault(fields, "offer_expires_at", {
      rule: "too_small",
      sentence: "The offer would be over before the message is sent.",
    });
  }
  checkProducts(fields, shape, parts);
  checkValues(fields, shape.buttons, values.buttons ?? [], "variables.buttons");
  if (shape.cards !== null && parts.cards !== undefined) {
    checkCards(fields, shape.cards, parts.cards, values.cards ?? []);
  }
  return fields;
}

function checkValues(
  fields: FieldProblems,
  buttons: readonly ValueButton[],
  given: ButtonValues<string>,
  path: string,
): void {
  // Fewer values than buttons: those of quick replies were omitted.
  const taking = given.length === buttons.length ? buttons : buttons.filter(({ takes }) => takes !== "payload");
  given.forEach((text, index) => {
    const button = taking[index];
    const fault = button === undefined || text === null || text === "" ? null : findMisfit(button, text);
    if (fault !== null) addFault(fields, `${path}.${index}`, fault);
  });
}

function checkProducts(fields: FieldProblems, shape: TemplateShape, { products }: TemplateParts): void {
  if (products === undefined) return;
  const showsProduct = shape.header?.type === "product";
  const hasProductCards = shape.cards !== null && showProducts(shape.cards);
  const isList = shape.productButton?.is === "products";
  const require = (name: string, value: unknown, sentence: string): void => {
    if (value === undefined) addFault(fields, `products.${name}`, { rule: "required", sentence });
  };
  if (showsProduct || hasProductCards) {
    require("catalog_id", products.catalogId, "The template shows a product: give the id of its catalogue.");
  }
  if (showsProduct) require("thumbnail", products.thumbnail, "The template shows a product: give your id of it.");
  if (isList) {
    require("thumbnail", products.thumbnail, "Give the product whose picture is shown.");
    require("sections", products.sections, "Give the products that the button shows, in sections.");
  } else if (products.sections !== undefined && takersOf.products(shape) !== null) {
    const sentence = "Only a template with a button that shows products takes sections.";
    addFault(fields, "products.sections", { rule: "conflict", sentence });
  }
}

function checkCards(
  fields: FieldProblems,
  shapes: readonly CardShape[],
  cards: readonly CardFile[],
  values: readonly CardValues<string>[],
): void {
  const count = shapes.length;
  if (showProducts(shapes)) {
    if (cards.length < CARDS_MIN || cards.length > CARDS_MAX) {
      const sentence = `A carousel has from ${CARDS_MIN} to ${CARDS_MAX} cards; ${cards.length} were given.`;
      addFault(fields, "cards", { rule: cards.length < CARDS_MIN ? "too_few" : "too_many", sentence });
    }
  } else if (cards.length !== count) {
    const rule = cards.length < count ? "too_few" : "too_many";
    const sentence = `The template was approved with ${count} cards, so it is sent with ${count}; ${cards.length} were given.`;
    addFault(fields, "cards", { rule, sentence, limit: count });
  }
  cards.forEach((card, index) => {
    const shape = cardAt(shapes, index);
    if (shape !== undefined) checkCard(fields, shape, card, values[index], `cards.${index}`);
  });
}

function checkCard(
  fields: FieldProblems,
  shape: CardShape,
  { media, product }: CardFile,
  values: CardValues<string> | undefined,
  path: string,
): void {
  if (shape.header === "product") {
    if (product === null)
      addFault(fields, `${path}.product`, { rule: "required", sentence: "Give your id of the card's product." });
    if (media !== null)
      addFault(fields, `${path}.media`, { rule: "conflict", sentence: "The card shows a product, not a file." });
  } else {
    Object.assign(fields, findMisfitFile(shape.header, "card", media, `${path}.media`));
    if (product !== null) {
      const sentence = `The card shows ${shape.header === "image" ? "an image" : "a video"}, not a product.`;
      addFault(fields, `${path}.product`, { rule: "conflict", sentence });
    }
  }
  if (values === undefined) return;
  checkValues(fields, shape.buttons, values.buttons, `${path}.buttons`);
  if (shape.body === null || values.body.length !== shape.body.placeholders.length) return;
  const length = [...fill(shape.body, values.body)].length;
  if (length <= CARD_BODY_MAX) return;
  const sentence = `A card's text may have at most ${CARD_BODY_MAX} characters with its values; it has ${length}.`;
  addFault(fields, `${path}.body`, { rule: "too_long", sentence, limit: CARD_BODY_MAX });
}

/** Throws `unsupported_template` for a member that the template needs and the request lacks. Values are checked later. */
export function requireParts(name: string, shape: TemplateShape, parts: TemplateParts): void {
  for (const member of requestMembers) {
    if (member === "variables.buttons") continue;
    const taker = takersOf[member](shape);
    if (taker === null || isGiven(member, parts)) continue;
    throw new Problem(
      "unsupported_template",
      `The template ${name} cannot be sent without ${member}: it has ${taker}.`,
    );
  }
}

/** The members of the content that the template has beside texts and a file. `values`: one for each place. */
export function fillParts(
  template: { name: string; parameterFormat: ParameterFormat },
  shape: TemplateShape,
  parts: TemplateParts,
  values: KnownValues,
): Pick<TemplateContent, "offerEndsAt" | "buttons" | "cards"> {
  const buttons = [...fillButtons(shape.buttons, values.buttons ?? []), ...otherButtons(shape, parts)];
  const { cards: shapes } = shape;
  const cards = parts.cards?.flatMap((card, index): CardContent[] => {
    const cardShape = shapes === null ? undefined : cardAt(shapes, index);
    if (cardShape === undefined) return [];
    const given = values.cards?.[index] ?? { body: [], buttons: [] };
    const top = { name: `${template.name}, card ${index + 1}`, path: `cards.${index}.media` };
    return [
      {
        header:
          cardShape.header === "product"
            ? productHeader(parts.products, card.product ?? "")
            : fillFile(cardShape.header, card.media, null, top),
        body: named(cardShape.body?.placeholders ?? [], given.body, template.parameterFormat),
        buttons: fillButtons(cardShape.buttons, given.buttons),
      },
    ];
  });
  return {
    ...(parts.offerEndsAt === undefined ? {} : { offerEndsAt: parts.offerEndsAt }),
    ...(buttons.length === 0 ? {} : { buttons: buttons.toSorted((one, other) => one.index - other.index) }),
    ...(cards === undefined ? {} : { cards }),
  };
}

function fillButtons(buttons: readonly ValueButton[], values: ButtonValues<string>): ButtonContent[] {
  return buttons.flatMap(({ index, takes }, at) => {
    const value = values[at] ?? null;
    return value === null ? [] : [{ gives: takes, index, value }];
  });
}

function otherButtons(
  { productButton, orderButton }: TemplateShape,
  { products, orderDetails }: TemplateParts,
): ButtonContent[] {
  const others: ButtonContent[] = [];
  if (productButton?.is === "catalog") {
    others.push({ gives: "catalog", index: productButton.index, thumbnail: products?.thumbnail ?? null });
  } else if (productButton !== null) {
    const { thumbnail = "", sections = [] } = products ?? {};
    others.push({ gives: "products", index: productButton.index, thumbnail, sections });
  }
  if (orderButton !== null && orderDetails !== undefined) {
    others.push({ gives: "order", index: orderButton, details: orderDetails });
  }
  return others;
}

/** The product at the top of a message or a card. */
export function productHeader(products: GivenProducts | undefined, productId: string): ProductHeader {
  return { type: "product", catalogId: products?.catalogId ?? "", productId };
}
