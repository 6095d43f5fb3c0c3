/**
 * A template's category and status, and what the network's components say about it: how many values it takes, its
 * header, and the text that a person sees. Pure.
 */
import { readButton, type ValueButton } from "./buttons.ts";
import { type CardShape, readCards } from "./cards.ts";
import type { PlaceholderText, TemplateComponent } from "./component.ts";

export const templateCategories = ["MARKETING", "UTILITY", "AUTHENTICATION"] as const;
export type TemplateCategory = (typeof templateCategories)[number];

export const templateStatuses = [
  /** The network lets it be sent. A pause, a rejection after an edit, or a permanent block ends this state. */
  "APPROVED",
  /** The network has not decided yet, or is reviewing it again. */
  "PENDING",
  /** The network refused it; editing sends it back to PENDING. */
  "REJECTED",
  /** Stopped for a while because people complained; returns to APPROVED automatically or by a manual decision. */
  "PAUSED",
  /** Stopped for good. */
  "DISABLED",
] as const;
export type TemplateStatus = (typeof templateStatuses)[number];

export type ParameterFormat = "POSITIONAL" | "NAMED";

/** The names of a template's placeholders, in the order of the values that a caller gives by position. */
export interface ParameterOrder {
  header: readonly string[];
  body: readonly string[];
}

export const mediaKinds = ["image", "video", "document"] as const;
export type MediaKind = (typeof mediaKinds)[number];

export interface TemplateShape {
  header:
    | ({ type: "text" } & PlaceholderText)
    | { type: MediaKind }
    | { type: "location" }
    | { type: "product" }
    | null;
  body: PlaceholderText;
  footer: string | null;
  /** Index of the one-time-password button among all buttons. */
  oneTimePasswordButton: number | null;
  /** The buttons that take a value, in order. */
  buttons: ValueButton[];
  /** The button that shows a catalogue, or products of it, and its index among all buttons. */
  productButton: { is: "catalog" | "products"; index: number } | null;
  /** Index of the button that shows an order to pay. */
  orderButton: number | null;
  /** `ends`: the message says when it ends. */
  offer: { text: string; ends: boolean } | null;
  /** Null: it is no carousel. */
  cards: CardShape[] | null;
  /**
   * Whether a name of its order has left the text: until a person confirms, it is unknown which value is meant by a
   * position.
   */
  isOrderOpen: boolean;
  /** Why this API cannot send it at all, in plain text; null if it can. */
  unsupported: string | null;
}

const PLACEHOLDER = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;

/** The network supplies an authentication template's text if its components have none. */
const AUTHENTICATION_BODY = "{{1}} is your verification code.";
const SECURITY_ADVICE = "For your security, do not share this code.";

/** What decides a template's shape. */
interface TemplateSource {
  components: TemplateComponent[];
  parameterFormat: ParameterFormat;
  category: TemplateCategory;
  parameterOrder: ParameterOrder | null;
}

export function readShape(source: TemplateSource): TemplateShape {
  const { components, parameterFormat: format, category } = source;
  const shape: TemplateShape = {
    header: null,
    body: { text: "", placeholders: [] },
    footer: null,
    oneTimePasswordButton: null,
    buttons: [],
    productButton: null,
    orderButton: null,
    offer: null,
    cards: null,
    isOrderOpen: false,
    unsupported: null,
  };
  for (const component of components) {
    switch (component.type.toUpperCase()) {
      case "HEADER":
        readHeader(shape, component, format);
        break;
      case "BODY":
        shape.body = withPlaceholders(bodyText(component, category), format);
        break;
      case "FOOTER":
        shape.footer = footerText(component);
        break;
      case "BUTTONS":
        readButtons(shape, component, category);
        break;
      case "LIMITED_TIME_OFFER":
        shape.offer = readOffer(component);
        break;
      case "CAROUSEL":
        shape.cards = readCards(component, (text) => withPlaceholders(text, format));
        refuse(shape, shape.cards.map(({ unsupported }) => unsupported).find((reason) => reason !== null) ?? null);
        break;
      // The network's own words and buttons.
      case "CALL_PERMISSION_REQUEST":
        break;
      default:
        refuse(shape, `it has a ${component.type} component`);
    }
  }
  if (format === "NAMED" && source.parameterOrder !== null) applyOrder(shape, source.parameterOrder);
  return shape;
}

/** The order in which the template takes its values now. */
export function orderIn({ header, body }: TemplateShape): ParameterOrder {
  return { header: header?.type === "text" ? header.placeholders : [], body: body.placeholders };
}

/**
 * The order to keep when the text of a template that was approved changes from `before` to `after`: known names keep
 * their places, and added names come last. The order stays as it was where a name has left the text, because the order
 * that follows has to be confirmed. Null: placeholders are numbered.
 */
export function nextOrder(before: TemplateSource, after: TemplateSource): ParameterOrder | null {
  if (after.parameterFormat !== "NAMED") return null;
  const known = before.parameterOrder ?? orderIn(readShape(before));
  const found = orderIn(readShape({ ...after, parameterOrder: null }));
  if (hasLeft(known, found)) return known;
  return { header: joined(known.header, found.header), body: joined(known.body, found.body) };
}

function hasLeft(known: ParameterOrder, found: ParameterOrder): boolean {
  const lacks = (part: keyof ParameterOrder): boolean => known[part].some((name) => !found[part].includes(name));
  return lacks("header") || lacks("body");
}

function joined(known: readonly string[], found: readonly string[]): string[] {
  return [...new Set([...known, ...found])];
}

function applyOrder(shape: TemplateShape, order: ParameterOrder): void {
  const found = orderIn(shape);
  const sorted = (part: keyof ParameterOrder): string[] =>
    joined(order[part], found[part]).filter((name) => found[part].includes(name));
  shape.body.placeholders = sorted("body");
  if (shape.header?.type === "text") shape.header.placeholders = sorted("header");
  shape.isOrderOpen = hasLeft(order, found);
}

/** Whether a value by position has the same name in both. */
export function isSameOrder(one: ParameterOrder, other: ParameterOrder): boolean {
  const isSame = (part: keyof ParameterOrder): boolean => JSON.stringify(one[part]) === JSON.stringify(other[part]);
  return isSame("header") && isSame("body");
}

/** How many values header and body take. */
export function valueCounts(shape: TemplateShape): { header: number; body: number } {
  return {
    header: shape.header?.type === "text" ? shape.header.placeholders.length : 0,
    body: shape.body.placeholders.length,
  };
}

/** The text that the person sees: text header, body and footer with the values filled in, separated by blank lines. */
export function renderText(shape: TemplateShape, header: readonly string[], body: readonly string[]): string {
  const top = shape.header?.type === "text" ? fill(shape.header, header) : null;
  return [top, fill(shape.body, body), shape.footer].filter((part) => part !== null && part !== "").join("\n\n");
}

/** The body with `{{1}}`, `{{2}}` … in order, even if the network's own placeholders have names. */
export function numberedBody(shape: TemplateShape): string {
  return fill(
    shape.body,
    shape.body.placeholders.map((_, index) => `{{${index + 1}}}`),
  );
}

export function fill({ text, placeholders }: PlaceholderText, values: readonly string[]): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => values[placeholders.indexOf(name)] ?? whole);
}

function withPlaceholders(text: string, format: ParameterFormat): PlaceholderText {
  const names = [...new Set([...text.matchAll(PLACEHOLDER)].map((match) => match[1] ?? ""))];
  if (format === "NAMED") return { text, placeholders: names };
  // Numbered placeholders are filled in the order of their numbers, not of their positions in the text.
  const highest = Math.max(0, ...names.map(Number).filter(Number.isSafeInteger));
  return { text, placeholders: Array.from({ length: highest }, (_, index) => String(index + 1)) };
}

function readHeader(shape: TemplateShape, component: TemplateComponent, format: ParameterFormat): void {
  const kind = String(component.format ?? "TEXT").toUpperCase();
  const media = mediaKinds.find((known) => known.toUpperCase() === kind);
  if (media !== undefined) {
    shape.header = { type: media };
  } else if (kind === "TEXT") {
    shape.header = { type: "text", ...withPlaceholders(String(component.text ?? ""), format) };
  } else if (kind === "LOCATION" || kind === "PRODUCT") {
    shape.header = { type: kind === "LOCATION" ? "location" : "product" };
  } else {
    refuse(shape, `it has a ${kind} header`);
  }
}

function bodyText(component: TemplateComponent, category: TemplateCategory): string {
  if (typeof component.text === "string" || category !== "AUTHENTICATION") return String(component.text ?? "");
  return component.add_security_recommendation === true
    ? `${AUTHENTICATION_BODY} ${SECURITY_ADVICE}`
    : AUTHENTICATION_BODY;
}

function footerText(component: TemplateComponent): string | null {
  if (typeof component.text === "string") return component.text;
  const minutes = component.code_expiration_minutes;
  return typeof minutes === "number" ? `This code expires in ${minutes} minutes.` : null;
}

function readButtons(shape: TemplateShape, component: TemplateComponent, category: TemplateCategory): void {
  const buttons: unknown[] = Array.isArray(component.buttons) ? component.buttons : [];
  buttons.forEach((given, index) => {
    const read = readButton(given, index, category === "AUTHENTICATION");
    switch (read.is) {
      case "value":
        shape.buttons.push(read.button);
        break;
      case "code_of_login":
        shape.oneTimePasswordButton = index;
        break;
      case "catalog":
      case "products":
        shape.productButton = { is: read.is, index };
        break;
      case "order":
        shape.orderButton = index;
        break;
      case "unknown":
        refuse(shape, read.reason);
    }
  });
}

function readOffer({ limited_time_offer: given }: TemplateComponent): TemplateShape["offer"] {
  const { text, has_expiration: ends } = (typeof given === "object" && given !== null ? given : {}) as Record<
    string,
    unknown
  >;
  return { text: String(text ?? ""), ends: ends !== false };
}

function refuse(shape: TemplateShape, reason: string | null): void {
  shape.unsupported ??= reason;
}
