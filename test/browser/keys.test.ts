/** What is typed right after a key that opens a field is in that field, in a real browser. */
import { describe, expect, test } from "bun:test";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";

/** Presses a key on the page; returns what has the focus before any other task has run, as the next key finds it. */
const pressed = (key: string) => `(() => {
  document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "${key}", bubbles: true, cancelable: true }));
  return Promise.resolve().then(() => document.activeElement.tagName);
})()`;

/**
 * Leaves the list of templates by Esc and presses `key` before any timer has run, as the browser does on a busy machine: keys
 * that wait come first. Returns what has the focus.
 */
const pressedBehindEscape = (key: string) => `(async () => {
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
  for (let turn = 0; turn < 1_000 && document.querySelector("[role=dialog]") !== null; turn++) await null;
  return await ${pressed(key)};
})()`;

/** Presses Esc and moves the focus to the row, in one task: nothing that Esc begins has run. */
const escapedTo = (row: string) => `(() => {
  document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true }));
  [...document.querySelectorAll("a[data-row]")].find(({ textContent }) => textContent.includes("${row}")).focus();
})()`;

const KEYS = [
  ["r", "Your reply", "TEXTAREA"],
  ["n", "Note", "TEXTAREA"],
  ["r", "Your reply", "TEXTAREA"],
  ["t", "Add tag", "INPUT"],
  ["m", "Find by name or text", "INPUT"],
  ["/", "Search messages, people and notes", "INPUT"],
] as const;

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "the field that a key opens has the focus at once, and loses nothing of what is typed behind the key",
    async () => {
      await using scenario = await startScenario();
      const { page } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      await scenario.prepare("POST", "/simulator/phones/%2B919876540010/write", { text: "Is it red?", number: 1 });
      const conversation = page.getByRole("region", { name: "Conversation", exact: true });
      for (const way of ["in one task", "by the keyboard"]) {
        await scenario.go("inbox?person=1");
        await conversation.getByText("Is it red?").waitFor();
        for (const [key, label, tag] of KEYS) {
          const text = `${way} ${key}`;
          await page.evaluate("document.activeElement.blur()");
          if (way === "in one task") {
            expect([key, await page.evaluate(pressed(key))]).toEqual([key, tag]);
            await page.keyboard.type(text);
          } else await Promise.all([page.keyboard.press(key), page.keyboard.type(text)]);
          const field = page
            .getByLabel(label, { exact: true })
            .and(page.locator("input, textarea"))
            .filter({ visible: true });
          await field.waitFor();
          // Before a draft, or behind it: in one piece.
          expect(await field.inputValue()).toContain(text);
          expect(await field.and(page.locator(":focus")).count()).toBe(1);
          if (key === "t" || key === "m") {
            await page.keyboard.press("Escape");
            await field.waitFor({ state: "detached" });
          }
        }
      }
      // Leaving the list leads back to the reply, unless the user is elsewhere by then.
      await scenario.go("inbox?person=1");
      await conversation.getByText("Is it red?").waitFor();
      const reply = page.getByLabel("Your reply", { exact: true });
      const written = await reply.inputValue();
      await page.keyboard.press("m");
      await page.getByLabel("Find by name or text").waitFor();
      expect(await page.evaluate(pressedBehindEscape("/"))).toBe("INPUT");
      await page.keyboard.type("behind Esc");
      const search = page.getByRole("searchbox", { name: "Search messages, people and notes" });
      expect([await search.inputValue(), await reply.inputValue()]).toEqual(["behind Esc", written]);
      // A panel that closes leaves the focus where its user is by then.
      const phones = { Meera: "%2B919876540011", Ravi: "%2B919876540012" };
      for (const [name, phone] of Object.entries(phones)) await scenario.prepare("PUT", `/contacts/${phone}`, { name });
      await scenario.go(`contacts?open=${phones.Meera}`);
      const row = (name: string) => page.locator("a[data-row]").filter({ hasText: name });
      const panel = page.getByRole("complementary", { name: "Meera" });
      await panel.getByRole("heading", { level: 2, name: "Meera" }).and(page.locator(":focus")).waitFor();
      await row("Ravi").waitFor();
      await page.evaluate(escapedTo("Ravi"));
      await panel.waitFor({ state: "detached" });
      expect(await row("Ravi").and(page.locator(":focus")).count()).toBe(1);
      await row("Meera").click();
      await panel.getByRole("heading", { level: 2, name: "Meera" }).and(page.locator(":focus")).waitFor();
      await page.keyboard.press("Escape");
      await row("Meera").and(page.locator(":focus")).waitFor();
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
