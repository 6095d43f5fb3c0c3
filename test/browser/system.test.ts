/**
 * In a real browser, on a phone's screen: an operator reads the health findings, verifies a backup, invites a user,
 * suspends a workspace and finds it in the audit log.
 */
import { describe, expect, test } from "bun:test";
import { statSync } from "node:fs";
import { noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "an operator backs up, runs a restore drill, downloads the backup, invites a user, suspends a workspace and finds it in the log",
    async () => {
      await using scenario = await startScenario({ width: 320, height: 800, isPhone: true });
      const { app, page, button } = scenario;
      const dialog = page.getByRole("dialog");
      const clean = async (where: string) => {
        await scenario.clean(where);
        expect([where, await page.evaluate("document.documentElement.scrollWidth - innerWidth")]).toEqual([where, 0]);
      };

      await page.goto(`${app.url}/console/system`);
      await page.getByText("No problems found.").waitFor();
      await button("Check database").click();
      await page.getByText(/No problems: \d+ checks/).waitFor();
      await clean("health");
      await page.goto(`${app.url}/console/system/backups`);
      await page.getByText("No backups yet").waitFor();
      await button("Create backup").click();
      await page.getByText("Verified", { exact: true }).waitFor();
      await page.locator("a[data-row]").click();
      await button("Run restore drill").click();
      await page.getByText("Restored into a copy and verified.").waitFor();
      await clean("backup");
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Download" }).click(),
      ]);
      expect(download.suggestedFilename()).toMatch(/^waxwing-\d{8}T\d{6}Z\.db$/);
      expect(statSync(await download.path()).size).toBe(
        statSync(`${app.directory}/backups/${download.suggestedFilename()}`).size,
      );

      await page.goto(`${app.url}/console/system`);
      await page.getByText("Everything is running.").waitFor();
      await page.goto(`${app.url}/console/system/metrics`);
      const plot = page.getByRole("region", { name: "Commit time" });
      // Of a moment in which nothing was written no time is said.
      const said = page.getByText(/^\d\d:\d\d: Median \(p50\) [\d.]+ m?s/);
      await waitUntil(async () => {
        await plot.press("ArrowLeft");
        return (await said.count()) > 0;
      });
      await clean("metrics");

      await page.goto(`${app.url}/console/system/users`);
      await button("Invite").click();
      await dialog.getByLabel("E-mail").fill("ravi@example.com");
      await clean("invite");
      await dialog.getByLabel("E-mail").press("Enter");
      await dialog.getByText(/^http:.*\/console\/join#/).waitFor();
      await button("I have sent it").click();
      await page.getByRole("link", { name: "ravi@example.com" }).waitFor();

      await page.goto(`${app.url}/console/system/workspaces`);
      await page.getByRole("link", { name: "Corner Shop" }).click();
      await button("Suspend").click();
      await dialog.getByLabel("Reason").fill("unpaid");
      await dialog.getByLabel("Reason").press("Enter");
      await page.getByText("It can't send messages: unpaid").waitFor();
      await scenario.go("members");
      await page.getByLabel("Role: ravi@example.com").selectOption("owner");
      await page.getByText("Role changed").waitFor();
      // Changing the role of an open invitation makes a new link.
      await dialog.getByText(/^http:.*\/console\/join#/).waitFor();
      await button("I have sent it").click();
      await clean("members");
      await scenario.go("audit");
      await page.getByText("Suspended the workspace").click();
      await page.getByText("unpaid", { exact: true }).waitFor();

      // The log stands still while it is read.
      await page.goto(`${app.url}/console/system/log`);
      await page.getByText("name=sign_ups").waitFor({ state: "attached" });
      await button("Pause").press("Enter");
      await page.getByText("Paused. What the server logs meanwhile").waitFor();
      await clean("log");
      await button("Continue").press("Enter");
      await button("Pause").waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
