/** Shows that a test fails for each limit that lets one more pass, or one fewer, and for each rule that has no effect. */
import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { inForm } from "#test/support/long-form.ts";
import { Copy, places, plant } from "./planted.ts";

const planted = plant(resolve(import.meta.dir, "../.."));

test("every file has limits or rules to plant bugs in", () => {
  const files = new Set(planted.map(({ file }) => file));
  expect(places.flatMap((place) => place.files).filter((file) => !files.has(file))).toEqual([]);
});

test("every bug is found", () => {
  const simulated = planted.filter(({ file }) => file.endsWith("simulator/limits.ts"));
  const chosen = inForm({ short: simulated.filter((_, index) => index % 40 === 0), long: planted });
  using copy = new Copy();
  for (const { tests } of new Set(chosen.map(({ place }) => place))) expect(copy.run(tests)).toBe("passes");
  const missed = chosen.filter((bug) => copy.find(bug) === "passes");
  expect(missed.map(({ file, line, what }) => `${file}:${line} ${what}`)).toEqual([]);
}, 3_600_000);
