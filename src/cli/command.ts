/**
 * The declaration of a command: its words, its typed options, and its action. The parser, the help, the completion and
 * the tests read the same declaration, so every option that works is documented.
 */
import type { Context } from "./context.ts";
import type { Option, Options, Value, ValueOption, Values } from "./option.ts";
import type { Report } from "./output.ts";

interface About {
  /** One line for a list of commands. */
  readonly summary: string;
  /** Additional text in the command's own help. */
  readonly details?: string;
  /**
   * True if the command opens nothing in the data directory, so root need not become its owner first. "unless named":
   * the command opens a data directory only if `--data` names one. Default: false.
   */
  readonly needsNoData?: boolean | "unless named";
  /** The command changes the configuration file, so root opens it before becoming the owner of the data directory. */
  readonly changesConfig?: true;
}

/** What a command is for: its summary alone, or more. */
export type Says = string | About;

export interface Command extends About {
  /** The first word; null for a command of one word. */
  readonly group: string | null;
  readonly name: string;
  /** In order. */
  readonly positionals: Readonly<Record<string, ValueOption>>;
  readonly options: Options;
  /** Returns what to print; null if the command has printed its own output. */
  run(context: Context, values: Readonly<Record<string, Value>>): Promise<Report | null>;
}

/** Commands with the same first word, or one command of one word. */
export interface Group {
  /** The first word. */
  readonly word: string;
  readonly summary: string;
  load(): Promise<readonly Command[]>;
}

/**
 * Declares a command: `words` are `workspace create`. `run` receives every positional and option under its property,
 * typed by its kind.
 */
export function command<Declared extends Options>(
  words: string,
  says: Says,
  declared: Declared,
  run: (context: Context, values: Values<Declared>) => Promise<Report | null>,
): Command {
  const [first = "", second] = words.split(" ");
  const entries = Object.entries<Option>(declared);
  return {
    ...(typeof says === "string" ? { summary: says } : says),
    group: second === undefined ? null : first,
    name: second ?? first,
    positionals: Object.fromEntries(entries.flatMap(([name, one]) => (isPositional(one) ? [[name, one]] : []))),
    options: Object.fromEntries(entries.filter(([, one]) => !isPositional(one))),
    // The parser gives each value the type of its option.
    run: run as Command["run"],
  };
}

function isPositional(option: Option): option is ValueOption {
  return option.kind !== "flag" && option.isPositional === true;
}

/** `workspace create` */
export function nameOf({ group, name }: Pick<Command, "group" | "name">): string {
  return group === null ? name : `${group} ${name}`;
}
