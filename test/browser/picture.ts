/**
 * `bun run picture` takes the picture of the console that the README shows, light and dark: a broadcast of a well-filled
 * console, in `docs/`. Exits with 1 if the browser logs a problem.
 */

import { join } from "node:path";
import { watch } from "#test/support/browser.ts";
import { startScenario } from "#test/support/browser-scenario.ts";
import { readOptions } from "#test/support/options.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { checkout } from "#test/support/source.ts";
import { fillConsole } from "./filled-console.ts";

async function main(): Promise<void> {
  await using receiver = startReceiver();
  await using scenario = await startScenario();
  await fillConsole(scenario, receiver.url);
  const storageState = await scenario.context.storageState();
  for (const colorScheme of ["light", "dark"] as const) {
    const context = await scenario.browser.newContext({
      viewport: { width: 1280, height: 900 },
      colorScheme,
      reducedMotion: "reduce",
      locale: "en-GB",
      timezoneId: "Asia/Kolkata",
      storageState,
    });
    await watch(context, scenario.troubles);
    const page = await context.newPage();
    await page.goto(`${scenario.app.url}/console/w/1/broadcasts/1`);
    await page.getByRole("heading", { name: "Why recipients failed or were skipped" }).waitFor();
    await page.getByRole("cell", { name: "Read" }).first().waitFor();
    const path = join(checkout, `docs/console-${colorScheme}.png`);
    await page.screenshot({ path });
    console.log(path);
    await context.close();
  }
  if (scenario.troubles.length > 0) {
    console.log(scenario.troubles.join("\n"));
    process.exitCode = 1;
  }
}

readOptions({ call: "bun run picture", about: "Takes the picture of the console that the README shows." }, {});
await main();
