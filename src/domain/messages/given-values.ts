/**
 * The values that a caller gives for a template's placeholders, by position or by name. Here, and only here, names become
 * positions: what is stored, sent and shown afterwards does not know the difference.
 */
import { type FieldProblems, unknownName } from "#src/core/fault.ts";
import { Problem, quote } from "#src/core/problem.ts";
import { orderIn, type ParameterFormat, type ParameterOrder, type TemplateShape } from "../templates/template.ts";
import {
  type ButtonValues,
  type CardValues,
  findMisplacedParts,
  type GivenCardValues,
  placeParts,
} from "./place-parts.ts";

/** Values in the order of the template's placeholders. */
export interface PlacedValues<Value> {
  /** The caller gave one list, which is for the body; error paths are named accordingly. */
  isList: boolean;
  header: readonly Value[];
  body: readonly Value[];
  /** Absent: none was given. */
  buttons?: ButtonValues<Value>;
  /** For each card of a carousel. Absent: it is none. */
  cards?: readonly CardValues<Value>[];
}

export interface GivenValues<Value> extends PlacedValues<Value> {
  /** The names of the values, in the order given. Absent: the values are by position. */
  names?: ParameterOrder | undefined;
  cards?: readonly GivenCardValues<Value>[];
}

const parts = ["header", "body"] as const;
type Part = (typeof parts)[number];

/** Reports values that have no place in the template, by their paths. Missing values are reported by `placeValues`. */
export function findMisplaced(
  format: ParameterFormat,
  shape: TemplateShape,
  given: GivenValues<unknown>,
): FieldProblems {
  return { ...findMisplacedTexts(format, shape, given), ...findMisplacedParts(format, shape, given) };
}

function findMisplacedTexts(format: ParameterFormat, shape: TemplateShape, given: GivenValues<unknown>): FieldProblems {
  if (given.names !== undefined) return findUnknownNames(format, shape, given.names);
  if (shape.isOrderOpen) {
    const why = "A name of the template's values was removed or changed, so values by position may be swapped.";
    const advice = "Give them by name, or have an owner confirm the new order: waxwing template order.";
    return { variables: [`${why} ${advice}`] };
  }
  const fields: FieldProblems = {};
  const order = orderIn(shape);
  for (const part of parts) {
    const taken = order[part].length;
    if (given[part].length <= taken) continue;
    fields[given.isList ? "variables" : `variables.${part}`] = [
      `The template's ${part} takes ${taken} ${taken === 1 ? "value" : "values"}, ${given[part].length} were given.`,
    ];
  }
  return fields;
}

function findUnknownNames(format: ParameterFormat, shape: TemplateShape, names: ParameterOrder): FieldProblems {
  const fields: FieldProblems = {};
  const order = orderIn(shape);
  for (const part of parts) {
    if (format !== "NAMED" && names[part].length > 0) {
      const sentence = "The template's placeholders are numbered: give the values as a list.";
      fields[`variables.${part}`] = [{ rule: "type", sentence }];
      continue;
    }
    const known = order[part];
    const advice = known.length === 0 ? "It has none." : `It has ${known.join(", ")}.`;
    for (const name of names[part]) {
      if (known.includes(name)) continue;
      const sentence = `The template's ${part} has no placeholder ${quote(name)}. ${advice}`;
      fields[`variables.${part}.${name}`] = [unknownName(sentence, name, known)];
    }
  }
  return fields;
}

/** The values in the order of the template's placeholders. Throws `missing_variable`. */
export function placeValues<Value>(shape: TemplateShape, given: GivenValues<Value>): PlacedValues<Value> {
  const { names } = given;
  const order = orderIn(shape);
  if (names === undefined) {
    for (const part of parts) requireCount(part, order[part].length, given[part].length);
    return { isList: given.isList, header: given.header, body: given.body, ...placeParts(shape, given) };
  }
  const place = (part: Part): Value[] => {
    const found = new Map(names[part].map((name, index) => [name, given[part][index] as Value]));
    const missing = order[part].filter((name) => !found.has(name));
    if (missing.length > 0) throw missingNames(part, missing);
    return order[part].map((name) => found.get(name) as Value);
  };
  return { isList: false, header: place("header"), body: place("body"), ...placeParts(shape, given) };
}

function requireCount(part: Part, needed: number, count: number): void {
  if (count >= needed) return;
  throw new Problem(
    "missing_variable",
    `The template's ${part} needs ${needed} ${needed === 1 ? "value" : "values"}, ${count} ${count === 1 ? "was" : "were"} given.`,
  );
}

function missingNames(part: Part, [first = "", ...others]: readonly string[]): Problem {
  const message =
    others.length === 0
      ? `The template's ${part} needs a value for ${first}, which was not given.`
      : `The template's ${part} needs values for ${[first, ...others].join(", ")}, which were not given.`;
  return new Problem("missing_variable", message);
}

/** The same values, each changed. */
export function mapValues<From, To>(values: PlacedValues<From>, change: (value: From) => To): MappedValues<To> {
  const mapButtons = (buttons: ButtonValues<From>): (To | null)[] =>
    buttons.map((value) => (value === null ? null : change(value)));
  const { header, body, buttons, cards } = values;
  return {
    header: header.map(change),
    body: body.map(change),
    ...(buttons === undefined ? {} : { buttons: mapButtons(buttons) }),
    ...(cards === undefined
      ? {}
      : { cards: cards.map((card) => ({ body: card.body.map(change), buttons: mapButtons(card.buttons) })) }),
  };
}

interface MappedValues<Value> {
  header: Value[];
  body: Value[];
  buttons?: (Value | null)[];
  cards?: { body: Value[]; buttons: (Value | null)[] }[];
}

/** All of them, in order. */
export function listValues<Value>({ header, body, buttons = [], cards = [] }: PlacedValues<Value>): Value[] {
  const inCards = cards.flatMap((card) => [...card.body, ...card.buttons]);
  return [...header, ...body, ...buttons, ...inCards].filter((value) => value !== null);
}
