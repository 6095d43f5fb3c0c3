/** The words of comments, texts and pages: plain technical English, as `support/prose-rules.ts` lists it. */
import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { proseRules } from "./support/prose-rules.ts";
import { checkout, lineAt, readSource, readSources } from "./support/source.ts";

interface Prose {
  path: string;
  /** Code is blanked, so that lines keep their numbers. */
  text: string;
}

/** Comments, strings and templates of a source: what the parser blanks when it extracts the code. */
function proseOf({ path, text, code }: { path: string; text: string; code: string }): Prose {
  const prose = [...text].length === text.length ? text.split("") : [...text];
  return {
    path,
    text: prose.map((character, at) => (code[at] === character && /\S/.test(character) ? " " : character)).join(""),
  };
}

const pages = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "config.example.toml", "install.sh"],
  ...["docs", "migrations", ".github"].flatMap((folder) =>
    readdirSync(join(checkout, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  ),
].filter((path) => /\.(md|toml|sh|sql|yml)$/.test(path));

const prose: Prose[] = [
  ...["src", "test", "scripts"].flatMap((folder) => readSources(folder)).map(proseOf),
  ...pages.map((path) => ({ path, text: readFileSync(join(checkout, path), "utf8") })),
].filter(
  ({ path }) =>
    !/(prose-rules|house-rules|opt-out-words|refusals-[a-z]+)\.ts$|(prose|architecture)\.test\.ts$/.test(path),
);

describe("prose", () => {
  for (const { pattern, write } of proseRules) {
    test(`write ${write} (${pattern.source})`, () => {
      const global = new RegExp(pattern, `${pattern.flags}g`);
      const offences = prose.flatMap(({ path, text }) =>
        [...text.matchAll(global)].map((match) => `${path}:${lineAt(text, match.index)} says ${match[0]}`),
      );
      expect(offences).toEqual([]);
    });
  }

  test("comments and strings are searched, and identifiers are not", () => {
    const source = readSource("x.ts", 'const whoever = "whoever reads"; // nobody is told');
    const { text } = proseOf(source);
    expect([...text.matchAll(/whoever|nobody/g)].map(({ index }) => index)).toEqual([17, 36]);
  });
});
