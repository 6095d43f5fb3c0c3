/** Templates → New → from WhatsApp's library, in a real browser: searched, previewed, filled in and sent; by mouse and by keyboard. */
import { describe, expect, test } from "bun:test";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";

const NUMBER = "number add --workspace 1 --phone +911244001100 --name Shop --network simulator";

/** Types a 0 in the field that has the focus; returns what the form says of the draft before any other task has run. */
const TYPED = `(async () => {
  document.execCommand("insertText", false, "0");
  await null;
  return document.querySelector("main form [role=status]").textContent;
})()`;

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "a template of the library is searched, previewed, filled in and sent",
    async () => {
      await using scenario = await startScenario();
      const { page, button, clean } = scenario;
      await scenario.command(NUMBER);
      const templates = async () => {
        const { data } = await scenario.read<{ data: { name: string; status: string; text: string }[] }>("/templates");
        return data.map(({ name, status, text }) => [name, status, text]);
      };
      const preview = page.getByRole("figure", { name: "Preview" });

      await scenario.go("templates");
      await page.getByRole("link", { name: "New template" }).click();
      await button("Start from WhatsApp's library").click();
      const list = page.getByRole("list", { name: "Templates of the library" });
      await list.getByRole("button", { name: /^parcel_sent/ }).waitFor();
      expect(await list.getByRole("listitem").count()).toBe(6);
      await page.getByLabel("Search the library").fill("call us");
      await list.getByRole("button", { name: /^parcel_sent/ }).waitFor({ state: "detached" });
      await list.getByRole("button", { name: /^parcel_missed/ }).click();
      await preview.getByText("We could not deliver order 10042 today.").waitFor();
      await clean("library");
      await page.setViewportSize({ width: 390, height: 844 });
      await clean("library on a phone");
      await button("Use parcel_missed").click();
      await page.getByText("The words are those of parcel_missed").waitFor();
      await preview.getByText("We could not deliver order 10042 today.").waitFor();
      expect(await page.getByRole("alert").count()).toBe(0);
      await clean("inputs on a phone");
      await page.setViewportSize({ width: 1280, height: 900 });

      await button("Send for review").click();
      await page.getByText("url.base_url is an address").waitFor();
      await page.getByText("phone_number is a number with its country code").waitFor();
      expect(await templates()).toEqual([]);
      await clean("inputs with sentences");
      await page.getByLabel("Address, Button 1: Choose a time").fill("https://shop.example/p/{{1}}");
      await page.getByText("needs url.url_suffix_example").waitFor();
      const sample = "The whole address, with a sample at its end, Button 1: Choose a time";
      await page.getByLabel(sample).fill("https://shop.example/p/10042");
      await page.getByLabel("Phone number, Button 2: Call us").fill("+44207946010");
      // It says "saved" of all that was typed.
      await page.getByText("Draft saved").waitFor();
      expect(await page.evaluate(TYPED)).toBe("Saving…");
      await page.getByText("Draft saved").waitFor();
      await page.reload();
      expect(await page.getByLabel("Phone number, Button 2: Call us").inputValue()).toBe("+442079460100");
      await button("Send for review").click();
      await page.getByRole("link", { name: "Use in a broadcast" }).waitFor();
      const words = "We could not deliver order {{1}} today. Choose another time, or call us.";
      expect(await templates()).toEqual([["parcel_missed", "APPROVED", words]]);

      // The same with the keyboard alone.
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "New template" }).press("Enter");
      await button("Start from WhatsApp's library").press("Enter");
      await list.getByRole("button", { name: /^order_taken/ }).press("Enter");
      await button("Use order_taken").press("Enter");
      const name = page.getByLabel("Name", { exact: true });
      await name.fill("thanks");
      await name.press("Control+Enter");
      await page.getByRole("link", { name: "Use in a broadcast" }).waitFor();
      expect((await templates()).map(([of, status]) => [of, status])).toEqual([
        ["parcel_missed", "APPROVED"],
        ["thanks", "APPROVED"],
      ]);
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
