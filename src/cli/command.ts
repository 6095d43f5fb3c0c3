/**
 * What a command is, declared: its words, its options with their kinds, and what it does. The parser, the help and the
 * tests all read the same declaration, so an option that works is an option that is described.
 */
import type { Context } from "./context.ts";
import type { FileUse } from "./named-files.ts";
import type { Report } from "./output.ts";

interface Described {
  /** A sentence for the help, without its full stop. */
  readonly description: string;
  readonly required?: boolean;
}

/** One value on the command line; `value` is its placeholder in the help. Shells complete `file` and `directory`. */
export type Option =
  | (Described & { readonly kind: "text"; readonly value: string; readonly file?: FileUse; readonly directory?: true })
  /** A whole number, `least` (1 where it is left out) or more. */
  | (Described & { readonly kind: "number"; readonly value: string; readonly min?: number })
  | (Described & { readonly kind: "choice"; readonly choices: readonly string[] })
  | { readonly kind: "flag"; readonly description: string };

/** A value that is told apart by its place. Only the last ones of a command may be left out. */
export type Positional = Exclude<Option, { kind: "flag" }>;

type OptionValue<O> = O extends { kind: "flag" }
  ? boolean
  : O extends { kind: "number" }
    ? Needed<O, number>
    : O extends { kind: "choice"; choices: readonly (infer Choice)[] }
      ? Needed<O, Choice>
      : Needed<O, string>;
type Needed<O, Value> = O extends { required: true } ? Value : Value | undefined;

type Values<Declared> = { readonly [Name in keyof Declared]: OptionValue<Declared[Name]> };

export type Value = string | number | boolean | undefined;

interface Words {
  /** The first word; null for a command of one word. */
  readonly group: string | null;
  readonly name: string;
  /** One line for a list of commands. */
  readonly summary: string;
  /** What the help of the command itself adds. */
  readonly details?: string;
  /**
   * It opens nothing in the data directory, so root need not become its owner first; or only in one that `--data` names.
   * Left out: false.
   */
  readonly needsNoData?: boolean | "unless named";
}

export interface Command extends Words {
  /** In their order. */
  readonly positionals: Readonly<Record<string, Positional>>;
  /** By property: `dailyCap` is `--daily-cap`. */
  readonly options: Readonly<Record<string, Option>>;
  /** What is to be printed; null where the command has printed its own. */
  run(context: Context, values: Readonly<Record<string, Value>>): Promise<Report | null>;
}

/** Commands with the same first word, or one command of one word. */
export interface Group {
  /** The first word. */
  readonly word: string;
  readonly summary: string;
  load(): Promise<readonly Command[]>;
}

/** Declares a command; `run` gets every positional and option under its property, typed by its kind. */
export function command<
  const Positionals extends Readonly<Record<string, Positional>>,
  const Options extends Readonly<Record<string, Option>>,
>(
  declared: Words & {
    readonly positionals?: Positionals;
    readonly options?: Options;
    run(context: Context, values: Values<Positionals> & Values<Options>): Promise<Report | null>;
  },
): Command {
  const { group, name, summary, details, needsNoData = false, positionals = {}, options = {}, run } = declared;
  return {
    group,
    name,
    summary,
    ...(details === undefined ? {} : { details }),
    needsNoData,
    positionals,
    options,
    // The parser has read the values by the very declarations that the types come from.
    run: (context, values) => run(context, values as Values<Positionals> & Values<Options>),
  };
}

/** `workspace create` */
export function nameOf({ group, name }: Pick<Command, "group" | "name">): string {
  return group === null ? name : `${group} ${name}`;
}

/** `dailyCap` → `--daily-cap` */
export function flagOf(property: string): string {
  return `--${property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** `FILE`, `ID`, or the words to choose from. */
export function placeholder(option: Exclude<Option, { kind: "flag" }>): string {
  return option.kind === "choice" ? option.choices.join("|") : option.value;
}

/** Options that many commands share. */
export const workspaceOption = {
  kind: "number",
  value: "ID",
  required: true,
  description: "The workspace, by its id (waxwing workspace list shows them)",
} as const;

export const workspaceFilter = {
  kind: "number",
  value: "ID",
  description: "Only of this workspace; without it, of every workspace",
} as const;
