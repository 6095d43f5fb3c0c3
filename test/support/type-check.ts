/**
 * What the type checker says about a changed copy of the sources: for tests which promise that a certain kind of error
 * does not compile. A run takes some seconds, so collect the changes of a test file in one.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout } from "./source.ts";

export interface TypeProblem {
  /** From the checkout: "src/web/app/router.tsx". */
  file: string;
  line: number;
  /** The whole message, with its indented explanation. */
  message: string;
}

/** The text of a new file, or an edit of an existing one. An edit that changes nothing is an error of the test. */
export type Change = string | ((source: string) => string);

export type Changes = Readonly<Record<string, Change>>;

const COPIED = [
  "package.json",
  "tsconfig.json",
  "bunfig.toml",
  "docs",
  "examples",
  "migrations",
  "scripts",
  "src",
  "test",
];

/** Applies `changes`, by path from the checkout, to a copy of the checkout that exists while `use` runs. */
export async function withChangedCopy<T>(changes: Changes, use: (directory: string) => Promise<T>): Promise<T> {
  const copy = mkdtempSync(join(tmpdir(), "waxwing-copy-"));
  try {
    for (const name of COPIED) cpSync(join(checkout, name), join(copy, name), { recursive: true });
    symlinkSync(join(checkout, "node_modules"), join(copy, "node_modules"));
    for (const [path, change] of Object.entries(changes)) writeFileSync(join(copy, path), changed(path, change));
    return await use(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** `project` is the folder of a `tsconfig.json`: the console, or "." for everything else. */
export function findTypeProblems(changes: Changes, project: "src/web" | "." = "src/web"): Promise<TypeProblem[]> {
  return withChangedCopy(changes, (directory) => checkTypes(directory, project));
}
/** Throws if the checker itself fails. */
export async function checkTypes(directory: string, project: "src/web" | "."): Promise<TypeProblem[]> {
  const checker = Bun.spawn(
    [
      process.execPath,
      join(checkout, "node_modules/typescript/bin/tsc"),
      "--noEmit",
      // Several threads each check the types that they share: half as fast again, for twice the work.
      "--singleThreaded",
      "--pretty",
      "false",
      "-p",
      project,
    ],
    { cwd: directory, stdout: "pipe", stderr: "pipe" },
  );
  const [output, errors, code] = await Promise.all([
    new Response(checker.stdout).text(),
    new Response(checker.stderr).text(),
    checker.exited,
  ]);
  const problems = readProblems(output);
  if ((code === 0) !== (problems.length === 0)) throw new Error(`The type checker failed: ${output}${errors}`);
  return problems;
}

function changed(path: string, change: Change): string {
  if (typeof change === "string") return change;
  const source = readFileSync(join(checkout, path), "utf8");
  const edited = change(source);
  if (edited === source)
    throw new Error(`The edit of ${path} changes nothing: its source is not what the test expects.`);
  return edited;
}

function readProblems(output: string): TypeProblem[] {
  const problems: TypeProblem[] = [];
  for (const text of output.split("\n")) {
    const [, file, line, message] = /^(\S.*?)\((\d+),\d+\): error (TS\d+: .*)$/.exec(text) ?? [];
    const last = problems.at(-1);
    if (file !== undefined && message !== undefined) problems.push({ file, line: Number(line), message });
    else if (last !== undefined && text.startsWith(" ")) last.message += `\n${text}`;
  }
  return problems;
}
