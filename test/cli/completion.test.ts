/** Shell completion: what bash offers at the Tab key, and that every script knows all that can be typed. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync } from "node:fs";
import { type Command, flagOf, nameOf } from "#src/cli/command.ts";
import { groups } from "#src/cli/commands.ts";
import { globalOptions } from "#src/cli/global-options.ts";
import { CallingWorkshop } from "./spawn.ts";

const shells = ["bash", "zsh", "fish"] as const;

let workshop: CallingWorkshop;
let commands: Command[];
const scripts = new Map<string, string>();
beforeAll(async () => {
  workshop = new CallingWorkshop();
  workshop.write("people list.csv", "phone\n");
  mkdirSync(workshop.path("people"));
  const all = (await Promise.all(groups.map((group) => group.load()))).flat();
  // After a word that is a command itself (backup FILE), files are offered and no second word (backup recovery-sheet).
  const alone = new Set(all.filter(({ group }) => group === null).map(({ name }) => name));
  commands = all.filter(({ group }) => group === null || !alone.has(group));
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
  const ran = Bun.spawnSync([shell, ...bare, "-c", script], { cwd: workshop.directory, env: process.env });
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
      ["--name", "--scopes", "--expires", "--daily-people", "--config", "--data", "--json", "--help"],
    ],
    // It may be given again.
    ["an option that is repeated", ["dev", "--number", "+911244001100", "--num"], ["--number"]],
    ["options where no value is left", ["message", "show", "7", ""], ["--config", "--data", "--json", "--help"]],
    ["no such group", ["nonsense", "--n"], []],
  ])("%s", (_, words, expected) => {
    expect(offered(words).toSorted()).toEqual(expected.toSorted());
  });

  test("every group's commands, every command's options, and the words of each of them", () => {
    expect(offered([""])).toEqual([...groups.map(({ word }) => word), "help"]);
    for (const group of groups) {
      const names = commands.filter((one) => one.group === group.word).map(({ name }) => name);
      if (names.length > 0) expect(offered([group.word, ""])).toEqual(names);
    }
    for (const command of commands) {
      const words = nameOf(command).split(" ");
      const flags = [...Object.keys(command.options), ...Object.keys(globalOptions)].map(flagOf);
      expect(offered([...words, "--"])).toEqual(flags);
      for (const [property, option] of Object.entries(command.options)) {
        if (option.kind === "choice") expect(offered([...words, flagOf(property), ""])).toEqual([...option.choices]);
      }
    }
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
  // fish offers an option again that was given already: a condition on it would also hide its value.
  [
    "waxwing key create --workspace 1 --",
    ["--name", "--scopes", "--expires", "--daily-people", "--config", "--data", "--json", "--help"],
    ["--workspace", "--name", "--scopes", "--expires", "--daily-people", "--config", "--data", "--json", "--help"],
  ],
  // Both show options only where a dash is typed.
  ["waxwing message show 7 ", []],
  ["waxwing message show 7 -", ["--config", "--data", "--json", "--help"]],
  ["waxwing nonsense --n", []],
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

    test(`${shell} offers every group's commands, every command's options, and the words of each of them`, () => {
      const all = Object.keys(globalOptions).map(flagOf);
      const expected = new Map<string, string[]>();
      expected.set("waxwing ", [...groups.map(({ word }) => word), "help"]);
      for (const { word } of groups) {
        const names = commands.filter((one) => one.group === word).map(({ name }) => name);
        if (names.length > 0) expected.set(`waxwing ${word} `, names);
      }
      for (const command of commands) {
        const typed = `waxwing ${nameOf(command)}`;
        expected.set(`${typed} --`, [...Object.keys(command.options).map(flagOf), ...all]);
        for (const [property, option] of Object.entries(command.options)) {
          if (option.kind === "choice") expected.set(`${typed} ${flagOf(property)} `, [...option.choices]);
        }
      }
      const offers = offeredBy[shell]([...expected.keys()]);
      expect(offers.length).toBe(expected.size);
      for (const [index, [typed, words]] of [...expected].entries()) {
        expect([typed, offers[index]?.toSorted()]).toEqual([typed, words.toSorted()]);
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

describe.each([...shells])("the script for %s", (shell) => {
  /** The lines that are about this command, or under its heading. */
  function about(name: string): string {
    const script = scripts.get(shell) ?? "";
    if (shell === "fish")
      return script
        .split("\n")
        .filter((line) => line.includes(`__waxwing_runs ${name}'`))
        .join("\n");
    const start = script.indexOf(`    '${name}') ${shell === "bash" ? "options" : "flags"}=`);
    return script.slice(start, script.indexOf(" ;;", start));
  }

  test("has every command, every option, and every word to choose from", () => {
    const script = scripts.get(shell) ?? "";
    for (const command of commands) {
      const own = about(nameOf(command));
      expect(script).toContain(command.name);
      for (const [property, option] of Object.entries(command.options)) {
        expect(own).toContain(shell === "fish" ? `-l ${flagOf(property).slice(2)} ` : flagOf(property));
        if (option.kind !== "choice") continue;
        for (const choice of option.choices) {
          expect(choice).toMatch(/^[\w-]+$/);
          expect(script).toContain(choice);
        }
      }
    }
    for (const property of Object.keys(globalOptions)) expect(script).toContain(flagOf(property).slice(2));
  });

  test("is one document with --json", async () => {
    const { script } = await workshop.json<{ script: string }>(["completion", shell]);
    expect(`${script}`).toBe(scripts.get(shell) ?? "");
  });
});

test("an option takes a value in every command or in none: fish's script relies on it", () => {
  const kinds = new Map<string, boolean>();
  for (const { options } of commands) {
    for (const [property, { kind }] of Object.entries(options)) {
      expect({ property, isFlag: kinds.get(property) ?? kind === "flag" }).toEqual({
        property,
        isFlag: kind === "flag",
      });
      kinds.set(property, kind === "flag");
    }
  }
});

test("a shell that is not known is refused with those that are", async () => {
  const { code, stderr } = await workshop.run(["completion", "csh"]);
  expect(code).toBe(2);
  expect(stderr).toContain('bash|zsh|fish is "csh", and must be one of bash, zsh, fish');
});
