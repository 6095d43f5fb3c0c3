/** The values that a caller gives for a template's buttons, and for the cards of a carousel. Pure. */
import { type FieldProblems, unknownName } from "#src/core/fault.ts";
import { Problem, quote } from "#src/core/problem.ts";
import { describeValue, isRequired, type ValueButton } from "../templates/buttons.ts";
import { type CardShape, cardAt } from "../templates/cards.ts";
import type { ParameterFormat, TemplateShape } from "../templates/template.ts";

/** Values for the buttons that take one, in order; null: a quick reply keeps its own. */
export type ButtonValues<Value> = readonly (Value | null)[];

/** Values for one card, in the order of its placeholders. */
export interface CardValues<Value> {
  body: readonly Value[];
  buttons: ButtonValues<Value>;
}

export interface GivenCardValues<Value> extends CardValues<Value> {
  /** Of the values of `body`. Absent: they are by position. */
  names?: readonly string[];
}

interface GivenParts<Value> {
  buttons?: ButtonValues<Value>;
  cards?: readonly GivenCardValues<Value>[];
}

interface PlacedParts<Value> {
  buttons?: ButtonValues<Value>;
  cards?: readonly CardValues<Value>[];
}

/** Reports values that have no place in the template, by their paths. How many cards there are is checked with their files. */
export function findMisplacedParts(
  format: ParameterFormat,
  { buttons, cards }: TemplateShape,
  given: GivenParts<unknown>,
): FieldProblems {
  const fields = findSurplus(buttons, given.buttons ?? [], "variables.buttons");
  given.cards?.forEach((card, index) => {
    const shape = cards === null ? undefined : cardAt(cards, index);
    if (shape === undefined) return;
    Object.assign(fields, findSurplus(shape.buttons, card.buttons, `cards.${index}.buttons`));
    Object.assign(fields, findMisplacedTexts(format, shape, card, `cards.${index}.body`));
  });
  return fields;
}

function findSurplus(buttons: readonly ValueButton[], given: ButtonValues<unknown>, path: string): FieldProblems {
  if (given.length <= buttons.length) return {};
  const sentence =
    buttons.length === 0
      ? "It has no button that takes a value."
      : `Its buttons take ${count(buttons.length, "value")}, ${given.length} were given: ${listed(buttons)}.`;
  return { [path]: [{ rule: "too_many", sentence, limit: buttons.length }] };
}

function findMisplacedTexts(
  format: ParameterFormat,
  { body: shape }: CardShape,
  { body, names }: GivenCardValues<unknown>,
  path: string,
): FieldProblems {
  const placeholders = shape?.placeholders ?? [];
  if (names === undefined) {
    // The order of a card's names is not kept, so a position could come to mean another value.
    if (format === "NAMED" && body.length > 0) {
      return {
        [path]: [{ rule: "type", sentence: "The template's placeholders have names: give an object of names." }],
      };
    }
    if (body.length <= placeholders.length) return {};
    const sentence = `The card's text takes ${count(placeholders.length, "value")}, ${body.length} were given.`;
    return { [path]: [{ rule: "too_many", sentence, limit: placeholders.length }] };
  }
  if (format !== "NAMED") {
    if (names.length === 0) return {};
    return {
      [path]: [{ rule: "type", sentence: "The template's placeholders are numbered: give the values as a list." }],
    };
  }
  const advice = placeholders.length === 0 ? "It has none." : `It has ${placeholders.join(", ")}.`;
  return Object.fromEntries(
    names
      .filter((name) => !placeholders.includes(name))
      .map((name) => [
        `${path}.${name}`,
        [unknownName(`The card's text has no placeholder ${quote(name)}. ${advice}`, name, placeholders)],
      ]),
  );
}

/** One value for each button and placeholder of the template and its cards. Throws `missing_variable`. */
export function placeParts<Value>({ buttons, cards }: TemplateShape, given: GivenParts<Value>): PlacedParts<Value> {
  const placed = placeButtons(buttons, given.buttons ?? [], "The template");
  return {
    ...(placed.every((value) => value === null) ? {} : { buttons: placed }),
    ...(cards === null || given.cards === undefined
      ? {}
      : { cards: given.cards.map((card, index) => placeCard(cardAt(cards, index), card, `Card ${index + 1}`)) }),
  };
}

function placeCard<Value>(shape: CardShape | undefined, { body, names, buttons }: GivenCardValues<Value>, of: string) {
  const placeholders = shape?.body?.placeholders ?? [];
  const found = names === undefined ? body : placeholders.flatMap((name) => valuesNamed(names, body, name));
  if (found.length < placeholders.length) {
    throw new Problem(
      "missing_variable",
      `${of} needs ${count(placeholders.length, "value")} for its text, ${count(found.length, "value")} given.`,
    );
  }
  return { body: found, buttons: placeButtons(shape?.buttons ?? [], buttons, of) };
}

function valuesNamed<Value>(names: readonly string[], values: readonly Value[], name: string): Value[] {
  const index = names.indexOf(name);
  return index === -1 ? [] : [values[index] as Value];
}

/** Either each button has its entry, or each that cannot do without. */
function placeButtons<Value>(
  buttons: readonly ValueButton[],
  given: ButtonValues<Value>,
  of: string,
): (Value | null)[] {
  const required = buttons.filter(isRequired);
  if (given.length === buttons.length) {
    const missing = buttons.find((button, index) => isRequired(button) && given[index] === null);
    if (missing === undefined) return [...given];
  } else if (given.length === required.length && !given.includes(null)) {
    const rest = [...given];
    return buttons.map((button) => (isRequired(button) ? (rest.shift() ?? null) : null));
  }
  const some = given.filter((value) => value !== null).length;
  throw new Problem(
    "missing_variable",
    `${of} needs ${count(buttons.length, "value")} for its buttons, ${count(some, "value")} given: ${listed(buttons)}.`,
  );
}

function listed(buttons: readonly ValueButton[]): string {
  return buttons
    .map((button) => describeValue(button) + (isRequired(button) ? "" : " (null for its own words)"))
    .join(", ");
}

function count(amount: number, what: string): string {
  return `${amount} ${what}${amount === 1 ? "" : "s"}`;
}
