/** Possible duplicates in a real browser: a pair is dismissed with the mouse, another one joined with the keyboard. */
import { describe, expect, test } from "bun:test";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { keysOf } from "#test/support/keyboard.ts";
import { takePictures } from "#test/support/pictures.ts";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "possible duplicates are compared, joined with the chosen values, or remembered as two people",
    async () => {
      await using scenario = await startScenario();
      const { page, button, clean } = scenario;
      const keys = keysOf(page);
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      const put = (phone: string, body: Record<string, unknown>) => scenario.prepare("PUT", `/contacts/${phone}`, body);
      await put("442079460210", { name: "Asha Rao", email: "asha@example.com", city: "Pune", add_tags: ["vip"] });
      await put("442079460211", { name: "Asha R.", email: "ASHA@example.com", city: "Mumbai" });
      await put("442079460212", { name: "Dev Mehta", birthday: "1990-02-28" });
      await put("442079460213", { name: "Dev Mehta", birthday: "1990-02-28" });
      await scenario.prepare("POST", "/contacts/442079460211/opt-out");
      await scenario.go("contacts");
      await page.getByRole("link", { name: "Possible duplicates" }).click();
      await page.getByText("Same name and birthday").waitFor();
      await clean("possible duplicates");
      await takePictures(scenario, "duplicates");
      await button("Dev Mehta and Dev Mehta are not the same").click();
      await page.getByText("Same name and birthday").waitFor({ state: "detached" });

      await keys.press(button("Compare and join Asha Rao and Asha R.…"));
      const dialog = page.getByRole("dialog", { name: "Join two contacts?" });
      await dialog.getByLabel("Contact that stays").selectOption("Asha R., +442079460211");
      await dialog.getByLabel("Keep as name").selectOption("Asha Rao");
      await dialog.getByLabel("Contact that stays").selectOption("Asha Rao, +442079460210");
      await dialog.getByLabel("Keep as name").selectOption("Asha R.");
      await dialog.getByText("Opted out").waitFor();
      await clean("two contacts before they are joined");
      await page.setViewportSize({ width: 320, height: 700 });
      await clean("two contacts before they are joined, at 320 pixels");
      await page.setViewportSize({ width: 1440, height: 900 });
      await takePictures(scenario, "join");
      await keys.press(dialog.getByRole("button", { name: "Join contacts" }));
      await page.getByText("No possible duplicates").waitFor();
      await scenario.go(`contacts?open=${encodeURIComponent("+442079460211")}`);
      await page.getByRole("heading", { name: "Asha R." }).waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
