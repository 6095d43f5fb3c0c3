/** The list of contacts in a real browser: its order, filter and columns, and views that keep them; one person's history. */
import { describe, expect, test } from "bun:test";
import { noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { takePictures } from "#test/support/pictures.ts";

const NARROW = { width: 320, height: 640 };

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "the list is sorted and filtered by keyboard, and a saved view keeps it with its columns",
    async () => {
      await using scenario = await startScenario();
      const { page, clean, prepare } = scenario;
      await prepare("POST", "/fields", { key: "points", label: "Points", kind: "number", choices: [] });
      const people = [
        ["+919876540001", "Mina Iyer", "Goa", 40],
        ["+919876540002", "Asha Rao", "Pune", 120],
        ["+4917123456789", "Ravi Kulkarni", "Pune", 7],
        ["+919876540003", "Zoya Khan", "Pune", 300],
      ] as const;
      for (const [phone, name, city, points] of people) {
        const body = { name, city, fields: { points }, add_tags: ["vip", "retail", "spring", "early"] };
        await prepare("PUT", `/contacts/${encodeURIComponent(phone)}`, body);
      }
      const names = () =>
        page.getByRole("table", { name: "Contacts" }).locator("tbody td:nth-child(2)").allTextContents();
      const inOrder = async (...expected: string[]) => {
        // What is wanted may begin with the row that the list before it began with.
        await waitUntil(async () => Bun.deepEquals(await names(), expected)).catch(() => undefined);
        await page.locator('[aria-busy="false"] table').waitFor();
        expect(await names()).toEqual(expected);
      };
      await scenario.go("contacts");
      await inOrder("Zoya Khan", "Ravi Kulkarni", "Asha Rao", "Mina Iyer");

      const head = (name: string) => page.getByRole("columnheader", { name });
      await head("Name").getByRole("link").focus();
      await page.keyboard.press("Enter");
      await inOrder("Asha Rao", "Mina Iyer", "Ravi Kulkarni", "Zoya Khan");
      expect(await head("Name").getAttribute("aria-sort")).toBe("ascending");
      await page.keyboard.press("Enter");
      await inOrder("Zoya Khan", "Ravi Kulkarni", "Mina Iyer", "Asha Rao");
      expect([await head("Name").getAttribute("aria-sort"), new URL(page.url()).searchParams.get("sort")]).toEqual([
        "descending",
        "-name",
      ]);

      // A filter of two conditions, with what is missing said first.
      await page.getByRole("button", { name: "Filter…" }).click();
      const dialog = page.getByRole("dialog").last();
      await dialog.getByRole("button", { name: "Show matches" }).click();
      await dialog.getByText("Complete each condition first.").waitFor();
      await dialog.getByLabel("Condition 1: value").fill("Pune");
      await dialog.getByRole("button", { name: "Add condition" }).click();
      await dialog.getByLabel("Condition 2: field").selectOption({ label: "Country of the number" });
      await dialog.getByLabel("Condition 2: value").selectOption({ label: "India" });
      await dialog.getByText("Matches 2 people").waitFor();
      await clean("the filter of contacts");
      await takePictures(scenario, "contacts-filter");
      await dialog.getByRole("button", { name: "Show matches" }).click();
      await inOrder("Zoya Khan", "Asha Rao");
      await page.getByText("City is Pune").waitFor();
      await page.getByText("and Country of the number is India").waitFor();

      // Columns and order.
      await page.getByRole("button", { name: "Columns and order…" }).click();
      // Each press counts at once, also those that come before the address has followed.
      const ticked = await page.evaluate(`["Points", "City", "Tags"].map((name) => {
        const box = [...document.querySelectorAll("[role=dialog] label")]
          .find((label) => label.textContent === name).querySelector("input");
        box.click();
        return box.checked;
      })`);
      expect(ticked).toEqual([true, true, false]);
      await dialog.getByLabel("Sort by").selectOption({ label: "Points" });
      await clean("the columns of contacts");
      await takePictures(scenario, "contacts-columns");
      await dialog.getByRole("button", { name: "Done" }).click();
      await inOrder("Asha Rao", "Zoya Khan");
      await head("City").waitFor();
      expect(await head("Tags").count()).toBe(0);
      await page.getByRole("cell", { name: "300" }).waitFor();

      // A view keeps all of it, on any device: the address of the view alone brings it back.
      await page.getByRole("button", { name: "Save view…" }).click();
      await dialog.getByRole("button", { name: "Save view" }).click();
      await dialog.getByText("A view needs a name.").waitFor();
      await dialog.getByLabel("Name").fill("Pune by points");
      await dialog.getByLabel("Who sees it").selectOption({ label: "Everyone in the workspace" });
      await clean("the form of a view");
      await dialog.getByRole("button", { name: "Save view" }).click();
      await dialog.waitFor({ state: "detached" });
      await clean("a view of contacts");
      await takePictures(scenario, "contacts-view");
      await page.getByLabel("View").selectOption({ label: "All contacts" });
      await inOrder("Zoya Khan", "Ravi Kulkarni", "Asha Rao", "Mina Iyer");
      await scenario.go("contacts?view=1");
      await inOrder("Asha Rao", "Zoya Khan");
      await head("Points").waitFor();

      // All matches are changed: exactly those that the dialog counted.
      await page.getByLabel("Select these 2").check();
      await page.getByRole("button", { name: "Tags…" }).click();
      await dialog.getByLabel("Tag", { exact: true }).fill("counted");
      await dialog.getByRole("button", { name: "Tag 2 people" }).click();
      await page.getByText("2 changed, 0 unchanged.").waitFor();

      // What no longer exists is named, and the rest is shown.
      await scenario.command("field remove --workspace 1 points");
      await scenario.go("contacts?view=1");
      await page.getByText("Part of this view no longer exists:").waitFor();
      await inOrder("Zoya Khan", "Asha Rao");
      await clean("a view with a removed field");

      // One person's timeline, in pages both ways.
      const asha = encodeURIComponent("+919876540002");
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      for (let count = 1; count <= 21; count += 1) {
        await prepare("POST", `/simulator/phones/${asha}/write`, { text: `Question ${count}`, number: 1 });
      }
      const [conversation] = (await scenario.read<{ data: { id: number }[] }>("/inbox")).data;
      await prepare("POST", `/conversations/${conversation?.id}/notes`, { text: "Prefers the evening" });
      await prepare("POST", `/contacts/${asha}/opt-out`);
      await scenario.go(`contacts?open=${asha}`);
      const timeline = page.getByRole("list", { name: "Timeline" });
      await timeline.getByText("Prefers the evening").waitFor();
      await timeline.getByText("Question 21").waitFor();
      expect(await timeline.getByRole("listitem").count()).toBe(20);
      await timeline.scrollIntoViewIfNeeded();
      await clean("the timeline of a person");
      await takePictures(scenario, "contact-timeline");
      await page.getByRole("button", { name: "Older" }).click();
      await timeline.getByText("The contact was added.").waitFor();
      await page.getByRole("button", { name: "Newer" }).click();
      await timeline.getByText("Prefers the evening").waitFor();

      await scenario.go("contacts?view=1");
      await page.setViewportSize(NARROW);
      const width = await page.evaluate<number>("document.documentElement.scrollWidth");
      expect(width).toBeLessThanOrEqual(NARROW.width);
      await page.getByRole("button", { name: "Edit view…" }).click();
      await dialog.getByRole("button", { name: "Delete view…" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Delete view" }).click();
      await page.getByText("View deleted").waitFor();
    },
    SCENARIO_LIMIT_MS,
  );
});
