/**
 * In a real browser: a number is made unready and shows up among the findings, and a payment is booked once per
 * reference.
 */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "a number made unready is a finding until it is ready again, and a payment is booked once per reference",
    async () => {
      await using scenario = await startScenario({ width: 390, height: 844, theme: "dark", isPhone: true });
      const { page, button, clean } = scenario;

      await scenario.go("numbers");
      await page.getByText("No numbers yet").waitFor();
      await clean("no numbers");
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      await page.reload();
      await page.getByRole("link", { name: "Shop" }).click();
      await page.getByText("No problems found.").waitFor();
      await clean("number");
      await button("Stop sending").click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Stop sending" }).click();
      await dialog.locator("[aria-invalid=true]").waitFor();
      await dialog.getByLabel("Reason").fill("stocktaking");
      await clean("stop");
      await dialog.getByLabel("Reason").press("Enter");
      await page.getByText("It can't send: stocktaking").waitFor();
      await page.getByText("+911244001100 is not ready: “stocktaking”").waitFor();
      await button("Set to ready").click();
      await page.getByText("It can send.").waitFor();
      await page.getByLabel("Maximum messages per second").fill("0");
      await button("Save").click();
      await page.locator("[aria-invalid=true]").waitFor();

      await scenario.go("billing");
      await page.getByText("Billing is off for this workspace").waitFor();
      await clean("not charged");
      await scenario.command("workspace update 1 --currency INR --rate 0.85");
      await page.reload();
      await page.getByText("The balance is used up.").waitFor();
      for (const isAgain of [false, true]) {
        await button("Add credit").first().click();
        await dialog.getByLabel("Amount in INR").fill("120.50");
        await dialog.getByLabel("Reference").fill("inv-1");
        await dialog.getByRole("button", { name: "Add credit" }).click();
        if (isAgain) await dialog.getByText("Credit with this reference was already added").waitFor();
        else await page.getByText("reference inv-1").waitFor();
      }
      await clean("paid twice");
      await page.keyboard.press("Escape");
      expect(await page.getByText("reference inv-1").count()).toBe(1);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
      await clean("billing");
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "an operator sees that a number accepts unsigned callbacks, makes a new address, which is shown once, and ends them",
    async () => {
      await using scenario = await startScenario({ width: 390, height: 844, theme: "dark", isPhone: true });
      const { page, button, clean, app } = scenario;
      const token = join(app.directory, "token");
      writeFileSync(token, "EAAtoken", { mode: 0o600 });
      await scenario.command(
        `number add --workspace 1 --phone +911244001100 --name Cloud --network whatsapp --phone-number-id 106540352242922 --account-id 102290129340398 --api-url http://127.0.0.1:9 --token-file ${token} --unsigned-callbacks`,
      );
      await scenario.go("numbers");
      await page.getByRole("link", { name: "Cloud" }).click();
      await page.getByRole("heading", { name: "Unsigned callbacks" }).waitFor();
      await clean("unsigned callbacks");
      await button("New address").click();
      const alert = page.getByRole("alertdialog");
      await alert.getByRole("button", { name: "New address" }).click();
      const dialog = page.getByRole("dialog", { name: "Your new callback address" });
      await dialog.getByText(`${app.url}/networks/whatsapp/`).waitFor();
      await dialog.getByText("x-callback-secret: ").waitFor();
      await clean("new address");
      await dialog.getByRole("button", { name: "I've entered it" }).click();
      await page.getByText("x-callback-secret: ").waitFor({ state: "detached" });
      await button("Require signatures").click();
      await alert.getByRole("button", { name: "Require signatures" }).click();
      await page.getByRole("heading", { name: "Unsigned callbacks" }).waitFor({ state: "detached" });
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
