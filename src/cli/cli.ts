/**
 * The command line as a whole: finds the command, runs it, and decides what is printed where. Results go to stdout and
 * error messages to stderr; with `--json`, both are one JSON document on stdout. Exit codes: 0 success, 1 failure, 2
 * usage error.
 */
import { readArguments, suggestWord } from "./arguments.ts";
import { contextFor } from "./become-owner.ts";
import { type Command, type Group, nameOf } from "./command.ts";
import { groups } from "./commands.ts";
import { ASK, answerShell } from "./completion.ts";
import type { Io } from "./context.ts";
import { describeError, formatFailure } from "./failure.ts";
import { asksForJson, type CommandLine, readGlobals } from "./global-options.ts";
import { helpOnAll, helpOnCommand, helpOnGroup } from "./help.ts";
import { flagOf } from "./option.ts";
import { json, type Report } from "./output.ts";
import { UsageError } from "./usage-error.ts";

/** Runs a command line to completion and returns the exit code. Never rejects. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  let command: Command | null = null;
  try {
    if (argv[0] === ASK) {
      io.out(await answerShell(groups, argv.slice(1)));
      return 0;
    }
    const line = readGlobals(argv);
    const report = await perform(line, io, (found) => {
      command = found;
    });
    if (report !== null && line.globals.json) io.out(json(report.json, io.isTerminal));
    else if (report !== null && report.text !== "") io.out(`${report.text}\n`);
    return report?.exitCode ?? 0;
  } catch (error) {
    if (error instanceof UsageError) return reportUsage(error, command, asksForJson(argv), io);
    return reportFailure(error, command, asksForJson(argv), io);
  }
}

function reportUsage({ message, helpOn }: UsageError, command: Command | null, wantsJson: boolean, io: Io): number {
  const words = command === null ? helpOn : nameOf(command);
  const help = `waxwing${words === "" ? "" : ` ${words}`} --help`;
  if (wantsJson) io.out(json({ error: { code: "usage", message, next: help } }, io.isTerminal));
  else io.err(`${message.replace(/^/gm, "waxwing: ")}\n  next: ${help}\n`);
  return 2;
}

function reportFailure(error: unknown, command: Command | null, wantsJson: boolean, io: Io): number {
  const failure = describeError(error);
  if (!wantsJson) {
    io.err(`${formatFailure(failure, Object.keys(command?.options ?? {}).map(flagOf))}\n`);
    return 1;
  }
  const { code, message, next, fields, bug } = failure;
  const details = { ...(next === null ? {} : { next }), ...(fields === null ? {} : { fields }) };
  io.out(json({ error: { code, message, ...details } }, io.isTerminal));
  if (bug?.stack !== undefined) io.err(`${bug.stack}\n`);
  return 1;
}

async function perform(
  { globals, rest }: CommandLine,
  io: Io,
  onFound: (command: Command) => void,
): Promise<Report | null> {
  const words = rest.map(({ text }) => text);
  if (words[0] === "help") return showHelp(words.slice(1));
  if (globals.help) return showHelp(words);
  // `--version` is what most people try first with an unknown program.
  const { command, depth } = await findCommand(words[0] === "--version" ? ["version"] : words);
  onFound(command);
  const values = readArguments(command, rest.slice(depth));
  return command.run(contextFor(command, values, globals, io), values);
}

async function showHelp(words: readonly string[]): Promise<Report> {
  const isNothing = words[0] === undefined || words[0].startsWith("-");
  const group = isNothing ? null : findGroup(words[0] ?? "");
  const text = group === null ? await helpOnAll(groups) : await helpOnWords(group, words);
  return { json: { help: text }, text };
}

async function helpOnWords(group: Group, words: readonly string[]): Promise<string> {
  const command = await findInGroup(group, words[1]);
  return command === null ? helpOnGroup(group, await group.load()) : helpOnCommand(command);
}

async function findCommand([word, name]: readonly string[]): Promise<{ command: Command; depth: number }> {
  if (word === undefined) throw new UsageError(`name a command: ${wordList()}`);
  const group = findGroup(word);
  const command = await findInGroup(group, name);
  if (command === null) {
    throw new UsageError(`name a command of ${word}: ${namesOf(await group.load()).join(", ")}`, word);
  }
  return { command, depth: command.group === null ? 1 : 2 };
}

function findGroup(word: string): Group {
  const group = groups.find((one) => one.word === word);
  if (group !== undefined) return group;
  if (word.startsWith("-")) {
    throw new UsageError(`${word} is not a global option; options of a command follow its name`);
  }
  const suggestion = suggestWord(
    word,
    groups.map((one) => one.word),
  );
  const all = suggestion.startsWith("there") ? "" : ` There are ${wordList()}`;
  throw new UsageError(`${JSON.stringify(word)} is not a command; ${suggestion}${all}`);
}

/** Null: the group is named alone. */
async function findInGroup(group: Group, name: string | undefined): Promise<Command | null> {
  const commands = await group.load();
  const [first] = commands;
  // A command of one word may have others that begin with the same word, such as `backup recovery-sheet`.
  const command = commands.find((one) => one.group !== null && one.name === name);
  if (command !== undefined || first?.group === null) return command ?? first ?? null;
  if (name === undefined || name.startsWith("-")) return null;
  const names = namesOf(commands);
  const suggestion = suggestWord(name, names);
  const all = suggestion.startsWith("there") ? "" : ` There are ${names.join(", ")}`;
  throw new UsageError(`${group.word} has no command ${JSON.stringify(name)}; ${suggestion}${all}`, group.word);
}

function wordList(): string {
  return groups.map(({ word }) => word).join(", ");
}

function namesOf(commands: readonly Command[]): string[] {
  return commands.map(({ name }) => name);
}
