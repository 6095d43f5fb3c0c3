/** The help texts, generated from the commands' declarations: for the whole program, a group, or one command. */
import { type Command, type Group, nameOf } from "./command.ts";
import { globalOptions } from "./global-options.ts";
import { helpExamples } from "./help-examples.ts";
import { flagOf, isRepeated, type Option, placeholder, type ValueOption } from "./option.ts";

const LEFT_COLUMN_WIDTH = 30;
/** Characters of choices on one line. */
const CHOICES_WIDTH = 110;

/** `waxwing --help` */
export async function helpOnAll(groups: readonly Group[]): Promise<string> {
  const lines = ["waxwing: a self-hosted WhatsApp messaging server.", "", "Usage: waxwing COMMAND [OPTIONS]"];
  for (const group of groups) {
    const commands = await group.load();
    if (commands.some((command) => command.group !== null)) lines.push("", `${group.summary}:`);
    else if (group === groups[0]) lines.push("", "The server:");
    else if (group.word === "openapi") lines.push("", "Information:");
    for (const command of commands) lines.push(entry(nameOf(command), command.summary));
  }
  lines.push("", ...globalLines(), "", "waxwing COMMAND --help explains a command with its options.");
  return lines.join("\n");
}

/** `waxwing workspace --help` */
export function helpOnGroup(group: Group, commands: readonly Command[]): string {
  return [
    `${group.summary}.`,
    "",
    `Usage: waxwing ${group.word} COMMAND [OPTIONS]`,
    "",
    ...commands.map((command) => entry(usage(command), command.summary)),
    "",
    `waxwing ${group.word} COMMAND --help explains a command with its options.`,
  ].join("\n");
}

/** `waxwing workspace create --help` */
export function helpOnCommand(command: Command): string {
  const options = Object.entries(command.options).toSorted(
    ([, a], [, b]) => Number(isRequired(b)) - Number(isRequired(a)),
  );
  const hasOptional = options.some(([, option]) => !isRequired(option));
  const required = options
    .filter(([, option]) => isRequired(option))
    .map(([name, option]) => ` ${withValue(name, option)}`);
  const lines = [
    `${command.summary}.`,
    "",
    `Usage: waxwing ${usage(command)}${required.join("")}${hasOptional ? " [OPTIONS]" : ""}`,
  ];
  if (command.details !== undefined) lines.push("", command.details);
  const example = helpExamples[nameOf(command)];
  if (example !== undefined) lines.push("", `Example: waxwing ${example}`);
  const positionals = Object.values(command.positionals);
  if (positionals.length > 0) {
    lines.push("", ...positionals.map((positional) => entry(placeholder(positional), positional.description)));
  }
  if (options.length > 0) {
    lines.push("", "Options:");
    for (const [name, option] of options) {
      lines.push(
        entry(withValue(name, option), isRequired(option) ? `${option.description} (required)` : option.description),
      );
    }
  }
  return [...lines, "", ...globalLines()].join("\n");
}

function usage(command: Command): string {
  const values = Object.values(command.positionals).map((positional: ValueOption) =>
    positional.required ? ` ${placeholder(positional)}` : ` [${placeholder(positional)}]`,
  );
  return `${nameOf(command)}${values.join("")}`;
}

function globalLines(): string[] {
  return [
    "Everywhere:",
    ...Object.entries<Option>(globalOptions).map(([name, option]) =>
      entry(withValue(name, option), option.description),
    ),
  ];
}

function withValue(name: string, option: Option): string {
  if (option.kind === "flag") return flagOf(name);
  return `${flagOf(name)} ${placeholder(option)}${isRepeated(option) ? " …" : ""}`;
}

function isRequired(option: Option): boolean {
  return option.kind !== "flag" && option.required === true;
}

/** Breaks a line of many choices after a choice. */
function broken(text: string): string {
  const end = text.length <= CHOICES_WIDTH ? 0 : text.lastIndexOf("|", CHOICES_WIDTH) + 1;
  return end === 0 ? text : `${text.slice(0, end)}\n      ${broken(text.slice(end))}`;
}

/** A long left side gets its own line; many choices get several. */
function entry(left: string, right: string): string {
  return left.length > LEFT_COLUMN_WIDTH
    ? `  ${broken(left)}\n  ${" ".repeat(LEFT_COLUMN_WIDTH)}  ${right}`
    : `  ${left.padEnd(LEFT_COLUMN_WIDTH)}  ${right}`;
}
