/** The cards of a carousel: what each shows, and what it takes when the template is sent. Pure. */
import { readButton, type ValueButton } from "./buttons.ts";
import type { PlaceholderText, TemplateComponent } from "./component.ts";

export interface CardShape {
  header: "image" | "video" | "product";
  /** Null: it has no text. */
  body: PlaceholderText | null;
  /** Those that take a value, in order. */
  buttons: ValueButton[];
  /** Why a template with this card cannot be sent, in plain text; null: it can. */
  unsupported: string | null;
}

/** Meta's limits: cards of a carousel, and the text of each with its values. */
export const CARDS_MIN = 2;
export const CARDS_MAX = 10;
export const CARD_BODY_MAX = 160;

export function readCards({ cards }: TemplateComponent, readText: (text: string) => PlaceholderText): CardShape[] {
  const listed: unknown[] = Array.isArray(cards) ? cards : [];
  return listed.map((card) => {
    const components = (card as { components?: unknown } | null)?.components;
    return readCard(Array.isArray(components) ? (components as TemplateComponent[]) : [], readText);
  });
}

function readCard(components: readonly TemplateComponent[], readText: (text: string) => PlaceholderText): CardShape {
  const card: CardShape = { header: "image", body: null, buttons: [], unsupported: null };
  for (const component of components) {
    switch (component.type.toUpperCase()) {
      case "HEADER": {
        const kind = String(component.format ?? "").toLowerCase();
        if (kind === "image" || kind === "video" || kind === "product") card.header = kind;
        else card.unsupported ??= `it has a card with a ${kind.toUpperCase() || "TEXT"} header`;
        break;
      }
      case "BODY":
        card.body = readText(String(component.text ?? ""));
        break;
      case "BUTTONS":
        readButtons(card, component);
        break;
      default:
        card.unsupported ??= `it has a card with a ${component.type} component`;
    }
  }
  return card;
}

function readButtons(card: CardShape, { buttons }: TemplateComponent): void {
  const listed: unknown[] = Array.isArray(buttons) ? buttons : [];
  listed.forEach((given, index) => {
    const read = readButton(given, index, false);
    if (read.is === "value") card.buttons.push(read.button);
    else if (read.is === "unknown") card.unsupported ??= read.reason;
    else if (read.is !== "plain") card.unsupported ??= "it has a card with a button that no card has";
  });
}

/** Cards show products: then the request says how many there are, within Meta's limits. */
export function showProducts(cards: readonly CardShape[]): boolean {
  return cards[0]?.header === "product";
}

/** All cards of a carousel have the same parts, so a product beyond the approved ones is like the last. */
export function cardAt(cards: readonly CardShape[], index: number): CardShape | undefined {
  return cards[index] ?? (showProducts(cards) ? cards.at(-1) : undefined);
}
