/**
 * The architecture's rules, read from the source: who may import whom, what the domain never does, where time and
 * randomness come from. Each rule is data with its reason (`support/house-rules.ts`); a failure names the line and the
 * right way.
 */
import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type Folder,
  folders,
  forbiddenNames,
  LONGEST_FILE,
  modules,
  namesToAvoid,
  packages,
  words,
} from "./support/house-rules.ts";
import {
  checkout,
  exportsOf,
  importedNames,
  lineAt,
  readSource,
  readSources,
  type SourceFile,
  type SourceImport,
} from "./support/source.ts";

const sources = readSources();
const NAME = /[A-Za-z_$][\w$]*/g;

describe("who may import whom", () => {
  for (const folder of folders.filter(({ mayImport }) => !mayImport.includes("*"))) {
    const allowed = list([...folder.holds, ...folder.mayImport, ...(folder.mayImportTypesOf ?? [])]);
    const forbidden = folder.mayNotImport === undefined ? "" : `, and nothing of ${list(folder.mayNotImport)}`;
    test(`${folder.holds.join(", ")} imports only ${allowed}${forbidden}`, () => {
      const offences = sources
        .filter(({ path }) => folderOf(path) === folder)
        .flatMap((source) => source.imports.map((one) => offence(folder, source, one)).filter((text) => text !== null));
      expect(offences).toEqual([]);
    });
  }

  test("every file in src belongs to a folder that has a rule", () => {
    expect(sources.filter(({ path }) => folderOf(path) === undefined).map(({ path }) => path)).toEqual([]);
  });

  test("a package is imported only by the folders that it is meant for", () => {
    const offences = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ file, isTypeOnly }) => file === null && !isTypeOnly)
        .flatMap(({ specifier, line }) => {
          const rule = packages.find(({ name }) => name.test(specifier));
          if (rule === undefined || isIn(path, rule.only)) return [];
          return [`${path}:${line} imports ${specifier}, which only ${list(rule.only)} may: ${rule.why}`];
        }),
    );
    expect(offences).toEqual([]);
  });

  test("only http/ imports elysia, including its types", () => {
    const offences = sources
      .filter(({ path, imports }) => !isIn(path, ["http/"]) && imports.some(({ specifier }) => specifier === "elysia"))
      .map(({ path }) => path);
    expect(offences).toEqual([]);
  });

  test("a file that the browser's bundle shares with the server imports nothing but such files", () => {
    const shared = folders.find(({ holds }) => holds.includes("web/"))?.mayImport ?? [];
    const offences = sources
      .filter(({ path }) => isIn(path, shared))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ file }) => file === null || !isIn(file, shared))
          .map(({ specifier }) => `${path} imports ${specifier}`),
      );
    expect(offences).toEqual([]);
  });

  test("an import of project code names an existing file, with its extension", () => {
    const offences = sources.flatMap(({ path, imports }) =>
      imports
        .filter(({ file }) => file !== null && !existsSync(join(checkout, file)))
        .map(({ line, specifier }) => `${path}:${line} imports ${specifier}, and there is no such file`),
    );
    expect(offences).toEqual([]);
  });

  test("there is no import cycle between files, type imports included", () => {
    const edges = new Map(
      sources.map(({ path, imports }) => [path, imports.flatMap(({ file }) => (file === null ? [] : [file]))]),
    );
    expect(findCycle(edges)).toBeNull();
  });

  test("the domain has at most 16 modules, and exactly those of the list", () => {
    const found = new Set(sources.flatMap(({ path }) => /^src\/domain\/([^/]+)\//.exec(path)?.[1] ?? []));
    expect([...found].sort()).toEqual([...modules].sort());
    expect(modules.length).toBeLessThanOrEqual(16);
  });

  test("there is no import cycle between folders, type imports included", () => {
    const edges = new Map<string, string[]>();
    for (const { path, imports } of sources) {
      const from = stationOf(path);
      const to = imports.flatMap(({ file }) => (file?.startsWith("src/") ? [stationOf(file)] : []));
      edges.set(from, [...(edges.get(from) ?? []), ...to.filter((station) => station !== from)]);
    }
    // This includes the connectors: they import types of the domain, and the domain imports no connector.
    expect(findCycle(edges)).toBeNull();
  });
});

describe("what code must not say", () => {
  for (const { what, where, except = {}, right } of words) {
    test(`${right} (${what.source.slice(0, 60)})`, () => {
      const offences = sources
        .filter(({ path }) => where.test(path) && except[path] === undefined)
        .flatMap(({ path, code }) =>
          [...code.matchAll(new RegExp(what, "g"))].map(
            (match) => `${path}:${lineAt(code, match.index)} says ${match[0].trim()}: ${right}`,
          ),
        );
      expect(offences).toEqual([]);
    });
  }

  test("every exception names an existing file that still needs it", () => {
    const stale = words.flatMap(({ what, except = {} }) =>
      Object.keys(except).filter((path) => !what.test(sources.find((source) => source.path === path)?.code ?? "")),
    );
    expect(stale).toEqual([]);
  });
});

describe("names", () => {
  const everywhere = [...sources, ...readSources("test"), ...readSources("scripts")].filter(
    ({ path }) => path !== "test/support/house-rules.ts",
  );
  /** Each name once, with its words: the same few thousand names stand in a hundred times as many places. */
  const names = new Map<string, string>();
  for (const { code } of everywhere)
    for (const [name] of code.matchAll(NAME)) if (!names.has(name)) names.set(name, wordsOf(name));

  for (const { words: avoided, write, except = [] } of namesToAvoid) {
    test(`write ${write}, not ${avoided.join(", ")}`, () => {
      const pattern = new RegExp(`(^| )(${avoided.join("|")})( |$)`);
      const wrong = new Set(
        [...names].flatMap(([name, itsWords]) => (!except.includes(name) && pattern.test(itsWords) ? [name] : [])),
      );
      const offences =
        wrong.size === 0
          ? []
          : everywhere.flatMap(({ path, code }) =>
              [...code.matchAll(NAME)]
                .filter(([name]) => wrong.has(name))
                .map((match) => `${path}:${lineAt(code, match.index)} ${match[0]}`),
            );
      expect(offences).toEqual([]);
    });
  }
});

describe("files", () => {
  test("no file or folder has a catch-all name", () => {
    const offences = sources.filter(({ path }) =>
      path
        .split("/")
        .slice(1)
        .some((part) => forbiddenNames.includes(part.replace(/\..*$/, ""))),
    );
    expect(offences.map(({ path }) => `${path}: name it for the one thing that it is about`)).toEqual([]);
  });

  test("file names are lower case, with dashes between words", () => {
    const offences = sources.filter(({ path }) => !/^[a-z0-9/.-]+$/.test(path)).map(({ path }) => path);
    expect(offences).toEqual([]);
  });

  test(`no file is longer than ${LONGEST_FILE} lines`, () => {
    const offences = sources
      .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }))
      .filter(({ lines }) => lines > LONGEST_FILE)
      .map(({ path, lines }) => `${path} has ${lines} lines: it probably has two jobs`);
    expect(offences).toEqual([]);
  });

  test("every module begins with a doc comment", () => {
    const offences = sources.filter(({ text }) => !/^\/\*\*[\s*]*[^\s*/]/.test(text)).map(({ path }) => path);
    expect(offences).toEqual([]);
  });
});

describe("exports", () => {
  const used = importedNames(["src", "test", "scripts"]);

  test("an export is imported by another file; what only its own file uses is not exported", () => {
    const offences = sources
      .filter(({ path }) => !used.has(`${path}#*`))
      .flatMap((source) =>
        exportsOf(source)
          .filter(({ name }) => !used.has(`${source.path}#${name}`))
          .map(({ name, line }) => `${source.path}:${line} exports ${name}, and no other file imports it`),
      );
    expect(offences).toEqual([]);
  });
});

describe("the parser behind these rules", () => {
  test("the parser finds what a file exports, in every form of a declaration", () => {
    const text = `export async function a() {}
export const b = 1; // export const no = 2;
export interface C {}
export type D = "export type No = 1";
export abstract class E {}
export function* f() {}
const local = 3;
`;
    const names = exportsOf(readSource("src/x.ts", text)).map(({ name, line }) => `${name} ${line}`);
    expect(names).toEqual(["a 1", "b 2", "C 3", "D 4", "E 5", "f 6"]);
  });

  const sample = [
    'import { a, type B } from "#src/x.ts";',
    'import type { C } from "./c.ts";',
    'import {\n  type D,\n  type E,\n} from "../d/e.ts";',
    'export { f } from "pkg";',
    'const g = await import("./g.ts"); // import("./no.ts")',
    'import "./h.ts";',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the sample is source text.
    "const text = `await ${await one(`Date.now ${{ a: 1 }.a}`)} Date.now`; const r = /Date.now()['\"`]/; two();",
  ].join("\n");
  const read = readSource("src/domain/x/y.ts", sample);

  test("the parser finds every form of import and export, and tells type-only ones apart", () => {
    expect(read.imports.map(({ file, specifier, isTypeOnly }) => [file ?? specifier, isTypeOnly])).toEqual([
      ["src/x.ts", false],
      ["src/domain/x/c.ts", true],
      ["src/domain/d/e.ts", true],
      ["pkg", false],
      ["src/domain/x/g.ts", false],
      ["src/domain/x/h.ts", false],
    ]);
  });

  test("the parser does not take words in strings and comments for code", () => {
    expect(read.code).not.toContain("Date.now");
    expect(read.code.match(/await/g)?.length).toBe(2);
    expect(read.code).toContain("two();");
    expect(read.code.length).toBe(sample.length);
  });

  test("the search for cycles finds a cycle and names its path", () => {
    expect(
      findCycle(
        new Map([
          ["a", ["b"]],
          ["b", ["c"]],
          ["c", ["b"]],
        ]),
      ),
    ).toBe("b → c → b");
    expect(
      findCycle(
        new Map([
          ["a", ["b", "c"]],
          ["b", ["c"]],
          ["c", []],
        ]),
      ),
    ).toBeNull();
  });
});

function folderOf(path: string): Folder | undefined {
  return folders.find(({ holds }) => isIn(path, holds));
}

function offence(
  folder: Folder,
  { path }: SourceFile,
  { file, isTypeOnly, line, specifier }: SourceImport,
): string | null {
  if (file === null) return null;
  if (isIn(file, folder.mayNotImport ?? [])) return `${path}:${line} imports ${specifier}. ${folder.why}`;
  if (isIn(file, [...folder.holds, ...folder.mayImport])) return null;
  const types = folder.mayImportTypesOf ?? [];
  if (isIn(file, types)) {
    return isTypeOnly
      ? null
      : `${path}:${line} imports ${specifier} to run it; only its types are allowed (import type)`;
  }
  return `${path}:${line} imports ${specifier}, but may import ${list([...folder.mayImport, ...types])}. ${folder.why}`;
}

function isIn(path: string, beginnings: string[]): boolean {
  const fromSrc = path.startsWith("src/") ? path.slice("src/".length) : `../${path}`;
  return beginnings.some((beginning) =>
    beginning.endsWith("/") ? fromSrc.startsWith(beginning) : fromSrc === beginning,
  );
}

/** The unit between which cycles are counted: a module of the domain, or any other folder. */
function stationOf(path: string): string {
  return /^src\/(domain\/[^/]+|[^/]+)/.exec(path)?.[1] ?? path;
}

/** The first cycle, as "a → b → a"; null if there is none. */
function findCycle(edges: ReadonlyMap<string, string[]>): string | null {
  const done = new Set<string>();
  const visit = (node: string, way: string[]): string | null => {
    const start = way.indexOf(node);
    if (start !== -1) return [...way.slice(start), node].join(" → ");
    if (done.has(node)) return null;
    for (const next of edges.get(node) ?? []) {
      const cycle = visit(next, [...way, node]);
      if (cycle !== null) return cycle;
    }
    done.add(node);
    return null;
  };
  for (const node of edges.keys()) {
    const cycle = visit(node, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

function list(items: string[]): string {
  return items.length === 0 ? "nothing of ours" : items.join(" ");
}

/** Splits "handOverAgain" and "HAND_OVER" into "hand over again" and "hand over". */
function wordsOf(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll("_", " ")
    .toLowerCase();
}
