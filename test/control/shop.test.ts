/**
 * The examples of a shop's own tests, in TypeScript and in Python, against the compiled executable. `bun run test:shop`
 * runs them a hundred times, twenty at once.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runSuite, suites } from "../shop/suites.ts";
import { placeExecutable } from "../support/executable.ts";

let directory: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "waxwing-shop-"));
  await placeExecutable(join(directory, "waxwing"));
}, 120_000);
afterAll(() => rmSync(directory, { recursive: true, force: true }));

for (const [language, command] of Object.entries(suites)) {
  test.skipIf(command === null)(
    `a shop's suite in ${language} passes: the window, Friday, birthdays, a day of retries, an outage, a lost answer, a photo`,
    async () => {
      const { isPassed, output } = await runSuite(command ?? [], join(directory, "waxwing"), directory);
      expect({ isPassed, output }).toMatchObject({ isPassed: true });
      expect(output).toMatch(/^(7 tests, 0 failed|Ran 7 tests in)/m);
    },
    180_000,
  );
}
