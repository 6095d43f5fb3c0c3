/** Shows that a test fails for each limit that lets one more pass, or one fewer, and for each rule that has no effect. */
import { expect, test } from "bun:test";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { inForm } from "#test/support/long-form.ts";
import { Copy, places, plant } from "./planted.ts";

const planted = plant(resolve(import.meta.dir, "../.."));

test("every file has limits or rules to plant bugs in", () => {
  const files = new Set(planted.map(({ file }) => file));
  expect(places.flatMap((place) => place.files).filter((file) => !files.has(file))).toEqual([]);
});

test("every bug is found", async () => {
  const simulated = planted.filter(({ file }) => file.endsWith("simulator/limits.ts"));
  const chosen = inForm({ short: simulated.filter((_, index) => index % 40 === 0), long: planted });
  const suites = [...new Set(chosen.map(({ place }) => place.tests))];
  const waiting = [...chosen];
  const missed: string[] = [];
  const work = async (first: boolean): Promise<void> => {
    using copy = new Copy();
    for (const tests of first ? suites : []) expect(await copy.run(tests)).toBe("passes");
    for (let bug = waiting.shift(); bug !== undefined; bug = waiting.shift()) {
      if ((await copy.find(bug)) === "passes") missed.push(`${bug.file}:${bug.line} ${bug.what}`);
      if (waiting.length % 20 === 0) console.info(`${waiting.length} bugs wait, ${missed.length} not found`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, (_, index) => work(index === 0)));
  expect(missed.toSorted()).toEqual([]);
}, 3_600_000);
