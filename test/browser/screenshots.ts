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
import { fillConsole } from "./filled-console.ts";

/** Paths below `/console/`. */
const screens: readonly (readonly [name: string, path: string])[] = [
  ["home", "w/1"],
  ["inbox", "w/1/inbox"],
  ["inbox-open", "w/1/inbox?person=2"],
  ["inbox-closed", "w/1/inbox?person=3"],
  ["inbox-stopped", "w/1/inbox?person=4"],
  ["broadcasts", "w/1/broadcasts"],
  ["broadcast", "w/1/broadcasts/1"],
  ["broadcast-scheduled", "w/1/broadcasts/2"],
  ["broadcast-running", "w/1/broadcasts/3"],
  ["wizard-template", "w/1/broadcasts/new"],
  ["wizard-people", "w/1/broadcasts/new?draft=1&step=people"],
  ["wizard-values", "w/1/broadcasts/new?draft=1&step=values"],
  ["wizard-check", "w/1/broadcasts/new?draft=1&step=check"],
  ["contacts", "w/1/contacts"],
  ["contacts-none", "w/1/contacts?q=nobody"],
  ["contact", "w/1/contacts?open=%2B919876511010"],
  ["import", "w/1/contacts/import"],
  ["import-columns", "w/1/contacts/import?file=1"],
  ["import-checked", "w/1/contacts/import?file=2"],
  ["groups", "w/1/groups"],
  ["group", "w/1/groups?open=1"],
  ["templates", "w/1/templates"],
  ["template", "w/1/templates?open=1"],
  ["template-rejected", "w/1/templates?open=3"],
  ["messages", "w/1/messages"],
  ["message", "w/1/messages?open=1"],
  ["message-unknown", "w/1/messages?open=2"],
  ["numbers", "w/1/numbers"],
  ["number", "w/1/numbers?open=1"],
  ["number-add", "w/1/numbers/connect"],
  ["number-connect", "w/1/numbers/connect?via=meta"],
  ["simulator", "w/1/simulator"],
  ["simulator-phone", "w/1/simulator?phone=%2B919876511010"],
  ["api", "w/1/api"],
  ["requests", "w/1/requests"],
  ["deliveries", "w/1/deliveries"],
  ["delivery", "w/1/deliveries?open=2"],
  ["billing", "w/1/billing"],
  ["members", "w/1/members"],
  ["settings", "w/1/settings"],
  ["audit", "w/1/audit"],
  ["audit-open", "w/1/audit?open=3"],
  ["account", "account"],
  ["more", "more"],
  ["new-workspace", "new-workspace"],
  ["system", "system"],
  ["system-workspaces", "system/workspaces"],
  ["system-workspace", "system/workspaces?open=1"],
  ["system-users", "system/users"],
  ["system-backups", "system/backups"],
  ["system-metrics", "system/metrics"],
  ["system-log", "system/log"],
  ["system-configuration", "system/configuration"],
  ["system-audit", "system/audit"],
  ["nothing", "w/99"],
  ["sign-in", "sign-in"],
  ["setup-ended", "setup#0000"],
];

async function main([directory, ...words]: string[]): Promise<void> {
  if (directory === undefined) throw new Error("say where: bun test/browser/screenshots.ts DIR");
  mkdirSync(directory, { recursive: true });
  await using receiver = startReceiver();
  await using scenario = await startScenario();
  await fillConsole(scenario, receiver.url);
  const { browser, app } = scenario;
  const state = await scenario.context.storageState();
  const chosen = screens.filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)));
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
      for (const [name, path] of chosen) {
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
