/**
 * The Markdown pages against the repository: links and paths lead to files, scripts exist, diagrams show the states of the
 * code, decision records are complete, and the YAML of `.github` can be read.
 */
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { broadcastStatuses, nextStatus } from "#src/domain/broadcasts/broadcast.ts";
import { messageStatuses, ownMoves } from "#src/domain/messages/message.ts";
import packageJson from "../package.json" with { type: "json" };
import { checkout } from "./support/source.ts";

const DECISIONS = "docs/decisions";
const PAGE_LINES = 130;

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(checkout, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(ending))
    .map((path) => join(folder, path))
    .sort();
}

const read = (path: string): string => readFileSync(join(checkout, path), "utf8");

const pages = [
  ...readdirSync(checkout).filter((name) => name.endsWith(".md")),
  ...[".github", "docs", "src", "test"].flatMap((folder) => filesIn(folder, ".md")),
].map((path) => ({ path, text: read(path) }));

/** As GitHub names a heading in an address. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

function anchorsIn(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
}

/** Relative links that lead nowhere. `folder` is where the page lies. */
function brokenLinks(text: string, folder: string): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .filter((target) => {
      const [path = "", anchor] = target.split("#");
      const file = join(folder, path);
      if (path !== "" && !existsSync(join(checkout, file))) return true;
      if (anchor === undefined) return false;
      return !anchorsIn(path === "" ? text : read(file)).includes(anchor);
    });
}

/** Paths of the repository that a page names and that are not there. A `*` or `<…>` stands for any name. */
function missingPaths(text: string): string[] {
  const named = text.matchAll(/(?<![\w./-])(?:src|test|docs|scripts|migrations|\.github)\/[\w./<>*-]*[\w>*/]/g);
  return [...named]
    .map(([path]) => path.replace(/[/]?[^/]*[<*].*$/, ""))
    .filter((path) => path !== "" && !existsSync(join(checkout, path)));
}

/**
 * `domain/…`, `http/…` and the like, in code quotes: paths below `src`. A path to a module is one, too, whatever it begins
 * with: one that begins in the middle leaves the reader to guess which folder is meant.
 */
function missingSources(text: string): string[] {
  const folders = readdirSync(join(checkout, "src"), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const first = folders.map(({ name }) => name).join("|");
  const named = new RegExp(`\`((?:${first})/[\\w./-]*[\\w/]|[\\w.-]+/[\\w./-]*[.]tsx?)\``, "g");
  return [...text.matchAll(named)]
    .map(([, path = ""]) => path)
    .filter((path) => !existsSync(join(checkout, "src", path)) && !existsSync(join(checkout, path)));
}

/** Code blocks that stand twice in one page: an editor pasted one over another. Short ones may repeat. */
function repeatedBlocks(text: string): string[] {
  const blocks = [...text.matchAll(/^```\w*\n([\s\S]*?)^```/gm)].map(([, code = ""]) => code);
  return blocks.filter((code, index) => code.length > 60 && blocks.indexOf(code) !== index);
}

/** Scripts that a page runs with `bun run` and that package.json has not. */
function missingScripts(text: string): string[] {
  return [...text.matchAll(/\bbun run ([a-z][\w:-]*)/g)]
    .map(([, name = ""]) => name)
    .filter((name) => !Object.hasOwn(packageJson.scripts, name));
}

describe.each(pages)("$path", ({ path, text }) => {
  test("links to files and headings that exist", () => expect(brokenLinks(text, dirname(path))).toEqual([]));

  test("names paths that exist", () => expect([...missingPaths(text), ...missingSources(text)]).toEqual([]));

  test("shows no code block twice", () => expect(repeatedBlocks(text)).toEqual([]));

  test("runs scripts that package.json has", () => expect(missingScripts(text)).toEqual([]));
});

test("the pages that people begin with are among them", () => {
  const paths = pages.map(({ path }) => path);
  for (const page of ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/architecture.md", "docs/operations.md"]) {
    expect(paths).toContain(page);
  }
});

test("the README shows the console, light and dark, in pictures under 150 kB", () => {
  const shown = [...read("README.md").matchAll(/(?:src|srcset)="([^"]+[.]png)"/g)].map(([, path = ""]) => path);
  expect(shown.sort()).toEqual(["docs/console-dark.png", "docs/console-light.png"]);
  for (const path of shown) expect([path, statSync(join(checkout, path)).size < 150_000]).toEqual([path, true]);
});

test("what is broken is found", () => {
  expect(brokenLinks("[a](no.md) [b](#none) [c](README.md#no-such) [d](https://x.example) [e](README.md)", "")).toEqual(
    ["no.md", "#none", "README.md#no-such"],
  );
  expect(
    missingPaths("see `src/no.ts`, test/no.test.ts, docs/decisions/NNNN-*.md and https://x.example/docs/no"),
  ).toEqual(["src/no.ts", "test/no.test.ts"]);
  expect(
    missingSources("`domain/no.ts`, `http/api/app.ts`, `api/app.ts`, `domain/messages`, and domain/prose.ts"),
  ).toEqual(["domain/no.ts", "api/app.ts"]);
  expect(missingScripts("`bun run check`, `bun run nothing`")).toEqual(["nothing"]);
});

test("test/support/README.md names every file of its folder, and no other", () => {
  const [, table = ""] = read("test/support/README.md").split(/^## (?:All files|Conventions)$/m);
  const named = [...table.matchAll(/`([\w-]+\.(?:ts|c|jsonl?))`/g)].map(([, name]) => name);
  const present = readdirSync(join(checkout, "test/support")).filter((name) => !name.endsWith(".md"));
  expect(named.sort()).toEqual(present.sort());
});

test("the way from click to row names at most eight functions, each defined in the file beside it", () => {
  const [, section = ""] = read("docs/architecture.md").split("### From click to row\n");
  const steps = [...(section.split("\n## ")[0] ?? "").matchAll(/^\d+\. `([\w.]+)` \(`([\w/.-]+)`\)/gm)];
  expect(steps.length).toBeGreaterThan(4);
  expect(steps.length).toBeLessThanOrEqual(8);
  const wrong = steps
    .map(([, name = "", file = ""]) => ({ name, file, own: name.split(".").at(-1) ?? "" }))
    .filter(({ own, file }) => !new RegExp(`\\b${own}(<[^>]*>)?\\(`).test(read(`src/${file}`)))
    .map(({ name, file }) => `${name} is not in ${file}`);
  expect(wrong).toEqual([]);
});

describe("the diagrams of docs/architecture.md", () => {
  const text = read("docs/architecture.md");
  const diagrams = [...text.matchAll(/```mermaid\n([\s\S]*?)```/g)].map(([, diagram = ""]) => diagram);

  /** Moves between named states as `from to`; where a life begins and ends is left aside. */
  const movesIn = (diagram = "") =>
    [...diagram.matchAll(/^ *(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} ${to}`).sort();

  /** The states of the table below a heading. */
  const statesBelow = (heading: string) => {
    const [, section = ""] = text.split(`## ${heading}\n`);
    return [...(section.split("\n## ")[0] ?? "").matchAll(/^\| `(\w+)`/gm)].map(([, state]) => state);
  };

  test("are three: the stations, the life of a message, the life of a broadcast", () => {
    expect(diagrams.map((diagram) => diagram.trim().split(/\s/)[0])).toEqual([
      "flowchart",
      "stateDiagram-v2",
      "stateDiagram-v2",
    ]);
  });

  test("show every state of a message, and every move that our side makes", () => {
    expect(statesBelow("Life of a message")).toEqual([...messageStatuses]);
    const moves = movesIn(diagrams[1]);
    for (const { from, to } of Object.values(ownMoves)) {
      for (const state of from) expect(moves).toContain(`${state} ${to}`);
    }
    const known: readonly string[] = messageStatuses;
    expect(moves.flatMap((each) => each.split(" ")).filter((state) => !known.includes(state))).toEqual([]);
  });

  test("show every state and every move of a broadcast, and no other", () => {
    expect(statesBelow("Life of a broadcast")).toEqual([...broadcastStatuses]);
    const contexts = [true, false].flatMap((isBuilt) =>
      [true, false].map((isScheduledAhead) => ({ isBuilt, isScheduledAhead })),
    );
    const triggers = ["start", "built", "drained", "pause", "resume", "cancel", "fail"] as const;
    const moves = broadcastStatuses.flatMap((from) =>
      triggers.flatMap((trigger) =>
        contexts.flatMap((context) => {
          const to = nextStatus(from, trigger, context);
          return to === null ? [] : [`${from} ${to}`];
        }),
      ),
    );
    expect(movesIn(diagrams[2])).toEqual([...new Set(moves)].sort());
  });
});

describe("decision records", () => {
  const rooms = filesIn(DECISIONS, ".md").filter((path) => !/(README|history)\.md$/.test(path));
  const records = rooms.flatMap((path) =>
    read(path)
      .split(/^## /m)
      .slice(1)
      .map((record) => ({ path, number: record.slice(0, 4), title: record.split("\n", 1)[0] ?? "", record })),
  );
  const overturned = [...read(`${DECISIONS}/history.md`).matchAll(/^\| (\d{4}) /gm)].map(([, number = ""]) => number);

  test("are grouped by room, each room is a page, and the index names every page", () => {
    const listed = [...read(`${DECISIONS}/README.md`).matchAll(/^\| \[([a-z-]+\.md)\]/gm)].map(([, file]) => file);
    expect(listed.toSorted()).toEqual(rooms.map((path) => path.slice(DECISIONS.length + 1)));
    const long = rooms.filter((path) => read(path).split("\n").length > PAGE_LINES);
    expect(long).toEqual([]);
  });

  test("have numbers of their own, and no number is lost", () => {
    const numbers = records.map(({ number }) => number).toSorted();
    expect(numbers).toEqual([...new Set(numbers)]);
    const all = [...new Set([...numbers, ...overturned])].toSorted();
    expect(all).toEqual(all.map((_, index) => String(index + 1).padStart(4, "0")));
  });

  test.each(records)("$title says what holds, in $path", ({ title, record }) => {
    expect(title).toMatch(/^\d{4} \S/);
    expect(record.slice(title.length).trim()).not.toBe("");
  });
});

describe(".github", () => {
  const parse = (path: string): Record<string, unknown> => Bun.YAML.parse(read(path)) as Record<string, unknown>;
  const forms = filesIn(".github/ISSUE_TEMPLATE", ".yml").filter((path) => !path.endsWith("config.yml"));

  test.each(forms)("%s is an issue form: a name, a description, and fields with labels", (path) => {
    const { name, description, body } = parse(path) as { name: string; description: string; body: FormField[] };
    expect([typeof name, typeof description]).toEqual(["string", "string"]);
    const fields = body.filter(({ type }) => type !== "markdown");
    expect(fields.length).toBeGreaterThan(1);
    for (const { type, id, attributes } of fields) {
      expect(["input", "textarea", "dropdown", "checkboxes"]).toContain(type);
      expect(id).toMatch(/^[a-z]+$/);
      expect(attributes.label).toBeTruthy();
    }
    expect(new Set(fields.map(({ id }) => id)).size).toBe(fields.length);
  });

  test("the chooser of issue forms can be read", () => {
    expect(forms.length).toBe(2);
    expect(parse(".github/ISSUE_TEMPLATE/config.yml")).toEqual({ blank_issues_enabled: false });
  });

  test("the workflow checks out and runs .ci/run, and nothing else", () => {
    const { jobs } = parse(".github/workflows/ci.yml") as { jobs: Record<string, Job> };
    const [job, ...others] = Object.values(jobs);
    expect(others).toEqual([]);
    expect(job?.["runs-on"]).toBe("ubuntu-latest");
    expect(job?.steps.map(({ uses, run }) => uses?.replace(/@.*/, "") ?? run)).toEqual(["actions/checkout", ".ci/run"]);
    expect(existsSync(join(checkout, ".ci/run"))).toBe(true);
  });
});

interface FormField {
  type: string;
  id?: string;
  attributes: { label?: string };
}

interface Job {
  "runs-on": string;
  steps: { uses?: string; run?: string }[];
}

/** Names a test file or a script that runs one, or says that none holds it. */
const HELD = /`(?:test\/[\w./-]+|bun (?:run )?[\w:./-]+)|\bby hand only\b|\bnot held\b|\bno test\b/;

function rowsOfTables(text: string): string[] {
  const lines = text.split("\n");
  return lines.filter((line, index) => /^\| (?!-)/.test(line) && !/^\| -/.test(lines[index + 1] ?? ""));
}

function sectionOf(text: string, heading: string): string {
  return text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`)) ?? "";
}

describe("what the pages about security claim", () => {
  test("names in every row of security.md's tables the test that holds it, or says that none does", () => {
    const rows = rowsOfTables(read("docs/security.md"));
    expect(rows.length).toBeGreaterThan(45);
    expect(rows.filter((row) => !HELD.test(row))).toEqual([]);
  });

  test("names it in every paragraph about guarantees, secrets, root and users", () => {
    const text = read("docs/security.md");
    const claims = ["Guarantees", "Secrets", "Root and the service", "Users of the console"].flatMap((heading) =>
      sectionOf(text, heading)
        .split(/\n\n|\n(?=- )/)
        .slice(1)
        .filter((one) => one.trim() !== ""),
    );
    expect(claims.length).toBeGreaterThan(12);
    expect(claims.filter((one) => !HELD.test(one))).toEqual([]);
  });

  test("names it for every entry point of the threat model", () => {
    const rows = rowsOfTables(sectionOf(read("docs/threat-model.md"), "Entry points"));
    expect(rows.length).toBeGreaterThan(10);
    expect(rows.filter((row) => !HELD.test(row))).toEqual([]);
  });
});
