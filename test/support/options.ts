/** The options of a development command. `--help` describes them from the declaration by which they are read. */
import { type ParseArgsOptionDescriptor, parseArgs } from "node:util";

/** `about` says what the option does; `value` names its value, if it takes one. */
type Option = ParseArgsOptionDescriptor & { about: string; value?: string };

interface Command {
  /** As it is called: `bun run soak`. */
  call: string;
  /** What it does, in one sentence. */
  about: string;
  /** What the positional arguments are; absent: it takes none. */
  names?: { called: string; about: string };
}

/**
 * Reads the arguments of this process. Exits with 0 after `--help`, and with 2 after an argument that the command does not
 * know.
 */
export function readOptions<const Options extends Readonly<Record<string, Option>>>(
  command: Command,
  options: Options,
) {
  const help = { type: "boolean", short: "h", about: "this text" } as const;
  const all: Readonly<Record<string, Option>> = { ...options, help };
  try {
    const parsed = parseArgs({ options: all, allowPositionals: command.names !== undefined });
    const values = parsed.values as ValuesOf<Options> & { help?: boolean };
    const positionals: readonly string[] = parsed.positionals;
    if (values.help === true) {
      console.log(helpOf(command, all));
      process.exit(0);
    }
    return { values, positionals };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.error(`${message}\n\n${helpOf(command, all)}`);
    process.exit(2);
  }
}

type ValuesOf<Options extends Readonly<Record<string, Option>>> = ReturnType<
  typeof parseArgs<{ options: { -readonly [Name in keyof Options]: Options[Name] } }>
>["values"];

function helpOf({ call, about, names }: Command, options: Readonly<Record<string, Option>>): string {
  const rows = Object.entries(options).map(([name, option]): [string, string] => [
    `--${name}${option.type === "boolean" ? "" : ` ${option.value ?? "N"}`}`,
    option.about + usual(option),
  ]);
  if (names !== undefined) rows.unshift([names.called, names.about]);
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    `${call} [OPTIONS]${names === undefined ? "" : ` [${names.called}...]`}`,
    about,
    "",
    ...rows.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`),
  ].join("\n");
}

function usual({ type, default: value }: Option): string {
  if (type === "boolean" || value === undefined || value === "") return "";
  return ` (default: ${Array.isArray(value) ? value.join(", ") : value})`;
}
