/** The search in the inbox, in a real browser: by keyboard, by mouse, and by tap at 390 px. */
import { describe, expect, test } from "bun:test";
import { type BrowserOptions, noBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, type Scenario, startScenario } from "#test/support/browser-scenario.ts";
import { takePictures } from "#test/support/pictures.ts";

const LONG = 90;

/** Meera has written much, Bob one message, to another number; there is a note on Meera. */
async function startShop(options: BrowserOptions = {}): Promise<Scenario & { indexed: () => Promise<void> }> {
  const scenario = await startScenario(options);
  await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
  await scenario.command("number add --workspace 1 --phone +911244001101 --name Support --network simulator");
  const write = (digit: number, text: string, number = 1) =>
    scenario.prepare("POST", `/simulator/phones/%2B91987654001${digit}/write`, { text, number });
  for (let index = 0; index < LONG; index += 1)
    await write(0, index === 9 ? "We need a marigold wreath for Sunday, please." : `Line ${index} of a long list`);
  await write(1, "Is the marigold wreath still there? <b>Marigolds</b> fade.", 2);
  await scenario.prepare("PUT", "/contacts/%2B919876540010", { name: "Meera Nair", add_tags: ["Wholesale"] });
  await scenario.prepare("POST", "/conversations/1/notes", { text: "Likes every marigold that we have" });
  return {
    ...scenario,
    async indexed() {
      for (let tries = 0; tries < 200; tries += 1) {
        const found = await scenario.read<{ data: unknown[]; meta: { behind: boolean } }>("/search?q=marigold");
        if (!found.meta.behind && found.data.length >= 3) return;
        await scenario.page.waitForTimeout(100);
      }
      throw new Error("the index stays behind");
    },
  };
}

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "by keyboard: / opens it, the words are marked, a result far back is shown in its place, and Esc leads back",
    async () => {
      await using scenario = await startShop();
      const { page, clean, indexed } = scenario;
      const field = page.getByRole("searchbox", { name: "Search messages, people and notes" });
      const results = page.getByRole("navigation", { name: "Search results" }).getByRole("link");
      const marked = page.getByRole("region", { name: "Conversation", exact: true }).locator("[data-marked]");
      await indexed();
      await scenario.go("inbox");
      await page.getByRole("navigation", { name: "Conversations", exact: true }).waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("marigold wreath");
      await page.getByText("2 results, the newest first").waitFor();
      // Not those of the first letters of the second word.
      await results.first().locator("mark").getByText("wreath", { exact: true }).waitFor();
      expect(await results.first().locator("mark").allTextContents()).toEqual(["marigold", "wreath", "Marigolds"]);
      expect(await results.first().textContent()).toContain("<b>Marigolds</b> fade.");
      await results.first().getByText("on +911244001101").waitFor();
      await clean("results");
      await takePictures(scenario, "search-results");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await marked.getByText("We need a marigold wreath for Sunday, please.").waitFor();
      expect(new URL(page.url()).searchParams.get("at")).toMatch(/^i\d+$/);
      const inSight = () =>
        marked.evaluate((one) => {
          const [box, own] = [one.closest("section")?.getBoundingClientRect(), one.getBoundingClientRect()];
          return box !== undefined && own.top >= box.top && own.bottom <= box.bottom;
        });
      await waitUntil(inSight);
      const lines = page.getByRole("region", { name: "Conversation", exact: true }).getByText(/^Line \d+ of/);
      expect(await lines.count()).toBeLessThan(50);
      await clean("the message that was found");
      await page.emulateMedia({ colorScheme: "dark" });
      await clean("the message that was found, in the dark");
      await takePictures(scenario, "search-found");
      // The link can be opened again, and what is newer is reached from there.
      await page.reload();
      await marked.waitFor();
      await waitUntil(inSight);
      await page.getByRole("button", { name: "Later messages" }).click();
      await lines.filter({ hasText: "Line 60 " }).waitFor();
      // What has come below is below: the reader stays where they were.
      const below = await page
        .getByRole("region", { name: "Conversation", exact: true })
        .evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);
      expect(below).toBeGreaterThan(500);
      await page.getByRole("link", { name: "Go to the newest messages" }).click();
      await lines.filter({ hasText: "Line 89 " }).waitFor();
      await marked.waitFor({ state: "detached" });

      // In the composer, a / is of the quick replies.
      await page.getByLabel("Your reply").focus();
      await page.keyboard.type("/");
      await page.getByRole("dialog", { name: "Quick replies" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByLabel("Your reply").and(page.locator(":focus")).waitFor();
      await page.getByLabel("Your reply").fill("");
      await page.keyboard.press("Escape");
      await page.keyboard.press("/");
      expect(await page.evaluate("document.activeElement.type")).toBe("search");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("j");
      await page.keyboard.press("k");
      await page.keyboard.press("ArrowUp");
      expect(await page.evaluate("document.activeElement.type")).toBe("search");
      await page.keyboard.press("Escape");
      await field.waitFor({ state: "detached" });
      expect(new URL(page.url()).searchParams.get("q")).toBeNull();
      await page.keyboard.press("?");
      await page.getByText("Search; the arrows move through the results, Enter opens, Esc ends it").waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "by mouse: filters stay in the address; nothing found, what cannot be searched, and an index that is behind are said",
    async () => {
      await using scenario = await startShop();
      const { page, clean, indexed } = scenario;
      const results = page.getByRole("navigation", { name: "Search results" }).getByRole("link");
      await indexed();
      await scenario.go("inbox");
      await page.getByRole("button", { name: "Search messages, people and notes" }).click();
      await page.getByRole("searchbox").fill("marigold");
      await page.getByText("3 results, the newest first").waitFor();
      await page.getByRole("button", { name: "Filters" }).click();
      await clean("the filters");
      await takePictures(scenario, "search-filters");
      const count = async (expected: number) => {
        await waitUntil(async () => (await results.count()) === expected).catch(() => undefined);
        expect(await results.count()).toBe(expected);
      };
      await page.getByLabel("What").selectOption("Notes");
      await count(1);
      await results.getByText("Likes every marigold that we have").click();
      await page.locator("[data-marked]").getByText("Likes every marigold that we have").waitFor();
      await page.getByLabel("What").selectOption("Anything");
      await count(3);
      await page.getByLabel("Your number").selectOption("+911244001101");
      await count(1);
      await page.reload();
      await count(1);
      await page.getByRole("button", { name: "Filters (1)" }).waitFor();
      await page.getByLabel("Your number").selectOption("Any number");
      await page.getByLabel("Tag of the person").fill("wholesale");
      await page.getByLabel("Tag of the person").press("Enter");
      await count(2);
      await page.getByLabel("Person", { exact: true }).fill("98765 40011");
      await page.getByLabel("Person", { exact: true }).press("Enter");
      await page.getByText("Nothing found").waitFor();
      await clean("nothing found");
      await page.getByLabel("Tag of the person").fill("");
      await page.getByLabel("Tag of the person").press("Enter");
      await count(1);
      const today = new Intl.DateTimeFormat("en-CA", { timeZone: "Asia/Kolkata" }).format(Date.now());
      await page.getByLabel("From", { exact: true }).fill(today);
      await page.getByLabel("To", { exact: true }).fill(today);
      await page.getByLabel("To", { exact: true }).press("Enter");
      await page.getByRole("button", { name: "Filters (3)" }).waitFor();
      await count(1);
      // Each press counts at once, also one that comes before the address has followed.
      const ticked = await page.evaluate(`(() => {
        const box = [...document.querySelectorAll("search label")]
          .find((label) => label.textContent === "With a file").querySelector("input");
        return [1, 2, 3].map(() => (box.click(), box.checked));
      })()`);
      expect(ticked).toEqual([true, false, true]);
      await page.waitForURL(/file=/);
      await page.getByLabel("With a file", { exact: true }).and(page.locator(":checked")).waitFor();
      await page.getByText("Nothing found").waitFor();
      await page.getByLabel("Person", { exact: true }).fill("nobody");
      await page.getByLabel("Person", { exact: true }).press("Enter");
      await page.getByText("Must be a phone number with its country code, or a user id.").waitFor();
      await clean("a filter that is refused");
      await takePictures(scenario, "search-refused");

      await scenario.go("inbox?q=rhubarb");
      await page.getByText("Nothing found").waitFor();
      await takePictures(scenario, "search-nothing");
      await scenario.prepare("POST", "/simulator/phones/%2B919876540011/write", { text: "Rhubarb pie?", number: 1 });
      // As an index answers that has not read it yet: how long that takes is not the page's.
      const searched = await scenario.read<{ meta: object }>("/search?q=rhubarb");
      const json = { ...searched, data: [], meta: { ...searched.meta, behind: true } };
      await page.route(/\/search\?/, (route) => route.fulfill({ json }), { times: 1 });
      await page.reload();
      await page.getByText("The search is catching up, so what was written last may be missing.").waitFor();
      await clean("an index that is behind");
      await results.getByText("Rhubarb").waitFor();
      await page.getByText(/The search is catching up/).waitFor({ state: "detached" });
      await scenario.go("inbox?q=%3F%21");
      await page.getByText("Has no letter, digit or emoji to find.").waitFor();
      expect(scenario.troubles.filter((one) => !one.includes("400"))).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "by tap at 390 px: a result opens the conversation at the message, and the way back leads to the results",
    async () => {
      await using scenario = await startShop({ width: 390, height: 844, isPhone: true });
      const { page, clean, indexed } = scenario;
      await indexed();
      await scenario.go("inbox");
      await page.getByRole("button", { name: "Search messages, people and notes" }).tap();
      await page.getByRole("searchbox").fill("wreath sunday");
      const results = page.getByRole("navigation", { name: "Search results" }).getByRole("link");
      await page.getByText("1 result", { exact: true }).waitFor();
      await clean("results at 390 px");
      await results.first().tap();
      const marked = page.locator("[data-marked]");
      await marked.getByText("We need a marigold wreath for Sunday, please.").waitFor();
      expect(await marked.isVisible()).toBe(true);
      await clean("the message at 390 px");
      await page.getByRole("link", { name: "All conversations" }).tap();
      await results.first().waitFor();
      await page.getByRole("button", { name: "Filters" }).tap();
      await clean("filters at 390 px");
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
      await page.getByRole("button", { name: "Close the search" }).tap();
      await page.getByRole("navigation", { name: "Conversations", exact: true }).waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
