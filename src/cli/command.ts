/**
 * The declaration of a command: its words, its typed options, and its action. The parser, the help and the tests read
 * the same declaration, so every option that works is documented.
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
  | (Described & {
      readonly kind: "text";
      readonly value: string;
      readonly file?: FileUse;
      readonly directory?: true;
      /** May be given several times. As a value it is a list, empty where it is not given. */
      readonly isRepeated?: true;
    })
  /** A whole number of at least `min` (default 1). */
  | (Described & { readonly kind: "number"; readonly value: string; readonly min?: number })
  | (Described & { readonly kind: "choice"; readonly choices: readonly string[] })
  | { readonly kind: "flag"; readonly description: string };

/** A value identified by its position. Only the last positionals of a command may be optional. */
export type Positional = Exclude<Option, { kind: "flag" }>;

type OptionValue<O> = O extends { kind: "flag" }
  ? boolean
  : O extends { isRepeated: true }
    ? readonly string[]
    : O extends { kind: "number" }
      ? Needed<O, number>
      : O extends { kind: "choice"; choices: readonly (infer Choice)[] }
        ? Needed<O, Choice>
        : Needed<O, string>;
type Needed<O, Value> = O extends { required: true } ? Value : Value | undefined;

type Values<Declared> = { readonly [Name in keyof Declared]: OptionValue<Declared[Name]> };

export type Value = string | number | boolean | readonly string[] | undefined;

interface Words {
  /** The first word; null for a command of one word. */
  readonly group: string | null;
  readonly name: string;
  /** One line for a list of commands. */
  readonly summary: string;
  /** Additional text in the command's own help. */
  readonly details?: string;
  /**
   * True if the command opens nothing in the data directory, so root need not become its owner first. "unless named":
   * the command opens a data directory only if `--data` names one. Default: false.
   */
  readonly needsNoData?: boolean | "unless named";
}

export interface Command extends Words {
  /** In order. */
  readonly positionals: Readonly<Record<string, Positional>>;
  /** By property: `dailyCap` is `--daily-cap`. */
  readonly options: Readonly<Record<string, Option>>;
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

/** Declares a command. `run` receives every positional and option under its property, typed by its kind. */
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
    // Safe: the parser has read the values according to the declarations from which the types are derived.
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

/** The placeholder of a value in the help: `FILE`, `ID`, or the words to choose from. */
export function placeholder(option: Exclude<Option, { kind: "flag" }>): string {
  return option.kind === "choice" ? option.choices.join("|") : option.value;
}

/** Whether the option may be given several times. */
export function isRepeated(option: Option): boolean {
  return option.kind === "text" && option.isRepeated === true;
}

/** Options shared by many commands. */
export const workspaceOption = {
  kind: "number",
  value: "ID",
  required: true,
  description: "Id of the workspace (see waxwing workspace list)",
} as const;

export const workspaceFilter = {
  kind: "number",
  value: "ID",
  description: "Only this workspace (default: all)",
} as const;
