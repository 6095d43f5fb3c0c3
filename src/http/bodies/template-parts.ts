/**
 * What a request gives a template beside texts and a file: values for buttons, a place, the end of an offer, cards,
 * products, an order. The schemas, and the conversion from JSON to the input of the domain.
 */
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import type { FieldProblems } from "#src/core/fault.ts";
import { readInstant } from "#src/core/instant.ts";
import { Component, Form, FormComponent, inDocument, NOT_BLANK, shownAs } from "#src/core/schema.ts";
import type { HeaderFile } from "#src/domain/messages/header-file.ts";
import { checkAllShown } from "#src/domain/messages/kinds/check.ts";
import { Location } from "#src/domain/messages/kinds/location.ts";
import { checkLink, checkSource, FileSource, Link } from "#src/domain/messages/link.ts";
import type { GivenCardValues } from "#src/domain/messages/place-parts.ts";
import type { CardFile, TemplateParts } from "#src/domain/messages/template-parts.ts";
import { CARDS_MAX } from "#src/domain/templates/cards.ts";
import { TIME_PATTERN } from "./time.ts";
import { buttonValuesOf, type ReadValue, readButtons, readPart } from "./variables.ts";

/** Of ours: the shop's own ids, and those of catalogues. */
const ID_LENGTH_MAX = 100;
/** Meta's limits (`mpm-templates`). */
const SECTIONS_MAX = 10;
const SECTION_TITLE_MAX = 24;
const PRODUCTS_MAX = 30;
/** Meta's limits (`orderdetailstemplate`). */
const ORDER_REFERENCE_MAX = 35;

const words = (maxLength: number, description: string, example: string) =>
  inDocument(Type.String({ minLength: 1, maxLength, description, examples: [example] }), NOT_BLANK);
const productId = (description: string) => words(ID_LENGTH_MAX, description, "sku-7");

const Section = FormComponent("ProductSection", "Products under a common title.", {
  title: Type.Optional(words(SECTION_TITLE_MAX, "Title of the section. Required if there are several.", "New")),
  items: Type.Array(productId("Your own id of a product."), {
    minItems: 1,
    maxItems: PRODUCTS_MAX,
    description: `Products by your own ids; at most ${PRODUCTS_MAX} in all sections.`,
  }),
});

const Products = FormComponent("TemplateProducts", "Products of a catalogue that is connected to the account.", {
  catalog_id: Type.Optional(
    words(
      ID_LENGTH_MAX,
      "Id of the catalogue. Required where the template or its cards show a product; elsewhere WhatsApp takes the catalogue of the account.",
      "194836987003835",
    ),
  ),
  thumbnail: Type.Optional(
    productId("Your own id of the product whose picture is shown at the top. Optional with a catalogue."),
  ),
  sections: Type.Optional(
    Type.Array(Section, {
      minItems: 1,
      maxItems: SECTIONS_MAX,
      description: "What a multi-product template shows; only for such a template.",
    }),
  ),
});

const Amount = Component("OrderAmount", "An amount as WhatsApp has it: `value` divided by `offset`.", {
  value: Type.Integer({ minimum: 0, description: "In units of `offset`.", examples: [12_500] }),
  offset: Type.Integer({ minimum: 1, description: "100 for two decimals.", examples: [100] }),
});

/** Members beyond these are Meta's, and are passed on. */
const OrderDetails = Component(
  "OrderDetails",
  "An order to pay, in WhatsApp's own form, for an account that has payments (India, Brazil). Further members, such as `order` and `payment_settings`, are passed on as they are.",
  {
    reference_id: words(ORDER_REFERENCE_MAX, "Your own id of the order, unique for each.", "order-10042"),
    type: Type.Unsafe<string>({ type: "string", enum: ["digital-goods", "physical-goods"] }),
    currency: inDocument(Type.String({ minLength: 3, maxLength: 3, examples: ["INR"] }), { pattern: "^[A-Z]{3}$" }),
    total_amount: Amount,
  },
);

const OfferEnd = inDocument(
  Type.String({
    format: "date-time",
    description:
      "When a limited-time offer ends: the message shows it, and nothing is sent afterwards. A time without an offset is interpreted in the workspace's timezone.",
    examples: ["2026-11-30T20:00:00+05:30"],
  }),
  { pattern: TIME_PATTERN },
);

const CardMedia = FileSource(
  { $id: "CardMedia", description: "The image or video of a card: by a link, or by the id of an upload." },
  Link(
    "A public HTTPS URL, which the network fetches when the message is sent. JPG or PNG up to 5 MB, or MP4 up to 16 MB, as the card has it.",
    "https://files.example.com/table.jpg",
  ),
  {},
);

/** The members beside `variables`. `value`: one for a placeholder; `buttonValue`: one for a button. `$id`: of a card. */
export function partsOf($id: string, value: TSchema, buttonValue: TSchema, examples: unknown[]) {
  const body = Type.Unsafe<unknown>({
    anyOf: [
      Type.Array(value, { maxItems: 100, description: "Values in the order of the placeholders." }),
      Type.Unsafe<Record<string, unknown>>({
        type: "object",
        additionalProperties: value,
        maxProperties: 100,
        description: "Values of named placeholders, by name.",
      }),
    ],
    description: "Values for the card's text: a list or, for named placeholders, an object of names.",
  });
  const rest = { media: Type.Optional(CardMedia), product: Type.Optional(productId("Your own id of the product.")) };
  const shown = FormComponent($id, "What a card of a carousel shows; which members it needs, the template says.", {
    ...rest,
    body: Type.Optional(body),
    buttons: Type.Optional(buttonValuesOf(buttonValue, examples)),
  });
  // Values are read one by one: a union's schema says only that none of its forms fits.
  const checked = Form({ ...rest, body: Type.Optional(Type.Unknown()), buttons: Type.Optional(Type.Unknown()) });
  const list = { maxItems: CARDS_MAX, description: "One for each card of a carousel, in order." };
  return {
    location: Type.Optional(Location),
    offer_expires_at: Type.Optional(OfferEnd),
    cards: Type.Optional(shownAs(Type.Array(checked, list), Type.Array(shown, list))),
    products: Type.Optional(Products),
  };
}

export const OrderPart = { order_details: Type.Optional(OrderDetails) };

interface GivenMembers {
  location?: Static<typeof Location>;
  offer_expires_at?: string;
  cards?: { media?: { link?: string; id?: number }; product?: string; body?: unknown; buttons?: unknown }[];
  products?: Static<typeof Products>;
  order_details?: Record<string, unknown>;
}

/** `body`: the members fit the schemas, or are in `fields`. */
export function readParts(body: GivenMembers, timezone: string, fields: FieldProblems): TemplateParts {
  const isRight = (name: string): boolean =>
    !Object.keys(fields).some((path) => path === name || path.startsWith(`${name}.`));
  const { location, offer_expires_at: offerEnd, products, order_details: orderDetails, cards } = body;
  const parts: TemplateParts = {};
  if (location !== undefined && isRight("location")) {
    checkAllShown(fields, location, "location");
    parts.location = location;
  }
  if (typeof offerEnd === "string") {
    const offerEndsAt = readInstant(offerEnd, timezone);
    if (offerEndsAt !== null) parts.offerEndsAt = offerEndsAt;
    else {
      const sentence = "Use an ISO 8601 time, for example 2026-11-30T20:00:00+05:30.";
      fields.offer_expires_at = [{ rule: "format", sentence }];
    }
  }
  if (products !== undefined && isRight("products")) parts.products = readProducts(products, fields);
  if (orderDetails !== undefined && isRight("order_details")) {
    checkAllShown(fields, { reference_id: orderDetails.reference_id }, "order_details");
    if (!/^[A-Z]{3}$/.test(String(orderDetails.currency))) {
      fields["order_details.currency"] = [
        { rule: "format", sentence: "A currency is three capital letters, such as INR." },
      ];
    }
    parts.orderDetails = orderDetails;
  }
  if (cards !== undefined && isRight("cards")) {
    parts.cards = cards.map((card, index) => readCardFile(card, `cards.${index}`, fields));
  }
  return parts;
}

function readProducts(
  { catalog_id: catalogId, thumbnail, sections }: Static<typeof Products>,
  fields: FieldProblems,
): NonNullable<TemplateParts["products"]> {
  checkAllShown(fields, { catalog_id: catalogId, thumbnail, sections }, "products");
  if (sections !== undefined) {
    const count = sections.flatMap(({ items }) => items).length;
    if (count > PRODUCTS_MAX) {
      const sentence = `All sections together have at most ${PRODUCTS_MAX} products; there are ${count}.`;
      fields["products.sections"] = [{ rule: "too_many", sentence, limit: PRODUCTS_MAX }];
    }
    sections.forEach(({ title }, index) => {
      if (title !== undefined || sections.length === 1) return;
      const sentence = "With several sections, each needs a title.";
      fields[`products.sections.${index}.title`] = [{ rule: "required", sentence }];
    });
  }
  return {
    ...(catalogId === undefined ? {} : { catalogId }),
    ...(thumbnail === undefined ? {} : { thumbnail }),
    ...(sections === undefined
      ? {}
      : { sections: sections.map(({ title, items }) => ({ title: title ?? null, items })) }),
  };
}

function readCardFile(
  { media, ...card }: NonNullable<GivenMembers["cards"]>[number],
  path: string,
  fields: FieldProblems,
): CardFile {
  const product = card.product ?? null;
  if (product !== null) checkAllShown(fields, product, `${path}.product`);
  if (media === undefined) return { media: null, product };
  const { link = null, id } = media;
  checkSource(fields, media, `${path}.media`);
  if (link !== null) checkLink(fields, `${path}.media.link`, link);
  const file: HeaderFile = { link, filename: null, ...(id === undefined ? {} : { id }) };
  return { media: file, product };
}

/** The values of the cards; absent without cards, or if they do not fit their schema. */
export function readCardValues<Value>(
  cards: unknown,
  fields: FieldProblems,
  readValue: ReadValue<Value>,
): { cards?: GivenCardValues<Value>[] } {
  if (!Array.isArray(cards) || fields.cards !== undefined) return {};
  return {
    cards: cards.map((card: { body?: unknown; buttons?: unknown } | null, index) => {
      const { names, values } = readPart(card?.body, `cards.${index}.body`, fields, readValue);
      const buttons = readButtons(card?.buttons, `cards.${index}.buttons`, fields, readValue);
      return { body: values, ...(names === null ? {} : { names }), buttons };
    }),
  };
}
