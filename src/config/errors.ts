/** The words for what is wrong with a configuration: where, what was found, and what would be right. */

import { keyPlaces } from "./settings.ts";
import { findNearest } from "./suggestion.ts";

/** Where a value was given: where to put it right. */
export interface Origin {
  /** The file, the variable or the option. */
  readonly source: string;
  /** From 1; null for anything but a file, and for a file as a whole. */
  readonly line: number | null;
}

export interface Mistake extends Origin {
  /** The key's path, or null where the source as a whole is at fault. */
  readonly path: string | null;
  readonly problem: string;
  readonly advice: string;
}

const LONGEST_SHOWN = 60;
const sectionNames: readonly string[] = [...new Set(keyPlaces.map((place) => place.section))];

/** A found value for a message, short and on one line; of a hidden one the type alone. */
export function describe(value: unknown, hidden: boolean): string {
  switch (typeof value) {
    case "string":
      return hidden ? "a text that is not shown here" : JSON.stringify(shorten(value));
    case "number":
    case "bigint":
      return hidden ? "a number" : `the number ${value}`;
    case "boolean":
      return hidden ? "true or false" : String(value);
    default:
      if (Array.isArray(value)) return "a list";
      return value instanceof Date ? "a date" : "a section";
  }
}

export function unknownSection(origin: Origin, section: string, isTable: boolean): Mistake {
  const path = showKey(section);
  if (isTable) {
    const nearest = findNearest(section, sectionNames);
    const advice = nearest === null ? `the sections are ${sectionNames.join(", ")}` : `did you mean [${nearest}]?`;
    return { ...origin, path, problem: `[${path}] is not a known section`, advice };
  }
  const homes = keyPlaces.filter((place) => place.key.name === section).map((place) => `[${place.section}]`);
  const nearest = findNearest(
    section,
    keyPlaces.map((place) => place.key.name),
  );
  const advice =
    homes.length > 0
      ? `put it below the line ${homes.join(" or ")}`
      : nearest === null
        ? `every key belongs to a section, one of ${sectionNames.join(", ")}`
        : `did you mean ${pathsOf(nearest).join(" or ")}?`;
  return { ...origin, path, problem: `${path} stands outside of any section and is not known there`, advice };
}

/** An unknown key of a known section. */
export function unknownKey(origin: Origin, section: string, name: string): Mistake {
  const path = `${section}.${showKey(name)}`;
  const siblings = keyPlaces.filter((place) => place.section === section).map((place) => place.key.name);
  const nearest = findNearest(name, siblings);
  const elsewhere = pathsOf(name);
  const advice =
    nearest !== null
      ? `did you mean ${section}.${nearest}?`
      : elsewhere.length > 0
        ? `did you mean ${elsewhere.join(" or ")}?`
        : `the keys of [${section}] are ${siblings.join(", ")}`;
  return { ...origin, path, problem: `${path} is not a known key`, advice };
}

export function unknownVariable(variable: string): Mistake {
  const variables = keyPlaces.map((place) => place.variable);
  const nearest = findNearest(variable, variables);
  const advice =
    nearest === null
      ? "variables are named WAXWING_<SECTION>_<KEY>, such as WAXWING_SERVER_LISTEN"
      : `did you mean ${nearest}?`;
  return {
    source: shorten(variable),
    line: null,
    path: null,
    problem: "no configuration key has this variable",
    advice,
  };
}

function pathsOf(name: string): readonly string[] {
  return keyPlaces.filter((place) => place.key.name === name).map((place) => place.path);
}

/** A key as one would write it: in quotes where it needs them, and never longer than a line. */
function showKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? shorten(name) : JSON.stringify(shorten(name));
}

function shorten(value: string): string {
  return value.length > LONGEST_SHOWN ? `${value.slice(0, LONGEST_SHOWN)}…` : value;
}
