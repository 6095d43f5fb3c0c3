/**
 * A template's category and status, and what the network's components say about it: how many values it takes, its
 * header, and the text that a person sees. Pure.
 */
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

/** One entry of the network's `components`, unchanged, including unknown members. */
export interface TemplateComponent {
  type: string;
  [member: string]: unknown;
}

export const mediaKinds = ["image", "video", "document"] as const;
export type MediaKind = (typeof mediaKinds)[number];

export interface TemplateShape {
  header: { type: "text"; text: string; placeholders: string[] } | { type: MediaKind } | { type: "location" } | null;
  body: { text: string; placeholders: string[] };
  footer: string | null;
  /** Index of the one-time-password button among all buttons. */
  oneTimePasswordButton: number | null;
  /**
   * Whether a name of its order has left the text: until a person confirms, it is unknown which value is meant by a
   * position.
   */
  isOrderOpen: boolean;
  /** Why this API cannot send it at all, in plain text; null if it can. */
  unsupported: string | null;
}

const PLACEHOLDER = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;

/** Buttons that need no value when the template is sent. */
const PLAIN_BUTTONS = ["QUICK_REPLY", "PHONE_NUMBER", "REQUEST_CONTACT_INFO"];

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
        refuse(shape, "it has a limited-time offer");
        break;
      case "CAROUSEL":
        refuse(shape, "it is a carousel");
        break;
      default:
        refuse(shape, `it has a ${component.type} component`);
    }
  }
  if (format === "NAMED" && source.parameterOrder !== null) applyOrder(shape, source.parameterOrder);
  return shape;
}

/** Why the template cannot be sent with values by position, in plain text; null if it can. */
export function whyUnsendable({ unsupported, isOrderOpen }: TemplateShape): string | null {
  if (unsupported !== null || !isOrderOpen) return unsupported;
  return "a name of its values was removed or changed, and the new order is not confirmed (waxwing template order)";
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

/** A template's texts with the values filled in. */
export interface FilledTexts {
  /** Null without a header that is text. */
  header: string | null;
  body: string;
}

export function fillTexts(shape: TemplateShape, header: readonly string[], body: readonly string[]): FilledTexts {
  return { header: shape.header?.type === "text" ? fill(shape.header, header) : null, body: fill(shape.body, body) };
}

/** The text that the person sees: text header, body and footer with the values filled in, separated by blank lines. */
export function renderText(shape: TemplateShape, header: readonly string[], body: readonly string[]): string {
  const filled = fillTexts(shape, header, body);
  return [filled.header, filled.body, shape.footer].filter((part) => part !== null && part !== "").join("\n\n");
}

/** The body with `{{1}}`, `{{2}}` … in order, even if the network's own placeholders have names. */
export function numberedBody(shape: TemplateShape): string {
  return fill(
    shape.body,
    shape.body.placeholders.map((_, index) => `{{${index + 1}}}`),
  );
}

function fill({ text, placeholders }: { text: string; placeholders: string[] }, values: readonly string[]): string {
  return text.replace(PLACEHOLDER, (whole, name: string) => values[placeholders.indexOf(name)] ?? whole);
}

function withPlaceholders(text: string, format: ParameterFormat): { text: string; placeholders: string[] } {
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
  } else if (kind === "LOCATION") {
    shape.header = { type: "location" };
    refuse(shape, "it has a location header");
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
  buttons.forEach((button, index) => {
    const { type, url } = (typeof button === "object" && button !== null ? button : {}) as Record<string, unknown>;
    const kind = String(type ?? "").toUpperCase();
    const isDynamicUrl = kind === "URL" && /\{\{/.test(String(url ?? ""));
    // Created as OTP, but listed by the network as a URL button with the code in its address.
    if (kind === "OTP" || (category === "AUTHENTICATION" && isDynamicUrl)) {
      shape.oneTimePasswordButton = index;
      return;
    }
    const reason = whyUnsupported(kind, isDynamicUrl);
    if (reason !== null) refuse(shape, reason);
  });
}

/** Why a button of this kind cannot be sent; null: it can. */
function whyUnsupported(kind: string, isDynamicUrl: boolean): string | null {
  if (isDynamicUrl) return "it has a button with a variable link";
  if (kind === "COPY_CODE") return "it has a button that copies a code";
  if (kind === "URL" || PLAIN_BUTTONS.includes(kind)) return null;
  return `it has a button of type ${kind || "unknown"}`;
}

function refuse(shape: TemplateShape, reason: string): void {
  shape.unsupported ??= reason;
}
