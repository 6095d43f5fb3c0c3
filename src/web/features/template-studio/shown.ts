/** The draft as the phone shows it, with the samples in the places of the placeholders. Pure. */
import { isLoose } from "#src/domain/templates/rules/candidate.ts";
import type { Template } from "../templates/template-view.ts";
import { at, type Content, filled, findPart, partsAt, textAt, typeOf } from "./content.ts";
import { strings } from "./strings.ts";

type Shown = Pick<Template, "header" | "text" | "footer" | "buttons" | "offer" | "cards">;
type CardHeader = NonNullable<Shown["cards"]>[number]["header"];

const HEADERS = {
  IMAGE: "image",
  VIDEO: "video",
  GIF: "video",
  DOCUMENT: "document",
  LOCATION: "location",
  PRODUCT: "product",
} as const;

/** What WhatsApp writes in a login code. */
const LOGIN = "123456 is your verification code.";
const ADVICE = " For your security, do not share this code.";
const CODE_BUTTON = "Copy code";

export function shownOf(content: Content): Shown {
  const body = findPart(content, "components", "BODY");
  const carousel = findPart(content, "components", "CAROUSEL");
  const offer = findPart(content, "components", "LIMITED_TIME_OFFER");
  return {
    header: headerIn(content, "components"),
    text: bodyIn(content, body),
    footer: footerIn(content),
    buttons: buttonsIn(content, "components").map((button) => ({ ...button, meaning: null })),
    offer:
      offer === null
        ? null
        : {
            text: textAt(content, `${offer}.limited_time_offer.text`),
            ends: at(content, `${offer}.limited_time_offer.has_expiration`) !== false,
          },
    cards:
      carousel === null
        ? null
        : partsAt(content, `${carousel}.cards`).map((_, index) => {
            const list = `${carousel}.cards.${index}.components`;
            const text = findPart(content, list, "BODY");
            return {
              header: cardHeader(headerIn(content, list)?.type),
              text: text === null ? null : filled(content, text),
              placeholders: [],
              buttons: buttonsIn(content, list),
            };
          }),
  };
}

function cardHeader(type: string | undefined): CardHeader {
  return type === "video" || type === "product" ? type : "image";
}

function headerIn(content: Content, list: string): Shown["header"] {
  const part = findPart(content, list, "HEADER");
  if (part === null) return null;
  const format = (textAt(content, `${part}.format`) || "TEXT").toUpperCase();
  const known = Object.entries(HEADERS).find(([name]) => name === format)?.[1];
  return known === undefined ? { type: "text", text: filled(content, part) } : { type: known, text: null };
}

function bodyIn(content: Content, body: string | null): string {
  if (body === null) return "";
  if (content.category !== "AUTHENTICATION" || at(content, `${body}.text`) !== undefined) return filled(content, body);
  return LOGIN + (at(content, `${body}.add_security_recommendation`) === true ? ADVICE : "");
}

function footerIn(content: Content): string | null {
  const part = findPart(content, "components", "FOOTER");
  if (part === null) return null;
  const minutes = textAt(content, `${part}.code_expiration_minutes`);
  if (minutes !== "") return `This code expires in ${minutes} minutes.`;
  return textAt(content, `${part}.text`) || null;
}

function buttonsIn(content: Content, list: string) {
  const part = findPart(content, list, "BUTTONS");
  const all = part === null ? [] : partsAt(content, `${part}.buttons`);
  return all.filter(isLoose).map((button) => {
    const type = typeOf(button);
    const own = typeof button.text === "string" ? button.text : "";
    const text = own || (type === "OTP" ? CODE_BUTTON : (strings.kinds[type] ?? type));
    return { type, text, takes: null };
  });
}
