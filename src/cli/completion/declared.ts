/**
 * What can be typed, read from the declarations of the commands: the words that may follow, the options of each command
 * and what an option takes. Each shell's script is this data in the shell's own language.
 */
import { type Command, flagOf, isRepeated, type Option } from "../command.ts";
import { globalOptions } from "../global-options.ts";

/** `words`: one of these. `any`: nothing can be suggested. `none`: a flag, which takes no value. */
export type Completion =
  | { readonly kind: "words"; readonly words: readonly string[] }
  | { readonly kind: "file" | "directory" | "any" | "none" };

export interface DeclaredOption {
  /** `--daily-cap` */
  readonly flag: string;
  readonly description: string;
  readonly completion: Completion;
  /** It may be given again. */
  readonly isRepeated: boolean;
}

export interface Word {
  readonly word: string;
  readonly description: string;
}

export const PROGRAM = "waxwing";

/** Options that every command takes. */
export const everywhere: readonly DeclaredOption[] = optionsIn(globalOptions);

export function ownOptions(command: Command): readonly DeclaredOption[] {
  return optionsIn(command.options);
}

/** The positionals of the command, in order. */
export function positionalsOf(command: Command): readonly Completion[] {
  return Object.values(command.positionals).map(completionOf);
}

/**
 * The words that may follow, by the words before them: "" for the first word of a command, the group's word for the
 * second. `summaries` describes the groups.
 */
export function nextWords(
  commands: readonly Command[],
  summaries: ReadonlyMap<string, string>,
): ReadonlyMap<string, readonly Word[]> {
  const first = new Map<string, Word>();
  const next = new Map<string, Word[]>();
  // After `backup`, files are offered: a second word would hide them.
  const alone = new Set(commands.filter(({ group }) => group === null).map(({ name }) => name));
  for (const { group, name, summary } of commands) {
    if (group !== null && alone.has(group)) continue;
    if (group === null) {
      first.set(name, { word: name, description: summary });
      continue;
    }
    first.set(group, { word: group, description: summaries.get(group) ?? group });
    next.set(group, [...(next.get(group) ?? []), { word: name, description: summary }]);
  }
  return new Map([["", [...first.values(), { word: "help", description: "Show help for a command" }]], ...next]);
}

/** The options that may be given several times, whatever the command. */
export function repeatedFlags(commands: readonly Command[]): readonly string[] {
  const flags = commands.flatMap(ownOptions).filter((option) => option.isRepeated);
  return [...new Set(flags.map(({ flag }) => flag))];
}

/** Quotes a text for bash and zsh. Fish escapes differently. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function optionsIn(declared: Readonly<Record<string, Option>>): readonly DeclaredOption[] {
  return Object.entries(declared).map(([property, option]) => ({
    flag: flagOf(property),
    description: option.description,
    completion: completionOf(option),
    isRepeated: isRepeated(option),
  }));
}

function completionOf(option: Option): Completion {
  if (option.kind === "flag") return { kind: "none" };
  if (option.kind === "choice") return { kind: "words", words: option.choices };
  if (option.kind === "number") return { kind: "any" };
  if (option.directory === true) return { kind: "directory" };
  return { kind: option.file === undefined ? "any" : "file" };
}
