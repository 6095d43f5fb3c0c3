/**
 * Reads a command's own options and positionals from the tokens after its name. It never guesses: an argument that is
 * unknown, missing, repeated, or of the wrong kind is reported with a suggestion. All problems are reported at once.
 */
import { findSuggestion } from "#src/config/suggestion.ts";
import { type Command, nameOf } from "./command.ts";
import { globalOptions } from "./global-options.ts";
import { flagOf, isRepeated, placeholder, type Value, type ValueOption } from "./option.ts";
import { type OptionToken, type Token, takeValue } from "./tokens.ts";
import { UsageError } from "./usage-error.ts";

interface Reading {
  readonly command: Command;
  /** The tokens not read yet. */
  readonly ahead: Token[];
  readonly values: Record<string, Value>;
  readonly problems: string[];
}

type Parsed = { readonly value: Value } | { readonly problem: string };

/** The command's values by property. Throws `UsageError`. */
export function readArguments(command: Command, rest: readonly Token[]): Readonly<Record<string, Value>> {
  const reading: Reading = { command, ahead: [...rest], values: {}, problems: [] };
  const positionals = Object.entries(command.positionals);
  for (let token = reading.ahead.shift(); token !== undefined; token = reading.ahead.shift()) {
    if (token.kind === "option") readOption(reading, token);
    else readPositional(reading, positionals.shift(), token.text);
  }
  checkPositionals(reading, positionals);
  checkOptions(reading);
  if (reading.problems.length > 0) throw new UsageError(reading.problems.join("\n"));
  return reading.values;
}

/** A suggestion for an unknown word: the closest known word, or all of them. */
export function suggestWord(word: string, known: readonly string[]): string {
  const suggestion = findSuggestion(word, known);
  return suggestion === null ? `there are ${known.join(", ")}` : `did you mean ${suggestion}?`;
}

function readPositional(reading: Reading, declared: [string, ValueOption] | undefined, text: string): void {
  if (declared === undefined) {
    reading.problems.push(tooManyValues(reading.command, text));
    return;
  }
  const [property, positional] = declared;
  store(reading, property, parse(placeholder(positional), positional, text));
}

function readOption(reading: Reading, token: OptionToken): void {
  const { command, ahead, values, problems } = reading;
  const [property, option] = Object.entries(command.options).find(([known]) => flagOf(known) === token.name) ?? [];
  if (property === undefined || option === undefined) {
    problems.push(unknownOption(command, token.name));
    // The next token is probably its value, not a second problem.
    takeValue(token, ahead);
    return;
  }
  const before = values[property];
  if (option.kind === "flag") store(reading, property, parseFlag(token));
  else store(reading, property, parseOption(token, option, takeValue(token, ahead)));
  // Counts as given even if it is invalid: "missing" would be a second problem for one mistake.
  values[property] ??= option.kind === "flag" ? true : "";
  if (isRepeated(option)) values[property] = [...listOf(before), ...listOf(values[property])];
  else if (before !== undefined) problems.push(`${token.name} is given twice`);
}

function listOf(value: Value): readonly string[] {
  if (value === undefined) return [];
  return typeof value === "object" ? value : [String(value)];
}

function parseFlag({ name, inline }: OptionToken): Parsed {
  return inline === null ? { value: true } : { problem: `${name} takes no value` };
}

function parseOption({ name }: OptionToken, option: ValueOption, text: string | undefined): Parsed {
  return text === undefined
    ? { problem: `${name} needs a value: ${name} ${placeholder(option)}` }
    : parse(name, option, text);
}

function parse(name: string, declared: ValueOption, text: string): Parsed {
  switch (declared.kind) {
    case "text":
      return { value: text };
    case "number": {
      const { min = 1 } = declared;
      const number = /^\d{1,15}$/.test(text) ? Number(text) : null;
      if (number !== null && number >= min) return { value: number };
      return { problem: `${name} is ${JSON.stringify(text)}, and must be a whole number of at least ${min}` };
    }
    case "choice": {
      const chosen = declared.choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
      if (chosen !== undefined) return { value: chosen };
      return { problem: `${name} is ${JSON.stringify(text)}, and must be one of ${declared.choices.join(", ")}` };
    }
  }
}

function store({ values, problems }: Reading, property: string, parsed: Parsed): void {
  if ("problem" in parsed) problems.push(parsed.problem);
  else values[property] = parsed.value;
}

/** `unread`: the positionals that have no token. */
function checkPositionals({ values, problems }: Reading, unread: readonly [string, ValueOption][]): void {
  for (const [property, positional] of unread) {
    if (isNeeded(positional, values)) problems.push(missing(placeholder(positional), positional.description));
    else values[property] = undefined;
  }
}

function checkOptions({ command, values, problems }: Reading): void {
  for (const [property, option] of Object.entries(command.options)) {
    if (values[property] !== undefined) continue;
    if (option.kind === "flag") values[property] = false;
    else if (isRepeated(option)) values[property] = [];
    else if (isNeeded(option, values))
      problems.push(missing(`${flagOf(property)} ${placeholder(option)}`, option.description));
  }
}

function isNeeded({ required, unless }: ValueOption, values: Reading["values"]): boolean {
  return required === true && (unless === undefined || values[unless] === undefined);
}

function missing(what: string, description: string): string {
  return `${what} is missing: ${description.charAt(0).toLowerCase()}${description.slice(1)}`;
}

function unknownOption(command: Command, name: string): string {
  const known = [...Object.keys(command.options), ...Object.keys(globalOptions)].map(flagOf);
  return `${name} is not an option of ${nameOf(command)}; ${suggestWord(name, known)}`;
}

function tooManyValues(command: Command, text: string): string {
  const count = Object.keys(command.positionals).length;
  const takes = count === 0 ? "takes none" : `takes ${count} only`;
  return `${JSON.stringify(text)} is one value too many: ${nameOf(command)} ${takes}`;
}
