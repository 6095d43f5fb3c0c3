/**
 * In a real browser: what WhatsApp changed about a template and about a number stands on the page of each, with what it means;
 * older changes are shown by mouse and by keyboard.
 */
import { describe, expect, test } from "bun:test";
import { noBrowser, openBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS } from "#test/support/browser-scenario.ts";
import { firstOperator, person } from "#test/support/console.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { keysOf } from "#test/support/keyboard.ts";
import { startWhatsapp } from "#test/support/whatsapp.ts";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "the pages of a template and of a number show what WhatsApp changed, newest first, by mouse and by keyboard",
    async () => {
      await using world = await startWhatsapp({ account: graphAccount({ templates: [graphTemplate("order_ready")] }) });
      const { app, workspace, clock } = world;
      await clock.advance(3 * 60_000);
      await firstOperator(app);
      const owner = await person(app, "owner@example.com", "owner", workspace.id);
      await using opened = await openBrowser();
      const { page, context } = opened;
      const [name = "", value = ""] = (owner.cookie ?? "").split("=");
      await context.addCookies([{ name, value, url: app.server.url }]);
      await page.clock.setFixedTime(clock.now());
      const keys = keysOf(page);
      const go = (path: string) => page.goto(`${app.server.url}/console/w/${workspace.id}/${path}`);
      const list = page.getByRole("list", { name: "Changes by WhatsApp" });
      const older = page.getByRole("button", { name: "Show older" });
      const hear = (field: string, told: object, secondsAgo: number) =>
        world.hear({ field, value: told }, { time: Math.floor(clock.now() / 1000) - secondsAgo });
      const template = { message_template_name: "order_ready", message_template_language: "en-US" };

      await go("templates");
      await page.getByRole("link", { name: /^order_ready/ }).click();
      await page.getByText("WhatsApp has changed nothing yet.").waitFor();
      await opened.cleanEverywhere("no-changes");
      for (let index = 0; index < 11; index += 1) {
        const [was, became] = index % 2 === 0 ? ["GREEN", "YELLOW"] : ["YELLOW", "GREEN"];
        const scores = { previous_quality_score: was, new_quality_score: became };
        await hear("message_template_quality_update", { ...template, ...scores }, 60 - index);
      }
      await hear(
        "template_category_update",
        { ...template, previous_category: "UTILITY", new_category: "MARKETING" },
        30,
      );
      await hear("message_template_status_update", { ...template, event: "PAUSED", reason: "NONE" }, 20);
      await page.reload();
      await list.getByText("The template is paused by the network").waitFor();
      expect(await list.getByRole("listitem").count()).toBe(10);
      const first = list.getByRole("listitem").first();
      expect(await first.getByText(/^Status/).count()).toBe(1);
      expect(await first.textContent()).toContain("paused");
      await list.scrollIntoViewIfNeeded();
      await opened.cleanEverywhere("template-changes");
      // By mouse; then by keyboard, which stays in the list.
      await older.click();
      await list.getByRole("listitem").nth(12).waitFor();
      await page.reload();
      await keys.press(older);
      await list.getByRole("listitem").nth(12).waitFor();
      await older.waitFor({ state: "detached" });
      await list.and(page.locator(":focus")).waitFor();
      expect(await list.getByRole("listitem").last().textContent()).toContain("More people block or report it.");

      const shown = { display_phone_number: workspace.number?.slice(1), event: "UPGRADE" };
      await hear("phone_number_quality_update", { ...shown, max_daily_conversations_per_business: "TIER_10K" }, 50);
      await hear("phone_number_quality_update", { ...shown, quality_rating: "RED" }, 40);
      const restriction_info = [{ restriction_type: "RESTRICTED_BIZ_INITIATED_MESSAGING" }];
      await hear("account_update", { event: "ACCOUNT_RESTRICTION", restriction_info }, 30);
      await go("numbers");
      await keys.press(page.getByRole("link", { name: /^Shop/ }));
      await list.getByText("Meta has restricted the account").waitFor();
      expect((await list.getByRole("listitem").allInnerTexts()).map((text) => text.split(/\s/)[0])).toEqual([
        ...["Restriction", "Quality", "Limit"],
      ]);
      await list.getByText("10,000 people in 24 hours").waitFor();
      await list.scrollIntoViewIfNeeded();
      await opened.cleanEverywhere("number-changes");
      expect(opened.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
