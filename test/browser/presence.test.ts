/** Two colleagues in one conversation, in two real browsers: who is here, who types, and what changed before one sends. */
import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { noBrowser, openBrowser, waitUntil } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { takePictures } from "#test/support/pictures.ts";

/** Presses Enter in the field of the note; returns its text and its cursor before any other task has run, as the next key finds it. */
const ENTERED = `(async () => {
  const field = document.querySelector("[data-note]");
  field.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true, cancelable: true }));
  for (let turn = 0; turn < 100; turn++) await null;
  return [field.value, field.selectionStart];
})()`;

/** Longer than the pace of the stream. */
const QUIET_MS = 5_000;

const PASSWORD = "a good long password";

/** Writes on in the field that has the focus while `act` runs: who writes nothing for some seconds does not type any more. */
async function whileTyping({ keyboard }: Page, act: () => Promise<void>): Promise<void> {
  const acting = act();
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  acting.then(end, end);
  while (!isOver) {
    await keyboard.type("!");
    await Bun.sleep(200);
  }
  await acting;
}

describe.skipIf(noBrowser)("in two browsers", () => {
  test(
    "a colleague is seen in the head and in the list, also typing, and goes with the page",
    async () => {
      await using scenario = await startScenario();
      await using other = await openBrowser();
      const { page, clean, app } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      const { token } = await scenario.prepare<{ token: string }>("POST", "/people", {
        email: "ana.rao@example.com",
        role: "member",
      });
      const joined = await other.context.request.post(`${app.url}/console/api/links/use`, {
        data: { token, password: PASSWORD },
        headers: { "sec-fetch-site": "same-origin" },
      });
      expect(joined.status()).toBe(201);
      for (const digit of [0, 1])
        await scenario.prepare("POST", `/simulator/phones/%2B91987654001${digit}/write`, {
          text: "Is it red?",
          number: 1,
        });
      const head = (of: Page) => of.getByRole("status").first();
      const row = (of: Page, id: number) => of.locator(`nav a[data-row="${id}"]`);

      // A refused stream begins again: the browser itself does not.
      await page.route(/\/inbox\/live$/, (route) => route.fulfill({ status: 429 }), { times: 1 });
      await scenario.go("inbox?person=1");
      await page.getByLabel("Your reply").waitFor();
      await head(page).waitFor({ state: "attached" });
      // The other conversation is unread.
      await waitUntil(async () => (await page.title()) === "(1) Inbox · Waxwing");
      expect(await head(page).textContent()).toBe("");

      await other.page.goto(`${app.url}/console/w/1/inbox?person=1`);
      await head(page).getByText("ana.rao is here").waitFor();
      await row(page, 1).getByText("ana.rao is here").waitFor({ state: "attached" });
      await head(other.page).getByText("asha is here").waitFor();
      await other.page.getByLabel("Your reply").fill("Yes, it is");
      await whileTyping(other.page, async () => {
        await head(page).getByText("ana.rao is typing …").waitFor();
        await row(page, 1).getByText("ana.rao is typing …").waitFor();
        await clean("a colleague who types");
        await takePictures(scenario, "typing");
        // In a narrow place the name is cut, and not what she does.
        const verb = head(page).getByText("is typing …", { exact: true });
        for (const width of [390, 320]) {
          await page.setViewportSize({ width, height: 844 });
          const over = await verb.evaluate((one) => {
            const line = one.closest("[role=status]")?.getBoundingClientRect();
            return one.getBoundingClientRect().right - (line?.right ?? 0);
          });
          expect(over).toBeLessThanOrEqual(1);
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(width);
        }
      });
      await page.setViewportSize({ width: 1440, height: 900 });
      // After some seconds without a key it is over.
      await head(page).getByText("ana.rao is here").waitFor();
      await takePictures(scenario, "here");

      // What a person writes is shown to both, and a page that has the stream does not ask every few seconds.
      await scenario.prepare("POST", "/simulator/phones/%2B919876540010/write", { text: "Or is it blue?", number: 1 });
      for (const of of [page, other.page]) await of.getByText("Or is it blue?").last().waitFor();
      let asked: string[] = [];
      let askedAt = performance.now();
      page.on("request", (request) => {
        if (request.method() !== "GET") return;
        asked.push(request.url());
        askedAt = performance.now();
      });
      // The last of what the change caused has been asked for when the stream has been silent for longer than its pace.
      await waitUntil(async () => performance.now() - askedAt > QUIET_MS);
      asked = [];
      await page.waitForTimeout(7_000);
      expect(asked).toEqual([]);

      // A note mentions the colleague, by the keys of the list; opening the conversation is reading it.
      await other.page.goto(`${app.url}/console/w/1/inbox`);
      await page.getByRole("button", { name: "Note", exact: true }).click();
      const field = page.getByRole("textbox", { name: "Note" });
      await field.fill(" in stock?");
      await field.press("Home");
      await field.pressSequentially("Is it, @an");
      await page.getByRole("option", { name: /^ana\.rao/ }).waitFor();
      await clean("the colleagues to mention");
      await takePictures(scenario, "mention");
      expect(await page.evaluate(ENTERED)).toEqual(["Is it, @ana.rao  in stock?", "Is it, @ana.rao ".length]);
      await field.press("Control+Enter");
      await page.getByRole("note").locator("b", { hasText: "@ana.rao" }).waitFor();
      const mentioned = row(other.page, 1).getByText("A note mentions you");
      await mentioned.waitFor({ state: "attached" });
      await other.page.getByRole("link", { name: /^Mentions 1/ }).click();
      await mentioned.waitFor({ state: "attached" });
      await other.page.getByRole("link", { name: "Needs reply", exact: true }).click();
      await other.page.waitForURL(/show=waiting/);
      await mentioned.waitFor({ state: "attached" });
      await row(other.page, 2).waitFor({ state: "detached" });
      await takePictures({ page: other.page }, "mentions");
      await row(other.page, 1).click();
      await other.page
        .getByText("No unread notes mention you")
        .or(other.page.getByLabel("Your reply"))
        .first()
        .waitFor();
      await other.page.getByRole("link", { name: "Mentions", exact: true }).waitFor();
      await other.page.goto(`${app.url}/console/w/1/inbox?person=1`);
      await other.page.getByRole("note").locator("mark", { hasText: "@ana.rao" }).waitFor();
      await other.clean("a note that mentions its reader");
      await takePictures({ page: other.page }, "mentioned");
      await other.page.getByLabel("Your reply").fill("Yes, it is");

      // What a colleague did meanwhile is asked about, once, before a reply goes, and before the conversation is done.
      const texts = async () =>
        (await scenario.read<{ data: { text: string }[] }>("/messages")).data.map(({ text }) => text);
      await scenario.prepare("POST", "/messages", { to: "+919876540010", text: "It is red, and blue" });
      const hers = other.page;
      await hers.getByRole("button", { name: "Send reply" }).click();
      const question = hers.getByRole("alertdialog");
      await question.getByText("asha answered").waitFor();
      await question.getByText("It is red, and blue").waitFor();
      await other.clean("the question before sending");
      await takePictures({ page: hers }, "changed");
      expect(await texts()).toEqual(["It is red, and blue"]);
      await question.getByRole("button", { name: "Send anyway" }).click();
      await question.waitFor({ state: "detached" });
      await hers.locator("article, li, div").getByText("Yes, it is", { exact: true }).first().waitFor();
      expect(await texts()).toEqual(["Yes, it is", "It is red, and blue"]);
      await other.page.goto(`${app.url}/console/w/1/inbox?person=2`);
      await row(page, 2).getByText("ana.rao is here").waitFor({ state: "attached" });
      await row(page, 1).getByText("ana.rao is here").waitFor({ state: "detached" });
      expect(await head(page).textContent()).toBe("");
      await other.page.close();
      await row(page, 2).getByText("ana.rao is here").waitFor({ state: "detached" });
      expect([scenario.troubles, other.troubles]).toEqual([[], []]);
    },
    SCENARIO_LIMIT_MS,
  );
});
