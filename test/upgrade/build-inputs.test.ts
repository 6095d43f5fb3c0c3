/** The tests that build an executable know what a build reads: a copy without one of the files cannot be built. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { BUILD_INPUTS, checkout, readSources } from "#test/support/source.ts";

const isInput = (file: string): boolean => BUILD_INPUTS.some((one) => file === one || file.startsWith(`${one}/`));

test("whatever src imports is among them, and each of them is there", () => {
  const imported = readSources("src").flatMap(({ path, imports }) =>
    imports.flatMap(({ file }) => (file === null ? [] : [`${path} reads ${file}`])),
  );
  expect(imported.some((line) => line.endsWith("docs/testing.md"))).toBe(true);
  expect(imported.filter((line) => !isInput(line.split(" reads ")[1] ?? ""))).toEqual([]);
  expect(BUILD_INPUTS.filter((name) => !existsSync(join(checkout, name)))).toEqual([]);
});
