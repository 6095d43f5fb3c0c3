/** The messages about configuration mistakes: where, what was found, and what would be correct. */

import { configKeys } from "./settings.ts";
import { findSuggestion } from "./suggestion.ts";

/** Where a value was given, and so where to correct it. */
export interface SourceLocation {
  /** The file, the variable or the option. */
  readonly source: string;
  /** Counted from 1; null if the source is not a file or the file as a whole is meant. */
  readonly line: number | null;
}

export interface ConfigProblem extends SourceLocation {
  /** The key's path; null if the source as a whole is at fault. */
  readonly path: string | null;
  readonly message: string;
  readonly advice: string;
}

const SHOWN_LENGTH_MAX = 60;
const sectionNames: readonly string[] = [...new Set(configKeys.map((configKey) => configKey.section))];

/** The value for a message, short and on one line; only the type of a secret value. */
export function describeValue(value: unknown, isSecret: boolean): string {
  switch (typeof value) {
    case "string":
      return isSecret ? "a text that is not shown here" : JSON.stringify(shorten(value));
    case "number":
    case "bigint":
      return isSecret ? "a number" : `the number ${value}`;
    case "boolean":
      return isSecret ? "true or false" : String(value);
    default:
      if (Array.isArray(value)) return "a list";
      return value instanceof Date ? "a date" : "a section";
  }
}

export function unknownSectionProblem(location: SourceLocation, section: string, isTable: boolean): ConfigProblem {
  const path = showKey(section);
  if (isTable) {
    const suggestion = findSuggestion(section, sectionNames);
    const advice =
      suggestion === null ? `the sections are ${sectionNames.join(", ")}` : `did you mean [${suggestion}]?`;
    return { ...location, path, message: `[${path}] is not a known section`, advice };
  }
  const matchingSections = configKeys
    .filter((configKey) => configKey.key.name === section)
    .map((configKey) => `[${configKey.section}]`);
  const suggestion = findSuggestion(
    section,
    configKeys.map((configKey) => configKey.key.name),
  );
  const advice =
    matchingSections.length > 0
      ? `put it below the line ${matchingSections.join(" or ")}`
      : suggestion === null
        ? `every key belongs to a section, one of ${sectionNames.join(", ")}`
        : `did you mean ${pathsOf(suggestion).join(" or ")}?`;
  return { ...location, path, message: `${path} is outside of any section`, advice };
}

/** An unknown key in a known section. */
export function unknownKeyProblem(location: SourceLocation, section: string, name: string): ConfigProblem {
  const path = `${section}.${showKey(name)}`;
  const siblings = configKeys
    .filter((configKey) => configKey.section === section)
    .map((configKey) => configKey.key.name);
  const suggestion = findSuggestion(name, siblings);
  const elsewhere = pathsOf(name);
  const advice =
    suggestion !== null
      ? `did you mean ${section}.${suggestion}?`
      : elsewhere.length > 0
        ? `did you mean ${elsewhere.join(" or ")}?`
        : `the keys of [${section}] are ${siblings.join(", ")}`;
  return { ...location, path, message: `${path} is not a known key`, advice };
}

export function unknownVariableProblem(variable: string): ConfigProblem {
  const variables = configKeys.map((configKey) => configKey.variable);
  const suggestion = findSuggestion(variable, variables);
  const advice =
    suggestion === null
      ? "variables are named WAXWING_<SECTION>_<KEY>, such as WAXWING_SERVER_LISTEN"
      : `did you mean ${suggestion}?`;
  return {
    source: shorten(variable),
    line: null,
    path: null,
    message: "this variable matches no configuration key",
    advice,
  };
}

function pathsOf(name: string): readonly string[] {
  return configKeys.filter((configKey) => configKey.key.name === name).map((configKey) => configKey.path);
}

/** A key as it is written in TOML: in quotes if it needs them, and cut to a short length. */
function showKey(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? shorten(name) : JSON.stringify(shorten(name));
}

function shorten(value: string): string {
  return value.length > SHOWN_LENGTH_MAX ? `${value.slice(0, SHOWN_LENGTH_MAX)}…` : value;
}
