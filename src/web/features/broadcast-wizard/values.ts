/** The values of a draft, as many as its template takes. */
import { askedParts, membersOf, valueAt } from "../templates/asked-parts.ts";
import type { Template } from "../templates/template-view.ts";
import type { DraftContent, DraftValue } from "./draft.ts";

/** Clears all that a template gets. */
export const NO_VALUES = {
  variables: undefined,
  media: undefined,
  location: undefined,
  offer_expires_at: undefined,
  products: undefined,
  cards: undefined,
} as const satisfies DraftContent;

/** Pads the values to the number that the template needs. */
export function padValues({ variables }: DraftContent, { variables: size }: Template) {
  const fill = (list: readonly DraftValue[] = [], count: number) =>
    Array.from({ length: count }, (_, index): DraftValue => list[index] ?? "");
  return { header: fill(variables?.header, size.header), body: fill(variables?.body, size.body) };
}

/** Every member of the draft that says what the template gets. `changed`: the value at one path, as a refusal names it. */
export function readValues(
  content: DraftContent,
  template: Template,
  changed?: { path: string; value: DraftValue },
): DraftContent {
  const known = padValues(content, template);
  const at = (path: string): unknown => (path === changed?.path ? changed.value : valueAt(template, content, path));
  const list = (part: "header" | "body") =>
    known[part].map((_, index) => (at(`variables.${part}.${index}`) ?? "") as DraftValue);
  const { buttons, members } = membersOf(template, at);
  const values = { header: list("header"), body: list("body") };
  const isAsked = askedParts(template).length > 0;
  const variables = isAsked && buttons.length > 0 ? { ...values, buttons: buttons as (DraftValue | null)[] } : values;
  return JSON.parse(JSON.stringify({ variables, ...(isAsked ? members : {}) })) as DraftContent;
}

/** The parts of a test, which has the values of one recipient. */
export function testParts(
  template: Template,
  { location, offer_expires_at, products, cards }: DraftContent,
  example: { cards: readonly { body: readonly string[]; buttons: readonly (string | null)[] }[] },
) {
  const named = (index: number, body: readonly string[]) =>
    template.is_named
      ? Object.fromEntries((template.cards?.[index]?.placeholders ?? []).map((name, at) => [name, body[at] ?? ""]))
      : [...body];
  return {
    ...(location === undefined ? {} : { location }),
    ...(offer_expires_at === undefined ? {} : { offer_expires_at }),
    ...(products === undefined ? {} : { products }),
    ...(cards === undefined
      ? {}
      : {
          cards: cards.map((card, index) => ({
            ...card,
            body: named(index, example.cards[index]?.body ?? []),
            buttons: [...(example.cards[index]?.buttons ?? [])],
          })),
        }),
  };
}
