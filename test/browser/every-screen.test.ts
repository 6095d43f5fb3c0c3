/**
 * Every screen of the console, as its router lists them: axe finds nothing, nothing scrolls sideways, no error is logged.
 * The short form sees each screen of an empty workspace on a desk and on the narrowest phone. The long form sees also a
 * filled workspace and every dialog that a button opens, in every look: light, dark, four widths, forced colours.
 */
import { describe, expect, test } from "bun:test";
import type { Page, Route } from "playwright-core";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, type Scenario, startScenario } from "#test/support/browser-scenario.ts";
import { inForm } from "#test/support/long-form.ts";
import { startReceiver } from "#test/support/receiver.ts";
import { everyLook, everyScreen, followRequests, lookAt, twoLooks, waitForScreen } from "./every-screen.ts";
import { fillConsole } from "./filled-console.ts";

const LONG_MS = 3_600_000;
const LIMIT_MS = inForm({ short: SCENARIO_LIMIT_MS, long: LONG_MS });
const looks = inForm({ short: twoLooks, long: everyLook });
/** Screens at which there is nothing in an empty workspace. */
const missingWhenEmpty = ["numberProfile"];
const DIALOG = "[role=dialog], [role=alertdialog]";

async function walk({ page, app }: Scenario, isFilled: boolean, andDialogs: boolean): Promise<string[]> {
  const wrong: string[] = [];
  const requests = followRequests(page);
  const seen = new Set<string>();
  for (const { name, path } of await everyScreen(isFilled)) {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
    await page.goto(`${app.url}/console/${path}`);
    await waitForScreen(page, requests);
    const isMissing = (await page.getByText("Not found, or you don't have access").count()) > 0;
    if (isMissing !== (!isFilled && missingWhenEmpty.includes(name))) wrong.push(`${name}: what is there is wrong`);
    for (const look of looks) for (const line of await lookAt(page, look)) wrong.push(`${name}, ${line}`);
    if (andDialogs) wrong.push(...(await openDialogs(page, name, seen, requests)));
  }
  return wrong;
}

/** Presses each button of the page while nothing is changed by it, and looks at each dialog that opens. */
async function openDialogs(
  page: Page,
  screen: string,
  seen: Set<string>,
  requests: { isQuiet(): boolean },
): Promise<string[]> {
  const wrong: string[] = [];
  const refuse = (route: Route) => (route.request().method() === "GET" ? route.fallback() : route.abort());
  const address = page.url();
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
  await page.route("**/console/api/**", refuse);
  const buttons = page.locator("main button:enabled:visible, [role=complementary] button:enabled:visible");
  const count = await buttons.count();
  for (let index = 0; index < count; index += 1) {
    const press = buttons.nth(index);
    if (!(await press.isVisible().catch(() => false))) continue;
    await press.click({ timeout: 2_000 }).catch(() => undefined);
    const dialog = page.locator(DIALOG).last();
    const title = await dialog
      .getByRole("heading")
      .first()
      .textContent({ timeout: 300 })
      .catch(() => null);
    if (title === null && page.url() === address) continue;
    if (title !== null && !seen.has(title)) {
      seen.add(title);
      await waitForScreen(page, requests);
      for (const look of looks) for (const line of await lookAt(page, look)) wrong.push(`${screen}, ${title}, ${line}`);
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.emulateMedia({ colorScheme: "light", forcedColors: "none" });
    }
    await page.goto(address);
    await waitForScreen(page, requests);
  }
  await page.unroute("**/console/api/**", refuse);
  if (process.env.TEST_PICTURES !== undefined) console.log(`${screen}: ${[...seen].join(", ")}`);
  return wrong;
}

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "every screen of an empty workspace is accessible and fits, on a desk and on the narrowest phone",
    async () => {
      await using scenario = await startScenario();
      expect(await walk(scenario, false, false)).toEqual([]);
      expect(scenario.troubles).toEqual([]);
    },
    LIMIT_MS,
  );

  test.skipIf(inForm({ short: true, long: false }))(
    "every screen of a filled workspace, with its dialogs, is accessible and fits in every look",
    async () => {
      await using receiver = startReceiver();
      await using scenario = await startScenario();
      await fillConsole(scenario, receiver.url);
      expect(await walk(scenario, true, true)).toEqual([]);
      // A request that a press was not allowed to make is no fault of the page.
      expect(scenario.troubles.filter((trouble) => !trouble.includes("net::ERR_FAILED"))).toEqual([]);
    },
    LIMIT_MS,
  );
});
