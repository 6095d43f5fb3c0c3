/** Tags in a conversation: chips beside it, one press for each that the workspace has, also where there is no room for the panel. */
import { describe, expect, test } from "bun:test";
import { noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { takePictures } from "#test/support/pictures.ts";

const PERSON = "%2B919876540010";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "tags are added from the list, one press each, or created by typing, and removed; on a phone below the head of the conversation",
    async () => {
      await using scenario = await startScenario();
      const { page, button, clean, prepare } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      await prepare("POST", `/simulator/phones/${PERSON}/write`, { text: "Is it red?", number: 1 });
      await prepare("PUT", "/contacts/%2B442079460210", { add_tags: ["vip", "visits in person", "wholesale"] });
      const tags = async () =>
        (await scenario.read<{ data: { tags: string[] } }>(`/contacts/${PERSON}`)).data.tags.join(", ");
      const field = page.getByRole("combobox", { name: "Add tag" });
      const list = page.getByRole("list", { name: "Tags of this person" });
      const shows = (names: string) => waitUntil(async () => (await tags()) === names);

      await scenario.go("inbox?person=1");
      await button("Add tag").click();
      await page.getByRole("option", { name: "vip" }).waitFor();
      await clean("the list of tags");
      await page.getByRole("option", { name: "vip" }).click();
      // The field stays for another one, and the list stands as it will be when the answer is there.
      expect(await page.getByRole("option").allTextContents()).toEqual(["visits in person", "wholesale"]);
      await page.getByRole("option", { name: "wholesale" }).click();
      await list.getByText("wholesale").waitFor();
      await page.keyboard.type("pays late");
      await page.getByRole("option", { name: "New tag “pays late”" }).waitFor();
      await page.keyboard.press("Enter");
      await list.getByText("pays late").waitFor();
      await shows("pays late, vip, wholesale");
      // What the person has is not offered, and not made twice.
      await page.keyboard.type("VIP");
      await page.getByRole("option").waitFor({ state: "detached" });
      await page.keyboard.press("Enter");
      await page.keyboard.press("Escape");
      await button("Add tag").waitFor();
      await button("Remove the tag wholesale").click();
      await list.getByText("wholesale").waitFor({ state: "detached" });
      await shows("pays late, vip");
      await clean("tags as chips");
      await takePictures(scenario, "tags");

      // A refusal is said, and what is there stays.
      await page.keyboard.press("t");
      await field.fill("x".repeat(300));
      await page.keyboard.press("Enter");
      await page.getByRole("alert").waitFor();
      await shows("pays late, vip");
      await page.keyboard.press("Escape");

      await page.setViewportSize({ width: 390, height: 844 });
      await scenario.go("inbox?person=1");
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Tags …" }).click();
      await page.getByRole("option", { name: "visits in person" }).waitFor();
      await field.and(page.locator(":focus")).waitFor();
      await clean("tags on a phone");
      await button("Remove the tag vip").click();
      await list.getByText("vip").waitFor({ state: "detached" });
      await page.getByRole("option", { name: "visits in person" }).click();
      await shows("pays late, visits in person");
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
      // On so small a screen the list covers the reply.
      await page.keyboard.press("Escape");
      await field.waitFor({ state: "detached" });
    },
    SCENARIO_LIMIT_MS,
  );
});
