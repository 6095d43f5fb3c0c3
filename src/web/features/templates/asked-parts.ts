/**
 * What a template takes beside header, body and a file: as the fields of a form, and as members of a request. A field has
 * the path by which a refusal names it.
 */
import { strings } from "./part-strings.ts";
import type { Template } from "./template-view.ts";

export interface AskedPart {
  path: string;
  label: string;
  hint?: string | undefined;
  input: "text" | "url" | "datetime-local" | "number" | "lines";
  /** It may be taken from a field of each contact. */
  isValue: boolean;
}

type Shape = Pick<Template, "needs" | "buttons" | "cards" | "header" | "is_named">;
type Button = Omit<Template["buttons"][number], "meaning">;

/** In the order of the template. Optional parts are not asked for, but for the words of a place. */
export function askedParts({ needs, header, buttons, cards }: Shape): AskedPart[] {
  const parts: AskedPart[] = [];
  if (needs.includes("location")) {
    parts.push(
      { path: "location.latitude", label: strings.latitude, input: "number", isValue: false },
      { path: "location.longitude", label: strings.longitude, input: "number", isValue: false },
      { path: "location.name", label: strings.placeName, input: "text", isValue: false },
      { path: "location.address", label: strings.address, input: "text", isValue: false },
    );
  }
  if (needs.includes("offer_expires_at")) {
    parts.push({ path: "offer_expires_at", label: strings.offerEnds, input: "datetime-local", isValue: false });
  }
  if (needs.includes("products")) parts.push(...productParts(header?.type === "product", buttons, cards));
  parts.push(...buttonParts(buttons, "variables.buttons", ""));
  cards?.forEach((card, index) => {
    const of = strings.card(index + 1);
    const path = `cards.${index}`;
    if (card.header === "product") {
      parts.push({ path: `${path}.product`, label: `${of}: ${strings.product}`, input: "text", isValue: false });
    } else {
      const label = `${of}: ${strings.file[card.header]}`;
      parts.push({ path: `${path}.media.link`, label, hint: strings.fileHint, input: "url", isValue: false });
    }
    for (const [at, name] of card.placeholders.entries()) {
      parts.push({ path: `${path}.body.${at}`, label: `${of}: {{${name}}}`, input: "text", isValue: true });
    }
    parts.push(...buttonParts(card.buttons, `${path}.buttons`, `${of}: `));
  });
  return parts;
}

function productParts(isShown: boolean, buttons: readonly Button[], cards: Shape["cards"]): AskedPart[] {
  const hasCards = cards?.[0]?.header === "product";
  const isList = buttons.some(({ type }) => type === "MPM");
  const product = { label: isShown ? strings.product : strings.thumbnail, input: "text", isValue: false } as const;
  return [
    ...(isShown || hasCards
      ? [{ path: "products.catalog_id", label: strings.catalog, input: "text", isValue: false } as const]
      : []),
    ...(hasCards ? [] : [{ ...product, path: "products.thumbnail", hint: strings.productHint }]),
    ...(isList
      ? [
          {
            path: "products.sections",
            label: strings.products,
            hint: strings.productsHint,
            input: "lines",
            isValue: false,
          } as const,
        ]
      : []),
  ];
}

function buttonParts(buttons: readonly Button[], path: string, before: string): AskedPart[] {
  return buttons
    .filter(({ takes }) => takes !== null)
    .flatMap(({ takes, text }, index): AskedPart[] => {
      if (takes === null || takes === "payload") return [];
      const { label, hint } = strings.button[takes];
      return [{ path: `${path}.${index}`, label: before + label(text), hint, input: "text", isValue: true }];
    });
}

/** The members of a request. `at`: what the form has at a path; undefined or blank: nothing. */
export function membersOf(template: Shape, at: (path: string) => unknown) {
  const { needs, header, buttons, cards } = template;
  const text = (path: string): string | undefined => {
    const value = at(path);
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  const number = (path: string): number | undefined => {
    const value = at(path);
    return typeof value === "number" ? value : text(path) === undefined ? undefined : Number(text(path));
  };
  const isShown = header?.type === "product";
  const lines =
    text("products.sections")
      ?.split("\n")
      .map((line) => line.trim()) ?? [];
  const items = lines.filter((line) => line !== "");
  return {
    buttons: valuesOf(buttons, (index) => at(`variables.buttons.${index}`)),
    members: {
      ...(needs.includes("location")
        ? {
            location: {
              latitude: number("location.latitude"),
              longitude: number("location.longitude"),
              name: text("location.name"),
              address: text("location.address"),
            },
          }
        : {}),
      ...(needs.includes("offer_expires_at") ? { offer_expires_at: text("offer_expires_at") ?? "" } : {}),
      ...(needs.includes("products")
        ? {
            products: {
              catalog_id: text("products.catalog_id"),
              thumbnail: cards === null || isShown ? text("products.thumbnail") : undefined,
              sections: items.length === 0 ? undefined : [{ items }],
            },
          }
        : {}),
      ...(cards === null
        ? {}
        : {
            cards: cards.map((card, index) => {
              const path = `cards.${index}`;
              const link = text(`${path}.media.link`);
              const body = card.placeholders.map((name, place) => [name, at(`${path}.body.${place}`) ?? ""] as const);
              return {
                media: link === undefined ? undefined : { link },
                product: text(`${path}.product`),
                body: template.is_named ? Object.fromEntries(body) : body.map(([, value]) => value),
                buttons: valuesOf(card.buttons, (place) => at(`${path}.buttons.${place}`)),
              };
            }),
          }),
    },
  };
}

/** For each button that takes a value; quick replies keep their own words. */
function valuesOf(buttons: readonly Button[], at: (index: number) => unknown): unknown[] {
  return buttons
    .filter(({ takes }) => takes !== null)
    .map(({ takes }, index) => (takes === "payload" ? null : (at(index) ?? "")));
}

/** What a request has at the path of a part. */
export function valueAt(template: Shape, request: unknown, path: string): unknown {
  if (path === "products.sections") {
    const sections = walk(request, ["products", "sections"]);
    return Array.isArray(sections) ? sections.flatMap((section: { items: string[] }) => section.items).join("\n") : "";
  }
  const steps = path.split(".");
  const [of, card, part, place] = steps;
  const name = template.cards?.[Number(card)]?.placeholders[Number(place)];
  if (of === "cards" && part === "body" && template.is_named && name !== undefined) {
    return walk(request, ["cards", String(card), "body", name]);
  }
  return walk(request, steps);
}

function walk(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((part, step) => (part as Record<string, unknown> | null | undefined)?.[step], value);
}
