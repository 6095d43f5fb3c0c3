/**
 * Shell completion. `waxwing completion SHELL` prints a script whose function asks the program itself what can follow
 * the words typed so far (`waxwing __complete SHELL WORDS…`, which no help names). So the scripts know no command and
 * need no change with a new version, and the answer is read from the same declarations as the help.
 */
import { type Command, command, type Group } from "./command.ts";
import { scripts, shells } from "./completion-scripts.ts";
import { globalOptions } from "./global-options.ts";
import { choice, flagOf, isRepeated, type Option, positional } from "./option.ts";
import { tokensOf } from "./tokens.ts";

/** The first word of the command line by which a shell asks. */
export const ASK = "__complete";

export const commands: readonly Command[] = [
  command(
    "completion",
    {
      summary: "Print a script that lets a shell complete commands and options",
      details:
        "bash, in ~/.bashrc:                     source <(waxwing completion bash)\nzsh, in ~/.zshrc, after compinit:       source <(waxwing completion zsh)\nfish, in ~/.config/fish/config.fish:    waxwing completion fish | source",
      needsNoData: true,
    },
    { shell: positional(choice(shells, "The shell")) },
    async (_, { shell }) => ({ json: { shell, script: scripts[shell] }, text: scripts[shell].trimEnd() }),
  ),
];

/** A word that can be typed, and what it means. */
type Offer = readonly [word: string, description?: string];

/** `file` and `directory`: the shell lists the paths itself. */
type Offers = readonly Offer[] | "file" | "directory";

/**
 * What can be typed in place of the last word, whatever letters of it are typed already. `asked`: the shell, then the
 * words after the program's name. A line for each offer: the word, and after a tab its description. For paths, the only
 * line is `:file` or `:directory`.
 */
export async function answerShell(groups: readonly Group[], [shell, ...words]: readonly string[]): Promise<string> {
  const offers = await offersFor(groups, shell === "bash" ? rejoin(words) : words);
  if (typeof offers === "string") return `:${offers}\n`;
  return offers.map((offer) => `${offer.join("\t")}\n`).join("");
}

async function offersFor(groups: readonly Group[], words: readonly string[]): Promise<Offers> {
  const before = words.slice(0, -1);
  const current = words.at(-1) ?? "";
  const { place, given, expected } = await readTyped(groups, before);
  const [positional] = place.positionals;
  if (before.includes("--")) return valuesOf(positional);
  const [token] = tokensOf([current]);
  if (token?.kind === "option" && token.inline !== null) return valuesOf(optionNamed(place, token.name));
  if (expected !== undefined && token?.kind !== "option") return valuesOf(expected);
  if (!current.startsWith("-") && place.next.length > 0) return place.next;
  if (!current.startsWith("-") && positional !== undefined) return valuesOf(positional);
  return Object.entries(place.options)
    .filter(([name, option]) => isRepeated(option) || !given.has(flagOf(name)))
    .map(([name, { description }]) => [flagOf(name), description]);
}

/** `expected`: the option that the last word names, if it needs a value. `given`: options such as `--workspace`. */
async function readTyped(groups: readonly Group[], words: readonly string[]) {
  let place: Place = { next: firstWords(groups), options: globalOptions, positionals: [] };
  let expected: Option | undefined;
  const given = new Set<string>();
  const typed: string[] = [];
  for (const token of tokensOf(words)) {
    if (token.kind === "option") {
      given.add(token.name);
      const option = optionNamed(place, token.name);
      expected = token.inline !== null || option?.kind === "flag" ? undefined : option;
    } else if (token.kind === "value" && expected !== undefined) {
      expected = undefined;
    } else if (typed.length > 0 || token.text !== "help") {
      typed.push(token.text);
      place = await placeAfter(groups, typed);
    }
  }
  return { place, given, expected };
}

/** What can follow the words of a command line. */
interface Place {
  /** The words of commands; none where the command is complete. */
  readonly next: readonly Offer[];
  readonly options: Readonly<Record<string, Option>>;
  /** The positionals that have no value yet. */
  readonly positionals: readonly Option[];
}

/** `typed` is what is neither an option nor the value of one. */
async function placeAfter(groups: readonly Group[], [word, ...rest]: readonly string[]): Promise<Place> {
  const commands = (await groups.find((group) => group.word === word)?.load()) ?? [];
  const [first] = commands;
  // After `backup`, files are offered: a second word, such as `send`, would hide them.
  const next = first?.group === null ? [] : commands;
  if (rest.length === 0 && next.length > 0) {
    return { next: next.map(({ name, summary }) => [name, summary]), options: globalOptions, positionals: [] };
  }
  const second = commands.find((one) => one.group !== null && one.name === rest[0]);
  const found = second ?? (first?.group === null ? first : undefined);
  const positionals = Object.values(found?.positionals ?? {}).slice(
    second === undefined ? rest.length : rest.length - 1,
  );
  return { next: [], options: { ...found?.options, ...globalOptions }, positionals };
}

function firstWords(groups: readonly Group[]): readonly Offer[] {
  return [...groups.map(({ word, summary }): Offer => [word, summary]), ["help", "Show help for a command"]];
}

function optionNamed({ options }: Place, flag: string): Option | undefined {
  return Object.entries(options).find(([name]) => flagOf(name) === flag)?.[1];
}

function valuesOf(option: Option | undefined): Offers {
  if (option?.kind === "choice") return option.choices.map((choice) => [choice]);
  if (option?.kind !== "text") return [];
  if (option.directory === true) return "directory";
  return option.file === undefined ? [] : "file";
}

/** bash takes `--option=value` and `host:port` apart at the = and the colon. */
function rejoin(words: readonly string[]): readonly string[] {
  const whole: string[] = [];
  for (const [index, word] of words.entries()) {
    const isPart = /^[=:]/.test(word) || /[=:]$/.test(words[index - 1] ?? "");
    whole.push(isPart ? `${whole.pop() ?? ""}${word}` : word);
  }
  return whole;
}
