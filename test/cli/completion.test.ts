/** Shell completion: what bash, zsh and fish offer at the Tab key, and that all that can be typed is offered. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { type Command, nameOf } from "#src/cli/command.ts";
import { groups } from "#src/cli/commands.ts";
import { answerShell } from "#src/cli/completion.ts";
import { globalOptions } from "#src/cli/global-options.ts";
import { flagOf, type Option } from "#src/cli/option.ts";
import { program } from "#test/support/program.ts";
import { CallingWorkshop } from "./spawn.ts";

const shells = ["bash", "zsh", "fish"] as const;

let workshop: CallingWorkshop;
const scripts = new Map<string, string>();
beforeAll(async () => {
  workshop = new CallingWorkshop();
  workshop.write("people list.csv", "phone\n");
  mkdirSync(workshop.path("people"));
  mkdirSync(workshop.path("bin"));
  const words = program.map((word) => `'${word}'`).join(" ");
  chmodSync(workshop.write("bin/waxwing", `#!/bin/sh\nexec ${words} "$@"\n`), 0o755);
  for (const shell of shells) {
    const { code, stdout } = await workshop.run(["completion", shell]);
    expect(code).toBe(0);
    scripts.set(shell, stdout);
    workshop.write(`completion.${shell}`, stdout);
  }
});
afterAll(() => workshop[Symbol.dispose]());

/** Runs a script in a shell that reads nothing of the person's own configuration. */
function runShell(shell: string, script: string): string {
  const bare = { bash: ["--norc", "--noprofile"], zsh: ["-f"], fish: ["--no-config"] }[shell] ?? [];
  const env = { ...process.env, PATH: `${workshop.path("bin")}:${process.env.PATH}` };
  const ran = Bun.spawnSync([shell, ...bare, "-c", script], { cwd: workshop.directory, env });
  expect(ran.stderr.toString()).toBe("");
  return ran.stdout.toString();
}

/** What bash offers for a line that is typed up to its end; `words` as bash takes it apart. */
function offered(words: readonly string[]): string[] {
  const typed = words.map((word) => `'${word}'`).join(" ");
  const script = `source ./completion.bash; COMP_WORDS=(waxwing ${typed}); COMP_CWORD=${words.length}; _waxwing; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return runShell("bash", script).split("\n").filter(Boolean);
}

describe.skipIf(Bun.which("bash") === null)("bash", () => {
  test.each<[string, string[], string[]]>([
    ["a command's first letters", ["wo"], ["workspace"]],
    ["a group's commands", ["workspace", "en"], ["enable-api"]],
    ["the words of an option", ["number", "add", "--network", ""], ["simulator", "whatsapp"]],
    ["the first letters of such a word", ["number", "add", "--network", "s"], ["simulator"]],
    ["an option with =, which bash takes apart", ["number", "add", "--network", "=", "wh"], ["whatsapp"]],
    ["an option with = and nothing yet", ["number", "add", "--network", "="], ["simulator", "whatsapp"]],
    ["behind global options", ["--json", "--data", "mine", "key", "re"], ["revoke"]],
    ["behind an address, whose colon takes it apart", ["serve", "--listen", "h", ":", "80", "--j"], ["--json"]],
    ["an address that is being typed", ["serve", "--listen", "h", ":", "80"], []],
    ["behind help", ["help", "workspace", "cred"], ["credit"]],
    ["the shell of completion", ["completion", "z"], ["zsh"]],
    ["a file", ["contact", "import", "peo"], ["people", "people list.csv"]],
    ["a file of a global option", ["--config", "wax"], ["waxwing.toml"]],
    ["a directory", ["check", "--data", "peo"], ["people"]],
    ["a file behind --", ["check", "--", "peo"], ["people", "people list.csv"]],
    ["free text: nothing", ["workspace", "create", "--name", ""], []],
    [
      "options that are not given yet",
      ["key", "create", "--workspace", "1", "--"],
      [
        "--name",
        "--scopes",
        "--expires",
        "--daily-people",
        "--group",
        "--money",
        "--automation",
        "--ai",
        "--config",
        "--data",
        "--json",
        "--help",
      ],
    ],
    // It may be given again.
    ["an option that is repeated", ["dev", "--number", "+911244001100", "--num"], ["--number"]],
    ["options where no value is left", ["message", "show", "7", ""], ["--config", "--data", "--json", "--help"]],
    ["no such group", ["nonsense", "--n"], []],
  ])("%s", (_, words, expected) => {
    expect(offered(words).toSorted()).toEqual(expected.toSorted());
  });

  test("the shell itself calls it for waxwing", () => {
    expect(runShell("bash", "source ./completion.bash; complete -p waxwing")).toBe("complete -F _waxwing waxwing\n");
  });
});

/**
 * What zsh and fish offer for typed lines, in one run of the shell. Both complete a whole line themselves, so quotes,
 * `=` and colons are taken apart by the shell and not by the test.
 */
const offeredBy = {
  fish(lines: readonly string[]): string[][] {
    const script = `source ./completion.fish; for line in $argv; complete -C $line; echo; echo "${END}"; end`;
    const offers = parted(runShell("fish", `set argv ${lines.map(quoted).join(" ")}; ${script}`));
    return offers.map((words) => words.map((word) => word.split("\t")[0] ?? ""));
  },

  /**
   * zsh completes only at a terminal: a second zsh runs at one, and a key writes what it offers to a file. `compadd` is
   * the builtin that every completion ends in.
   */
  zsh(lines: readonly string[], load = "source ./completion.zsh"): string[][] {
    workshop.write("lines", lines.map((line) => `${line}\n`).join(""));
    workshop.write(
      "terminal.zsh",
      `PS1='' PROMPT_EOL_MARK='' LINES=500 COLUMNS=300 LISTMAX=1000
autoload -Uz compinit
${load.includes("fpath") ? `${load}; compinit -u -D` : `compinit -u -D; ${load}`}
compadd() {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  if (($#hits)); then print -rl -- $hits >> offered; fi
  builtin compadd "$@"
}
integer answered=0
offer() { zle list-choices; print -r -- "${END}" >> offered; zle kill-buffer; answered+=1; print -n "@$answered@" }
zle -N offer
bindkey '^G' offer
: > offered
print "@0@"
`,
    );
    runShell(
      "zsh",
      `zmodload zsh/zpty; zpty shell zsh -f -i; zpty -w shell 'source ./terminal.zsh'; zpty -r shell seen '*@0@*'
integer n=0
while IFS= read -r line; do n+=1; zpty -w -n shell "$line"$'\\x07'; zpty -r shell seen "*@$n@*"; done < lines
zpty -d shell`,
    );
    const offers = parted(readFileSync(workshop.path("offered"), "utf8"));
    // A directory comes twice: zsh asks for paths in two ways.
    return offers.map((words) => [...new Set(words.map((word) => word.replaceAll("\\", "")))]);
  },
};

const END = "== end";

function parted(text: string): string[][] {
  return text
    .split(`${END}\n`)
    .slice(0, -1)
    .map((part) => part.split("\n").filter(Boolean));
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, "\\$&")}'`;
}

/** Typed text, then what zsh offers, and fish where that is different. */
const typedLines: [typed: string, zsh: string[], fish?: string[]][] = [
  ["waxwing wo", ["workspace"]],
  ["waxwing workspace en", ["enable-api"]],
  ["waxwing number add --network ", ["simulator", "whatsapp"]],
  ["waxwing number add --network s", ["simulator"]],
  ["waxwing number add --network=wh", ["whatsapp"], ["--network=whatsapp"]],
  ["waxwing number add --network=", ["simulator", "whatsapp"], ["--network=simulator", "--network=whatsapp"]],
  ["waxwing --json --data mine key re", ["revoke"]],
  ["waxwing serve --listen h:80 --j", ["--json"]],
  ["waxwing serve --listen h:80", []],
  ["waxwing help workspace cred", ["credit"]],
  ["waxwing completion z", ["zsh"]],
  ["waxwing contact import peo", ["people", "people list.csv"], ["people/", "people list.csv"]],
  ["waxwing contact import 'peo", ["people", "people list.csv"], ["people/", "people list.csv"]],
  ["waxwing --config wax", ["waxwing.toml"]],
  ["waxwing --config=wax", ["waxwing.toml"], ["--config=waxwing.toml"]],
  ["waxwing check --data peo", ["people"], ["people/"]],
  ["waxwing check --data=peo", ["people"], ["--data=people/"]],
  ["waxwing check -- peo", ["people", "people list.csv"], ["people/", "people list.csv"]],
  ["waxwing workspace create --name ", []],
  [
    "waxwing key create --workspace 1 --",
    [
      "--name",
      "--scopes",
      "--expires",
      "--daily-people",
      "--group",
      "--money",
      "--automation",
      "--ai",
      "--config",
      "--data",
      "--json",
      "--help",
    ],
  ],
  ["waxwing message show 7 ", ["--config", "--data", "--json", "--help"]],
  ["waxwing message show 7 -", ["--config", "--data", "--json", "--help"]],
  ["waxwing nonsense zzz", []],
];

for (const shell of ["zsh", "fish"] as const) {
  const isMissing = Bun.which(shell) === null;
  describe.skipIf(isMissing)(`${shell}${isMissing ? ` (skipped: there is no ${shell} here)` : ""}`, () => {
    test(`${shell} offers words, options, values and files for what is typed`, () => {
      const offers = offeredBy[shell](typedLines.map(([typed]) => typed));
      expect(offers.length).toBe(typedLines.length);
      for (const [index, [typed, zsh, fish = zsh]] of typedLines.entries()) {
        const expected = shell === "zsh" ? zsh : fish;
        expect([typed, offers[index]?.toSorted()]).toEqual([typed, expected.toSorted()]);
      }
    });
  });
}

test.skipIf(Bun.which("zsh") === null)("zsh loads the script alone from a directory of fpath, too", () => {
  mkdirSync(workshop.path("functions"));
  workshop.write("functions/_waxwing", scripts.get("zsh") ?? "");
  const lines = ["waxwing wo", "waxwing key re"];
  expect(offeredBy.zsh(lines, "fpath=($PWD/functions $fpath)")).toEqual([["workspace"], ["revoke"]]);
});

/** The words that the program offers a shell for a line that is typed up to its end. */
async function answered(...words: string[]): Promise<string[]> {
  const answer = await answerShell(groups, ["zsh", ...words]);
  return answer.split("\n").flatMap((line) => line.split("\t")[0] || []);
}

test("every group's commands, every command's options, and the words of each of them are offered", async () => {
  expect(await answered("")).toEqual([...groups.map(({ word }) => word), "help"]);
  for (const group of groups) {
    const commands = await group.load();
    // After a word that is a command itself (backup FILE), files are offered and no second word (backup send).
    const isAlone = commands[0]?.group === null;
    if (!isAlone) expect(await answered(group.word, "")).toEqual(commands.map(({ name }) => name));
    for (const command of commands) await expectOffered(command);
  }
});

async function expectOffered(command: Command): Promise<void> {
  const words = nameOf(command).split(" ");
  const options: Record<string, Option> = { ...command.options, ...globalOptions };
  expect(await answered(...words, "--")).toEqual(Object.keys(options).map(flagOf));
  for (const [property, option] of Object.entries(options)) {
    if (option.kind === "choice") {
      expect(await answered(...words, flagOf(property), "")).toEqual([...option.choices]);
      expect(await answered(...words, `${flagOf(property)}=`)).toEqual([...option.choices]);
    }
  }
}

test("a word is offered with its description", async () => {
  expect(await answerShell(groups, ["fish", "key", ""])).toContain("revoke\tRevoke a key, at once and permanently\n");
  expect(await answerShell(groups, ["fish", "--"])).toContain("--json\tPrint one JSON document on stdout\n");
});

test.each([...shells])("the script for %s is one document with --json", async (shell) => {
  const { script } = await workshop.json<{ script: string }>(["completion", shell]);
  expect(script).toBe(scripts.get(shell) ?? "");
});

test("a shell that is not known is refused with those that are", async () => {
  const { code, stderr } = await workshop.run(["completion", "csh"]);
  expect(code).toBe(2);
  expect(stderr).toContain('bash|zsh|fish is "csh", and must be one of bash, zsh, fish');
});
