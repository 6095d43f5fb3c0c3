/**
 * Every `waxwing …` that a text of the sources or a page names, also in the middle of a sentence, is a command that exists,
 * with options that it has. Whole commands that pages show are run by documented-commands.test.ts.
 */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "#src/cli/command.ts";
import { groups } from "#src/cli/commands.ts";
import { globalOptions } from "#src/cli/global-options.ts";
import { flagOf } from "#src/cli/option.ts";
import { checkout } from "#test/support/source.ts";

const GLOBAL = Object.keys(globalOptions).map(flagOf);
/** Labels of keys, which begin with the program's name. */
const LABELS = /^src\/core\//;

const commands = (await Promise.all(groups.map(({ load }) => load()))).flat();
const words = new Set([...commands.map(({ group, name }) => group ?? name), "help"]);

interface Mention {
  at: string;
  text: string;
}

function filesIn(folder: string, pattern: RegExp): string[] {
  return readdirSync(join(checkout, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => pattern.test(path))
    .map((path) => join(folder, path));
}

/** From `waxwing` to the end of the quotation, the line or the sentence. Inserted values stand as `X`. */
function mentionsIn(path: string): Mention[] {
  const text = readFileSync(join(checkout, path), "utf8")
    .replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, "X")
    .replace(/\\\n\s*/g, " ")
    .replaceAll("\\n", "\n");
  return [...text.matchAll(/(?<![\w./-])waxwing ([a-z][^`"'\n|;]*)/g)].map(({ 1: found = "", index }) => ({
    at: `${path}:${text.slice(0, index).split("\n").length}`,
    text: found.split(/[.,:)](?: |$)/)[0] ?? "",
  }));
}

/** Why this is no command; null if it is one, or is prose. */
function problemIn(text: string): string | null {
  const [first = "", second = ""] = text.trim().split(/\s+/);
  if (!words.has(first) || first === "help") return null;
  const own = commands.filter(({ group, name }) => (group ?? name) === first);
  const named =
    own.find(({ group, name }) => group !== null && name === second) ?? own.find(({ group }) => group === null);
  if (named === undefined) {
    // A group alone, or a word of prose after it.
    return /^[a-z][a-z-]*$/.test(second) && own.length > 0 ? `${first} has no command ${second}` : null;
  }
  return unknownFlag(named, text);
}

function unknownFlag({ options, name }: Command, text: string): string | null {
  const known = [...Object.keys(options).map(flagOf), ...GLOBAL];
  const flag = [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)]
    .map(([each]) => each)
    .find((each) => !known.includes(each));
  return flag === undefined ? null : `${name} has no option ${flag}`;
}

test("every command that a text names exists, with the options that it is named with", () => {
  const paths = [
    ...filesIn("src", /\.(tsx?|md)$/).filter((path) => !LABELS.test(path)),
    ...filesIn("docs", /\.md$/).filter((path) => !path.includes("decisions")),
    ...["README.md", "CONTRIBUTING.md", "config.example.toml", "install.sh"],
  ];
  const mentions = paths.flatMap(mentionsIn);
  expect(mentions.filter(({ text }) => words.has(text.split(" ")[0] ?? "")).length).toBeGreaterThan(150);
  const wrong = mentions.flatMap(({ at, text }) => {
    const problem = problemIn(text);
    return problem === null ? [] : [`${at}: waxwing ${text}: ${problem}`];
  });
  expect(wrong).toEqual([]);
});

test("what is wrong is found", () => {
  expect(problemIn("number synchronise 3")).toBe("number has no command synchronise");
  expect(problemIn("number add --workspace 1 --phon X")).toBe("add has no option --phon");
  expect(problemIn("serve --listen X")).toBeNull();
  expect(problemIn("sends messages")).toBeNull();
});
