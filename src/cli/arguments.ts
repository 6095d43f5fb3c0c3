/**
 * Reads a command line: global options anywhere, the command's words, then its own options and values. Never guesses:
 * whatever is unknown, missing, twice there or of the wrong kind is a `UsageError` that names it and what was probably
 * meant. A value may begin with a dash only as a number (`-5.00`), as `-` (stdin), or behind `=`.
 */
import { findSuggestion } from "#src/config/suggestion.ts";
import { type Command, flagOf, nameOf, type Option, type Value } from "./command.ts";
import type { GlobalOptions } from "./context.ts";
import { UsageError } from "./failure.ts";

export const globalOptions = {
  config: {
    kind: "text",
    value: "FILE",
    file: { as: "read" },
    description: "Configuration (default: ./waxwing.toml, then /etc/waxwing/waxwing.toml)",
  },
  data: {
    kind: "text",
    value: "DIR",
    directory: true,
    description: "Where the database and its companions live (default: ./data)",
  },
  json: { kind: "flag", description: "Print one JSON document and nothing else" },
  help: { kind: "flag", description: "Explain the command" },
} as const satisfies Record<string, Option>;

type Global = keyof typeof globalOptions;

/** A command line taken apart as far as that goes without knowing the command. */
export interface CommandLine {
  readonly globals: GlobalOptions & { readonly help: boolean };
  /** What is not global, in order; `isLiteral` marks what stood behind `--`. */
  readonly rest: readonly Token[];
}

interface Token {
  readonly text: string;
  readonly isLiteral: boolean;
}

/** Takes the global options out. They may stand anywhere, but for the place of another option's value. */
export function readGlobals(argv: readonly string[]): CommandLine {
  const globals: { -readonly [Name in Global]?: string | boolean } = {};
  const rest: Token[] = [];
  for (let index = 0; index < argv.length; index++) {
    const text = argv[index] ?? "";
    if (text === "--") {
      for (const literal of argv.slice(index + 1)) rest.push({ text: literal, isLiteral: true });
      break;
    }
    const { name, inline } = splitOption(text);
    const property =
      name === "-h" ? "help" : (Object.keys(globalOptions) as Global[]).find((key) => flagOf(key) === name);
    if (property === undefined) {
      rest.push({ text, isLiteral: false });
      continue;
    }
    if (globalOptions[property].kind === "flag") {
      if (inline !== null) throw new UsageError(`${name} takes no value`);
      globals[property] = true;
      continue;
    }
    if (globals[property] !== undefined) throw new UsageError(`${name} is given twice`);
    const value = inline ?? argv[++index];
    if (value === undefined || value === "" || (inline === null && isOption(value))) {
      throw new UsageError(`${name} needs a value: ${name} ${placeholder(globalOptions[property])}`);
    }
    globals[property] = value;
  }
  return {
    globals: {
      config: globals.config === undefined ? undefined : String(globals.config),
      data: globals.data === undefined ? undefined : String(globals.data),
      json: globals.json === true,
      help: globals.help === true,
    },
    rest,
  };
}

/** Whether an unreadable command line at least asks for JSON, so that its error can come as such. */
export function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end === -1 ? argv : argv.slice(0, end)).includes("--json");
}

/** The command's own values from what stands behind its words. Every mistake is reported at once. */
export function readArguments(command: Command, rest: readonly Token[]): Readonly<Record<string, Value>> {
  const values: Record<string, Value> = {};
  const problems: string[] = [];
  const positionals = Object.entries(command.positionals);
  let position = 0;
  for (let index = 0; index < rest.length; index++) {
    const token = rest[index];
    if (token === undefined) break;
    if (token.isLiteral || !isOption(token.text)) {
      const [property, positional] = positionals[position++] ?? [];
      if (property === undefined || positional === undefined) problems.push(tooManyValues(command, token.text));
      else readInto(values, property, placeholder(positional), positional, token.text, problems);
      continue;
    }
    const { name, inline } = splitOption(token.text);
    const property = Object.keys(command.options).find((key) => flagOf(key) === name);
    const option = property === undefined ? undefined : command.options[property];
    if (property === undefined || option === undefined) {
      problems.push(unknownOption(command, name));
      // What follows is probably its value, and no second mistake.
      if (inline === null && isValue(rest[index + 1])) index++;
      continue;
    }
    const isRepeated = values[property] !== undefined;
    if (option.kind === "flag") {
      if (inline !== null) problems.push(`${name} takes no value`);
      values[property] = true;
    } else {
      const next = rest[index + 1];
      const value = inline ?? (isValue(next) ? next.text : undefined);
      if (inline === null && value !== undefined) index++;
      if (value === undefined) problems.push(`${name} needs a value: ${name} ${placeholder(option)}`);
      else readInto(values, property, name, option, value, problems);
      // Noted as given all the same: "missing" would be a second mistake for one slip.
      values[property] ??= "";
    }
    if (isRepeated) problems.push(`${name} is given twice`);
  }
  for (const [property, positional] of positionals.slice(position)) {
    if (positional.required)
      problems.push(`${placeholder(positional)} is missing: ${lowerFirst(positional.description)}`);
    else values[property] = undefined;
  }
  for (const [property, option] of Object.entries(command.options)) {
    if (option.kind === "flag") values[property] ??= false;
    else if (option.required && values[property] === undefined) {
      problems.push(`${flagOf(property)} ${placeholder(option)} is missing: ${lowerFirst(option.description)}`);
    }
  }
  if (problems.length > 0) throw new UsageError(problems.join("\n"), nameOf(command));
  return values;
}

/** `FILE`, `ID`, or the words to choose from. */
export function placeholder(option: Exclude<Option, { kind: "flag" }>): string {
  return option.kind === "choice" ? option.choices.join("|") : option.value;
}

/** For a sentence about an unknown word: what it may have been, or what there is. */
export function suggestWord(word: string, known: readonly string[]): string {
  const suggestion = findSuggestion(word, known);
  return suggestion === null ? `there are ${known.join(", ")}` : `did you mean ${suggestion}?`;
}

function readInto(
  values: Record<string, Value>,
  property: string,
  name: string,
  option: Exclude<Option, { kind: "flag" }>,
  text: string,
  problems: string[],
): void {
  switch (option.kind) {
    case "text":
      values[property] = text;
      return;
    case "number": {
      const min = option.min ?? 1;
      const number = /^\d{1,15}$/.test(text) ? Number(text) : null;
      if (number === null || number < min) {
        problems.push(`${name} is ${JSON.stringify(text)}, and must be a whole number of at least ${min}`);
      } else values[property] = number;
      return;
    }
    case "choice": {
      const chosen = option.choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
      if (chosen === undefined) {
        problems.push(`${name} is ${JSON.stringify(text)}, and must be one of ${option.choices.join(", ")}`);
      } else values[property] = chosen;
    }
  }
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

function splitOption(text: string): { name: string; inline: string | null } {
  const equals = text.startsWith("--") ? text.indexOf("=") : -1;
  return equals === -1 ? { name: text, inline: null } : { name: text.slice(0, equals), inline: text.slice(equals + 1) };
}

function isOption(text: string): boolean {
  return text.length > 1 && text.startsWith("-") && !/^-[\d.]/.test(text);
}

function isValue(token: Token | undefined): token is Token {
  return token !== undefined && !token.isLiteral && !isOption(token.text);
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1);
}
