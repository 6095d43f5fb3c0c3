/** Which members of a request a template needs beside values for header and body, and a file. Pure. */
import { isRequired } from "./buttons.ts";
import { showProducts } from "./cards.ts";
import { isSameOrder, orderIn, type TemplateShape } from "./template.ts";

export const requestMembers = [
  "variables.buttons",
  "location",
  "offer_expires_at",
  "cards",
  "products",
  "order_details",
] as const;
export type RequestMember = (typeof requestMembers)[number];

/** What a template has that takes the member, in plain text after "it has"; null: it has nothing of the kind. */
export const takersOf: Readonly<Record<RequestMember, (shape: TemplateShape) => string | null>> = {
  "variables.buttons": ({ buttons }) => (buttons.length > 0 ? "buttons that take values" : null),
  location: ({ header }) => (header?.type === "location" ? "a location header" : null),
  offer_expires_at: ({ offer }) => (offer?.ends === true ? "a limited-time offer" : null),
  cards: ({ cards }) => (cards === null ? null : "the cards of a carousel"),
  products: ({ header, productButton, cards }) => {
    if (productButton?.is === "catalog") return "a button that opens the catalogue";
    if (productButton !== null) return "a button that shows products";
    if (header?.type === "product") return "a product at the top";
    return cards !== null && showProducts(cards) ? "cards that show products" : null;
  },
  order_details: ({ orderButton }) => (orderButton === null ? null : "a button that shows an order"),
};

/** Empty: it can be sent with values for header and body alone. */
export function needsOf(shape: TemplateShape): RequestMember[] {
  return requestMembers.filter((member) =>
    member === "variables.buttons" ? shape.buttons.some(isRequired) : takersOf[member](shape) !== null,
  );
}

/** Whether what was given to one fits the other, place by place. */
export function takesTheSame(one: TemplateShape, other: TemplateShape): boolean {
  return isSameOrder(orderIn(one), orderIn(other)) && JSON.stringify(placesIn(one)) === JSON.stringify(placesIn(other));
}

function placesIn({ header, buttons, productButton, orderButton, offer, cards }: TemplateShape) {
  return {
    header: header?.type ?? null,
    buttons: buttons.map(({ index, takes }) => [index, takes]),
    productButton,
    orderButton,
    ends: offer?.ends === true,
    cards: cards?.map((card) => ({
      header: card.header,
      placeholders: card.body?.placeholders ?? [],
      buttons: card.buttons.map(({ index, takes }) => [index, takes]),
    })),
  };
}

/** Why the template cannot be sent with values by position for header and body alone, in plain text; null if it can. */
export function whyUnsendable(shape: TemplateShape): string | null {
  if (shape.unsupported !== null) return shape.unsupported;
  if (shape.isOrderOpen) {
    return "a name of its values was removed or changed, and the new order is not confirmed (waxwing template order)";
  }
  const needs = needsOf(shape);
  return needs.length === 0 ? null : `it needs ${needs.join(", ")} in the request`;
}
