/**
 * Bugs in what is checked before a message leaves, and in what the simulated network takes: each limit one higher and one
 * lower, and each rule without effect, one at a time, in a temporary copy of the project. They are found in the sources, so a
 * limit that is added is planted too. A test has to fail for each.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

interface Planted {
  file: string;
  /** Begins at 1. */
  line: number;
  what: string;
  /** The whole file with the bug. */
  source: string;
  place: Place;
}

interface Place {
  files: readonly string[];
  /** What `bun test` gets: the tests that have to find the bugs. */
  tests: readonly string[];
  /** What makes the code of a rule ineffective. */
  rules: readonly Rule[];
  /** What is not planted, by a part of "line: what", with the reason: a number that is no limit, or that another limit covers. */
  others: Readonly<Record<string, string>>;
}

interface Rule {
  name: string;
  find: RegExp;
  replace: string;
}

const NOTHING = "((..._: unknown[]) => undefined)(";
/** Rules of the check: functions that add a fault, called as statements. */
const checks: Rule[] = [
  {
    name: "is not checked",
    find: /(?<!function )\b(?:addFault|checkUnique|checkTrimmed|checkAllShown|checkLink|checkSource|checkTexts|checkVoice)\(/g,
    replace: NOTHING,
  },
  {
    name: "is not told",
    find: /(?<=^\s*|[)] )fields(?=(?:\.\w+|\[[^\]]+\]) (?:\?\?)?= \[)/gm,
    replace: "({} as FieldProblems)",
  },
];
/** Rules of the simulator: what its tables demand, and its guards. */
const tables: Rule[] = [
  { name: "may be missing", find: /(?<!export const )\bneeded\(/g, replace: "optional(" },
  { name: "may be there twice", find: /, \["(?:reply\.id", "reply\.title|id|card_index)"\]/g, replace: "" },
  { name: "may be there together", find: /, \["link", "id"\]\)/g, replace: ")" },
  { name: "is not counted in all", find: /total: \{ of: "\w+", max: \d+ \},?/g, replace: "" },
  { name: "has any characters", find: /, isAlphanumeric: true/g, replace: "" },
];
const guards: Rule[] = [
  {
    name: "lets pass",
    find: /^ +if \(.+\) return (?:invalid|missing|refused|tooLong|\{ code).*;$/gm,
    replace: "",
  },
];

const KINDS = "src/domain/messages/kinds";
const SIMULATOR = "src/networks/simulator";

export const places: readonly Place[] = [
  {
    files: [
      ...["actions", "contacts", "interactive", "limits", "location", "media", "reaction", "text"].map(
        (name) => `${KINDS}/${name}.ts`,
      ),
      "src/domain/messages/link.ts",
    ],
    tests: ["test/flow/message-kinds.test.ts", "test/flow/send-uploads.test.ts"],
    rules: checks,
    others: {
      "minLength: 1": "blank texts are refused by a rule of their own",
      "minLength: 2": "a country has a pattern of its own",
      "minProperties: 1": "for the document alone",
      "sections: 10,: 10 is 11": "the total of rows refuses it too",
      "  minimum: 1,": "an id of 0 is unknown too",
      "to ?? { message: 0 }": "it never leaves: the fault is told",
    },
  },
  {
    files: ["src/domain/templates/buttons.ts", "src/domain/templates/cards.ts"],
    tests: ["test/flow/approved-templates.test.ts"],
    rules: [],
    others: { "Math.max(0, URL_LENGTH_MAX": "an address of 2,000 characters takes no value" },
  },
  {
    files: ["src/domain/messages/template-parts.ts", "src/http/bodies/template-parts.ts"],
    tests: ["test/flow/approved-templates.test.ts"],
    rules: checks,
    others: {
      "minLength: 1": "blank texts are refused by a rule of their own",
      "minLength: 3": "a currency has a pattern of its own",
      "maxItems: 100": "a card takes fewer",
      "maxProperties: 100": "a card takes fewer",
    },
  },
  {
    files: ["src/domain/media/upload.ts"],
    tests: ["test/flow/uploads.test.ts", "test/flow/send-uploads.test.ts"],
    rules: [],
    others: {
      "text.slice": "words",
      "DAY_MS = 24": "the length of a day",
      "maxBytes: 100 * MIB,: 100 is 101": "the server's own setting refuses it too",
      "Math.max(1, workspaceCount)": "there is a workspace where there are uploads",
    },
  },
  {
    files: ["limits", "template-limits", "uploads"].map((name) => `${SIMULATOR}/${name}.ts`),
    tests: ["test/limits/simulator.test.ts"],
    rules: [...tables, ...guards],
    others: {
      "UNLIMITED = 32_768": "more than Meta takes anywhere",
      "optional(list(from, 0": "what Meta says to an empty list of a card is not known",
      "list(TEMPLATES, 0": "a list has no fewer items than none",
      "Parameters<typeof object>": "a position of a type",
      "type: needed(words(UNLIMITED, from))": "the shape is chosen by this member",
      'words: ["location_request_message"]': "the shape is chosen by this member",
      'type(from, "button")': "the shape is chosen by this member",
      "type(from, name)),": "the shape is chosen by this member",
      'type(CAROUSEL, "carousel")': "the shape is chosen by this member",
      " 10,: 10 is 11": "the total of rows refuses it too",
      "1, 30, item)),: 30 is 31": "the total of products refuses it too",
      '["card_index"])),: 10 is 11': "the last position of a card refuses it too",
      "86_400_000 is 86400001": "the end is cut to whole seconds",
      HEAD_BYTES: "more than any file needs to be recognized",
    },
  },
  {
    files: ["evaluate", "evaluate-template", "approved-template"].map((name) => `${SIMULATOR}/${name}.ts`),
    tests: ["test/limits/simulator.test.ts"],
    rules: guards,
    others: {
      "const extension =": "no known extension is as short or as long",
      "const first =": "the cards of a carousel are alike",
    },
  },
];

/** Numbers in the code but those in comments, texts, names and examples, positions in lists, and what is compared. */
const NUMBER = /(?<![\w.$-]|\[|\.at\(|\bslice\([\d, ]*|(?:[=!]==|[<>%/]) )-?\d[\d_]*(?![\w.])/g;

/** All bugs of the places, in the order of the sources. */
export function plant(root: string): Planted[] {
  return places.flatMap((place) =>
    place.files.flatMap((file) => {
      const source = readFileSync(join(root, file), "utf8");
      const code = blanked(source);
      const found = [...numbersIn(code), ...rulesIn(source, code, place.rules)].toSorted(
        (one, other) => one.at - other.at,
      );
      return found.flatMap(({ at, length, what, text }) => {
        const line = source.slice(0, at).split("\n").length;
        const told = `${source.split("\n")[line - 1]}: ${what}`;
        if (Object.keys(place.others).some((part) => told.includes(part))) return [];
        const changed = source.slice(0, at) + text + source.slice(at + length);
        return [{ file, line, what: told.trim(), source: changed, place }];
      });
    }),
  );
}

interface Change {
  at: number;
  length: number;
  what: string;
  text: string;
}

function numbersIn(code: string): Change[] {
  return [...code.matchAll(NUMBER)].flatMap(({ index: at, 0: number }) => {
    const value = Number(number.replaceAll("_", ""));
    return [value + 1, value - 1].map((other) => ({
      at,
      length: number.length,
      what: `${number} is ${other}`,
      text: String(other),
    }));
  });
}

function rulesIn(source: string, code: string, rules: readonly Rule[]): Change[] {
  return rules.flatMap(({ name, find, replace }) =>
    [...source.matchAll(find)]
      .filter(({ index, 0: { length } }) => code.slice(index, index + length).trim() !== "")
      .map(({ index: at, 0: { length } }) => ({ at, length, what: name, text: replace })),
  );
}

/** The source with spaces for its comments and texts, of the same length. */
function blanked(source: string): string {
  const spaces = (text: string): string => text.replace(/[^\n]/g, " ");
  return source.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|(?<=[(,=:!] ?|return )\/(?![/*])(?:[^/\\\n]|\\.)+\/[a-z]*/g,
    spaces,
  );
}

const PARTS = [
  "src",
  "docs",
  "examples",
  "migrations",
  "clients",
  "test",
  "scripts",
  "package.json",
  "tsconfig.json",
  "bunfig.toml",
];

/** A copy of the project in which one file at a time is changed. */
export class Copy {
  readonly root = mkdtempSync(join(tmpdir(), "waxwing-planted-"));
  readonly #original = resolve(import.meta.dir, "../..");

  constructor() {
    for (const part of PARTS) cpSync(join(this.#original, part), join(this.root, part), { recursive: true });
    symlinkSync(join(this.#original, "node_modules"), join(this.root, "node_modules"));
  }

  /** What the tests of the place say of the bug: "passes", or the first of them that fails. */
  async find({ file, source, place }: Planted): Promise<string> {
    const path = join(this.root, file);
    writeFileSync(path, source);
    try {
      return await this.run(place.tests);
    } finally {
      cpSync(join(this.#original, file), path);
    }
  }

  async run(tests: readonly string[]): Promise<string> {
    const command = [process.execPath, "test", "--bail", "--timeout", "120000", ...tests];
    // The bugs are in the sources, not in an executable that was built before.
    const env = { ...Bun.env, TEST_LONG: "", TEST_EXECUTABLE: undefined };
    const run = Bun.spawn(command, { cwd: this.root, env, stdout: "pipe", stderr: "pipe" });
    const output = (await Promise.all([run.stderr.text(), run.stdout.text()])).join("");
    const failed = /^\(fail\) (.*)$/m.exec(output)?.[1];
    if (failed !== undefined) return failed;
    if (/^ 0 fail$/m.test(output)) return "passes";
    // A copy that does not even run has found nothing.
    throw new Error(`the tests did not run: ${output}`);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
