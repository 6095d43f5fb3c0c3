/**
 * The options and positionals of commands: `required(text("NAME", "Display name"))`. A description is a sentence for the
 * help, without its full stop.
 */
import type { FileUse } from "./named-files.ts";

interface Described {
  readonly description: string;
  readonly required?: true;
  /** The property of an option that makes up for this one, where it is required. */
  readonly unless?: string;
  /** The value is identified by its position. Only the last positionals of a command may be optional. */
  readonly isPositional?: true;
}

/** `value` is the placeholder in the help. */
interface TextOption extends Described {
  readonly kind: "text";
  readonly value: string;
  /** Shells complete paths. */
  readonly file?: FileUse;
  readonly directory?: true;
  /** May be given several times. As a value it is a list, empty where it is not given. */
  readonly isRepeated?: true;
}

/** A whole number of at least `min`. */
interface NumberOption extends Described {
  readonly kind: "number";
  readonly value: string;
  readonly min: number;
}

interface ChoiceOption<Choice extends string = string> extends Described {
  readonly kind: "choice";
  readonly choices: readonly Choice[];
}

interface FlagOption {
  readonly kind: "flag";
  readonly description: string;
}

/** An option with a value. */
export type ValueOption = TextOption | NumberOption | ChoiceOption;
export type Option = ValueOption | FlagOption;

/** By property: `dailyCap` is `--daily-cap`. */
export type Options = Readonly<Record<string, Option>>;

type ValueOf<O> = O extends { kind: "flag" }
  ? boolean
  : O extends { isRepeated: true }
    ? readonly string[]
    : O extends { kind: "number" }
      ? Needed<O, number>
      : O extends { kind: "choice"; choices: readonly (infer Choice)[] }
        ? Needed<O, Choice>
        : Needed<O, string>;
type Needed<O, Value> = O extends { unless: string }
  ? Value | undefined
  : O extends { required: true }
    ? Value
    : Value | undefined;

/** What a command receives for its options. */
export type Values<Declared> = { readonly [Name in keyof Declared]: ValueOf<Declared[Name]> };
export type Value = string | number | boolean | readonly string[] | undefined;

export function text(value: string, description: string): TextOption {
  return { kind: "text", value, description };
}

export function file(value: string, description: string, use: FileUse = { as: "read" }): TextOption {
  return { kind: "text", value, description, file: use };
}

export function directory(value: string, description: string): TextOption {
  return { kind: "text", value, description, directory: true };
}

export function number(value: string, description: string, min = 1): NumberOption {
  return { kind: "number", value, description, min };
}

export function choice<const Choice extends string>(
  choices: readonly Choice[],
  description: string,
): ChoiceOption<Choice> {
  return { kind: "choice", choices, description };
}

export function flag(description: string): FlagOption {
  return { kind: "flag", description };
}

export function required<O extends ValueOption>(option: O): O & { readonly required: true } {
  return { ...option, required: true };
}

/** Required, except beside the option of this property. */
export function unless<O extends ValueOption>(property: string, option: O): O & { readonly unless: string } {
  return { ...option, unless: property };
}

export function repeated(option: TextOption): TextOption & { readonly isRepeated: true } {
  return { ...option, isRepeated: true };
}

/** A value that may be omitted. */
export function optionalPositional<O extends ValueOption>(option: O): O & { readonly isPositional: true } {
  return { ...option, isPositional: true };
}

export function positional<O extends ValueOption>(option: O): O & { readonly isPositional: true; required: true } {
  return { ...option, isPositional: true, required: true };
}

/** `dailyCap` → `--daily-cap` */
export function flagOf(property: string): string {
  return `--${property.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The placeholder of a value in the help: `FILE`, `ID`, or the words to choose from. */
export function placeholder(option: ValueOption): string {
  return option.kind === "choice" ? option.choices.join("|") : option.value;
}

/** Whether the option may be given several times. */
export function isRepeated(option: Option): boolean {
  return option.kind === "text" && option.isRepeated === true;
}

export const workspaceOption = required(number("ID", "Id of the workspace (see waxwing workspace list)"));
export const workspaceFilter = number("ID", "Only this workspace (default: all)");
