/** In a real browser: a number is stopped and found by the check-up, and money is paid in, once for one reference. */
import { describe, expect, test } from "bun:test";
import { noBrowser, openBrowser } from "#test/support/browser.ts";
import { startConsole } from "#test/support/console-process.ts";

const LIMIT_MS = 120_000;

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "number → stopped with a reason → found by the check-up → ready; price → paid in → the same reference changes nothing",
    async () => {
      await using app = await startConsole();
      await using browser = await openBrowser({ width: 390, height: 844, theme: "dark", isPhone: true });
      const { page } = browser;
      const button = (name: string) => page.getByRole("button", { name, exact: true });
      const clean = async (where: string) => expect([where, await browser.findings()]).toEqual([where, []]);

      await page.goto(app.setupLink);
      await page.getByLabel("E-mail").fill("asha@example.com");
      await page.getByLabel("Password").fill("a good long password");
      await button("Make operator").click();
      await page.getByLabel("Name").fill("Corner Shop");
      await button("Make workspace").click();
      await page.getByText("0 of 4 done").waitFor();

      await page.goto(`${app.url}/console/w/1/numbers`);
      await page.getByText("No numbers yet.").waitFor();
      await clean("no numbers");
      await app.command(..."number add --workspace 1 --phone +911244001100 --name Shop --network simulator".split(" "));
      await page.getByRole("link", { name: "Shop" }).click();
      await page.getByText("Nothing stands in the way.").waitFor();
      await clean("number");
      await button("Stop sending").click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Stop sending" }).click();
      await dialog.locator("[aria-invalid=true]").waitFor();
      await dialog.getByLabel("Why").fill("stocktaking");
      await clean("stop");
      await dialog.getByLabel("Why").press("Enter");
      await page.getByText("It cannot send: stocktaking").waitFor();
      await page.getByText("+911244001100 is not ready: stocktaking").waitFor();
      await button("Make ready").click();
      await page.getByText("It can send.").waitFor();
      await page.getByLabel("Most messages a second").fill("0");
      await button("Save").click();
      await page.locator("[aria-invalid=true]").waitFor();

      await page.goto(`${app.url}/console/w/1/billing`);
      await page.getByText("This workspace is not charged.").waitFor();
      await clean("not charged");
      await app.command("workspace", "update", "1", "--currency", "INR", "--rate", "0.85");
      await page.getByText("The balance is used up.").waitFor();
      for (const isAgain of [false, true]) {
        await button("Pay in").first().click();
        await dialog.getByLabel("Amount in INR").fill("120.50");
        await dialog.getByLabel("Reference").fill("inv-1");
        await dialog.getByRole("button", { name: "Pay in" }).click();
        if (isAgain) await dialog.getByText("This reference was paid in before").waitFor();
        else await page.getByText("reference inv-1").waitFor();
      }
      await clean("paid twice");
      await page.keyboard.press("Escape");
      expect(await page.getByText("reference inv-1").count()).toBe(1);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      await clean("billing");
      expect(browser.troubles).toEqual([]);
    },
    { timeout: LIMIT_MS, retry: 1 },
  );
});
