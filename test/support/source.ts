/**
 * The project's own source as the rules about it see it: every file of `src` with its imports, and with its comments
 * and string contents blanked out, so that a rule about code is not broken by prose. Lengths and line breaks are kept.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

export interface SourceImport {
  line: number;
  /** The specifier as written. */
  specifier: string;
  /** The path from the checkout ("src/db/store.ts") of a file of ours; null for a package. */
  file: string | null;
  /** Whether the import is of types only, which are erased at run time. */
  isTypeOnly: boolean;
}

export interface SourceFile {
  /** From the checkout: "src/db/store.ts". */
  path: string;
  text: string;
  /** Without comments and the contents of strings. */
  code: string;
  imports: SourceImport[];
  /** The regular expressions that are written as literals. */
  patterns: { line: number; literal: string }[];
}

export const checkout = resolve(import.meta.dir, "../..");

/** Everything that a build of the executable reads, beside the packages. */
export const BUILD_INPUTS: readonly string[] = [
  "src",
  "docs/guides",
  "docs/operations.md",
  "docs/security.md",
  "docs/testing.md",
  "docs/whatsapp.md",
  "docs/inbound.md",
  "examples",
  "migrations",
  "scripts",
  "package.json",
  "bun.lock",
  "bunfig.toml",
  "tsconfig.json",
  // Names the key and the address of releases.
  "install.sh",
];

const read = new Map<string, readonly SourceFile[]>();

/** Read once for all test files of a process: do not change them. */
export function readSources(directory = "src"): readonly SourceFile[] {
  const known = read.get(directory) ?? readAll(directory);
  read.set(directory, known);
  return known;
}

function readAll(directory: string): SourceFile[] {
  return readdirSync(join(checkout, directory), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(directory, name))
    .sort()
    .map((path) => readSource(path, readFileSync(join(checkout, path), "utf8")));
}

export function readSource(path: string, text: string): SourceFile {
  const { code, withStrings, patterns } = blank(text);
  return { path, text, code, imports: readImports(path, withStrings), patterns };
}

const EXPORTED =
  /^export\s+(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?(?:function\b\s*\*?|class|const|let|enum|interface|type)\s*(\w+)/gm;

/** The exports of a file that are declared where they are exported. */
export function exportsOf({ code }: SourceFile): { name: string; line: number }[] {
  return [...code.matchAll(EXPORTED)].map((match) => ({ name: match[1] ?? "", line: lineAt(code, match.index) }));
}

/**
 * What the files of these folders import of ours: `path#name`, or `path#*` where a whole module is taken. Comments are
 * read too, which is faster; at worst, an export looks used.
 */
export function importedNames(directories: readonly string[]): Set<string> {
  const used = new Set<string>();
  for (const directory of directories) {
    for (const name of readdirSync(join(checkout, directory), { recursive: true, encoding: "utf8" })) {
      if (!/\.tsx?$/.test(name)) continue;
      const path = join(directory, name);
      const text = readFileSync(join(checkout, path), "utf8");
      for (const [, , , names = "", , specifier = ""] of text.matchAll(STATIC)) {
        const file = fileOf(path, specifier);
        const listed = /\{([^}]*)\}/.exec(names)?.[1]?.split(",") ?? ["*"];
        for (const one of listed) used.add(`${file}#${/^\s*(?:type\s+)?([\w*]+)/.exec(one)?.[1]}`);
      }
      for (const match of text.matchAll(CALLED)) used.add(`${fileOf(path, match[2] ?? "")}#*`);
    }
  }
  return used;
}

/** "line 12" for an offset. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

const STATIC = /\b(import|export)\s+(type\s+)?((?:[\w*$,\s]|\{[^}]*\})+?)\s+from\s*(["'])([^"']+)\4/g;
const BARE = /\bimport\s*(["'])([^"']+)\1/g;
const CALLED = /\b(?:import|require)\s*\(\s*(["'])([^"']+)\1/g;

function readImports(path: string, text: string): SourceImport[] {
  const found: SourceImport[] = [];
  const add = (offset: number, specifier: string, isTypeOnly: boolean): void => {
    found.push({ line: lineAt(text, offset), specifier, file: fileOf(path, specifier), isTypeOnly });
  };
  for (const match of text.matchAll(STATIC)) {
    const [, , typeWord, names = "", , specifier = ""] = match;
    add(match.index, specifier, typeWord !== undefined || areAllTypes(names));
  }
  for (const match of text.matchAll(BARE)) add(match.index, match[2] ?? "", false);
  for (const match of text.matchAll(CALLED)) add(match.index, match[2] ?? "", false);
  return found.sort((one, other) => one.line - other.line);
}

function areAllTypes(names: string): boolean {
  const listed = /^\{([^}]*)\}$/.exec(names.trim())?.[1]?.split(",") ?? [];
  const named = listed.map((name) => name.trim()).filter((name) => name !== "");
  return named.length > 0 && named.every((name) => name.startsWith("type "));
}

function fileOf(path: string, specifier: string): string | null {
  if (specifier.startsWith("#")) return specifier.slice(1);
  if (specifier.startsWith(".")) return relative(checkout, resolve(checkout, dirname(path), specifier));
  return null;
}

/** After these a slash begins a regular expression, not a division. */
const BEFORE_REGEX = /(?:^|[(,=:[!&|?{};+\-*%<>~^]|\b(?:return|typeof|case|in|of|do|else))\s*$/;

/** Up to the next character at which something else may begin or end. */
const PLAIN = /[^/"'`{}]*/y;

/** Scans the text once; the `${…}` of a template is code again. */
function blank(text: string): Pick<SourceFile, "code" | "patterns"> & { withStrings: string } {
  const patterns: SourceFile["patterns"] = [];
  let code = "";
  let withStrings = "";
  /** For each open template: how many braces of its current `${…}` are open. */
  const templates: number[] = [];
  let at = 0;
  const take = (end: number, kind: "code" | "string" | "comment"): void => {
    const part = text.slice(at, end);
    at = end;
    if (kind === "code") {
      code += part;
      withStrings += part;
      return;
    }
    const blanked = part.replace(/[^\n]/g, " ");
    code += blanked;
    withStrings += kind === "comment" ? blanked : part;
  };
  const takeTemplate = (): void => {
    let end = at;
    while (end < text.length && text[end] !== "`" && !text.startsWith("${", end)) end += text[end] === "\\" ? 2 : 1;
    take(end, "string");
    if (text[at] === "`") {
      templates.pop();
      take(at + 1, "code");
    } else {
      take(at + 2, "code");
    }
  };
  while (at < text.length) {
    const character = text[at] ?? "";
    if (text.startsWith("//", at)) take(endOr(text.indexOf("\n", at), text), "comment");
    else if (text.startsWith("/*", at)) take(endOr(text.indexOf("*/", at + 2) + 2, text), "comment");
    else if (character === '"' || character === "'") {
      take(at + 1, "code");
      take(closing(text, at, character), "string");
      take(at + 1, "code");
    } else if (character === "`") {
      templates.push(0);
      take(at + 1, "code");
      takeTemplate();
    } else if (character === "/" && BEFORE_REGEX.test(code.slice(-40))) {
      const end = regexEnd(text, at);
      const flags = /^[a-z]*/.exec(text.slice(end))?.[0] ?? "";
      // The end is behind the closing slash, or behind the flags.
      patterns.push({ line: lineAt(text, at), literal: text.slice(at, end) + flags });
      take(end, "string");
    } else if (character === "{" && templates.length > 0) {
      templates.push((templates.pop() ?? 0) + 1);
      take(at + 1, "code");
    } else if (character === "}" && templates.length > 0) {
      const open = templates.pop() ?? 0;
      templates.push(Math.max(0, open - 1));
      take(at + 1, "code");
      if (open === 0) takeTemplate();
    } else {
      PLAIN.lastIndex = at + 1;
      PLAIN.test(text);
      take(PLAIN.lastIndex, "code");
    }
  }
  return { code, withStrings, patterns };
}

function endOr(found: number, text: string): number {
  return found > 1 ? found : text.length;
}

function closing(text: string, from: number, quote: string): number {
  let end = from;
  while (end < text.length && text[end] !== quote && text[end] !== "\n") end += text[end] === "\\" ? 2 : 1;
  return end;
}

function regexEnd(text: string, from: number): number {
  let isInClass = false;
  for (let end = from + 1; end < text.length; end++) {
    if (text[end] === "\\") end++;
    else if (text[end] === "[") isInClass = true;
    else if (text[end] === "]") isInClass = false;
    else if (text[end] === "\n") return end;
    else if (text[end] === "/" && !isInClass) return end + 1;
  }
  return text.length;
}
