/**
 * `bun test/browser/screenshots.ts DIR [WORDS]` takes a picture of every screen of a well-filled console, light and
 * dark, 1440 and 390 px wide, for a person to review. WORDS selects the screens whose name contains one of them. Exits
 * with 1 if axe finds something serious or the browser logs a problem.
 */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { axeFindings, watch } from "#test/support/browser.ts";
import { startScenario } from "#test/support/browser-scenario.ts";
import { readOptions } from "#test/support/options.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { everyScreen } from "./every-screen.ts";
import { fillConsole } from "./filled-console.ts";

async function main([directory, ...words]: string[]): Promise<void> {
  if (directory === undefined) throw new Error("say where: bun test/browser/screenshots.ts DIR");
  mkdirSync(directory, { recursive: true });
  await using receiver = startReceiver();
  await using scenario = await startScenario();
  await fillConsole(scenario, receiver.url);
  const { browser, app } = scenario;
  const state = await scenario.context.storageState();
  const chosen = (await everyScreen(true)).filter(
    ({ name }) => words.length === 0 || words.some((word) => name.includes(word)),
  );
  for (const theme of ["light", "dark"] as const) {
    for (const [width, height] of [
      [1440, 900],
      [390, 844],
    ] as const) {
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        reducedMotion: "reduce",
        locale: "en-GB",
        timezoneId: "Asia/Kolkata",
        storageState: state,
      });
      await watch(context, scenario.troubles);
      const page = await context.newPage();
      for (const { name, path } of chosen) {
        await page.goto(`${app.url}/console/${path}`);
        await page.waitForTimeout(900);
        await page.screenshot({ path: join(directory, `${name}-${theme}-${width}.png`) });
        for (const found of await axeFindings(page)) scenario.troubles.push(`${name} ${theme} ${width}: ${found}`);
      }
      await context.close();
    }
  }
  console.log(`${chosen.length * 4} pictures in ${directory}; troubles: ${scenario.troubles.join("\n") || "none"}`);
  if (scenario.troubles.length > 0) process.exitCode = 1;
}

const { positionals } = readOptions(
  {
    call: "bun run screenshots",
    about: "Takes a picture of every screen of a well-filled console.",
    names: { called: "DIR", about: "where the pictures go; then words that the names of the wanted screens contain" },
  },
  {},
);
await main([...positionals]);
