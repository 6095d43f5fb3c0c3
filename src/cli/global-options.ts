/** The options that every command takes, before or after its name. */

import { directory, file, flag, flagOf, type Option, placeholder } from "./option.ts";
import { type OptionToken, type Token, takeValue, tokensOf } from "./tokens.ts";
import { UsageError } from "./usage-error.ts";

export const globalOptions = {
  config: file("FILE", "Configuration (default: ./waxwing.toml, then /etc/waxwing/waxwing.toml)"),
  data: directory("DIR", "Directory of the database and its companions (default: ./data)"),
  json: flag("Print one JSON document on stdout"),
  help: flag("Show help for the command"),
} as const satisfies Record<string, Option>;

type Global = keyof typeof globalOptions;

/** A command line, parsed as far as possible without knowing the command. */
export type CommandLine = ReturnType<typeof readGlobals>;

/** Extracts the global options; `rest` has all other tokens, in order. Throws `UsageError` at the first one that cannot be read. */
export function readGlobals(argv: readonly string[]) {
  const ahead = tokensOf(argv);
  const rest: Token[] = [];
  const given = new Map<Global, string>();
  for (let token = ahead.shift(); token !== undefined; token = ahead.shift()) {
    const global = token.kind === "option" ? globalOf(token) : undefined;
    if (token.kind !== "option" || global === undefined) rest.push(token);
    else given.set(global, readGlobal(global, token, ahead, given.has(global)));
  }
  const globals = {
    config: given.get("config"),
    data: given.get("data"),
    json: given.has("json"),
    help: given.has("help"),
  };
  return { globals, rest };
}

/** Whether an invalid command line asks for JSON, so that its error can be JSON too. */
export function asksForJson(argv: readonly string[]): boolean {
  return tokensOf(argv).some(({ kind, text }) => kind === "option" && text === "--json");
}

function globalOf({ name }: OptionToken): Global | undefined {
  if (name === "-h") return "help";
  return (Object.keys(globalOptions) as Global[]).find((property) => flagOf(property) === name);
}

/** A flag's value is empty. */
function readGlobal(global: Global, token: OptionToken, ahead: Token[], isRepeated: boolean): string {
  const declared = globalOptions[global];
  if (declared.kind === "flag") {
    if (token.inline !== null) throw new UsageError(`${token.name} takes no value`);
    return "";
  }
  if (isRepeated) throw new UsageError(`${token.name} is given twice`);
  const value = takeValue(token, ahead) ?? "";
  if (value === "") throw new UsageError(`${token.name} needs a value: ${token.name} ${placeholder(declared)}`);
  return value;
}
