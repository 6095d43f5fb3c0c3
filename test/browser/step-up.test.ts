/**
 * A sensitive act after a while, in a real browser: a dialog asks for the password over the open form, and the request
 * is repeated with what was typed; a download waits for it as well.
 */
import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, SCENARIO_PASSWORD, startScenario } from "#test/support/browser-scenario.ts";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "creating a key and exporting contacts ask for the password again, and continue where the user was",
    async () => {
      await using scenario = await startScenario();
      const { app, page, button, clean } = scenario;
      const forget = () => {
        const client = openClient(join(app.directory, "waxwing.db"), { timeout: 5_000 });
        client.exec("UPDATE sessions SET confirmed_at = 0");
        client.close();
      };
      const asked = page.getByRole("dialog", { name: "Is it still you?" });
      await scenario.prepare("PUT", "/contacts/919876543210", { name: "Asha" });
      await scenario.prepare("POST", "/groups", { name: "Regulars", filter: null });

      await scenario.go("api");
      await button("Create key").first().click();
      await page.getByLabel("Name").fill("Web shop");
      await page.getByLabel("Group", { exact: true }).selectOption({ label: "Regulars" });
      forget();
      await page.getByLabel("Name").press("Enter");
      await asked.waitFor();
      await clean("asked for the password again");
      await asked.getByLabel("Password").fill("not this one");
      await asked.getByRole("button", { name: "Continue" }).click();
      await asked.getByText("The password is incorrect.").waitFor();
      await asked.getByLabel("Password").fill(SCENARIO_PASSWORD);
      await asked.getByRole("button", { name: "Continue" }).click();
      const shown = page.getByRole("dialog").locator("code").filter({ hasText: /^wx_/ });
      expect((await shown.textContent())?.length).toBeGreaterThan(20);
      await button("I have saved it").click();
      await page.getByText("group Regulars alone").waitFor();

      await scenario.go("contacts");
      forget();
      await button("Download as CSV…").click();
      const file = page.getByRole("dialog").getByRole("link", { name: /^Download \d/ });
      await file.click();
      await asked.waitFor();
      await page.keyboard.press("Escape");
      await asked.waitFor({ state: "detached" });
      await file.click();
      await asked.getByLabel("Password").fill(SCENARIO_PASSWORD);
      const download = page.waitForEvent("download");
      await asked.getByRole("button", { name: "Continue" }).click();
      expect((await download).suggestedFilename()).toEndWith(".csv");
      expect(scenario.troubles.filter((trouble) => !/40[03]/.test(trouble))).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
