/** The first message to a person, begun on the contact. */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { chooseTemplate } from "#test/support/choose-template.ts";
import { takePictures } from "#test/support/pictures.ts";

const NEVER_WROTE = "+919876540011";
const OPTED_OUT = "+919876540012";
const OFFER = {
  name: "table_ready",
  language: "en_US",
  category: "UTILITY",
  components: [{ type: "BODY", text: "Hi {{1}}, your table is ready.", example: { body_text: [["Asha"]] } }],
};

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "a contact who never wrote can be sent a template, and one who opted out nothing",
    async () => {
      await using scenario = await startScenario();
      const { page, clean } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      writeFileSync(join(scenario.app.directory, "offer.json"), JSON.stringify(OFFER));
      await scenario.command("template add --workspace 1 --file offer.json --status APPROVED");
      await scenario.prepare("PUT", `/contacts/${encodeURIComponent(NEVER_WROTE)}`, {
        first_name: "Asha",
        consent: "opted_in",
      });
      await scenario.prepare("PUT", `/contacts/${encodeURIComponent(OPTED_OUT)}`, { first_name: "Ravi" });
      await scenario.prepare("POST", `/contacts/${encodeURIComponent(OPTED_OUT)}/opt-out`);

      const panel = page.getByRole("dialog");
      await scenario.go(`contacts?open=${encodeURIComponent(NEVER_WROTE)}`);
      const write = page.getByRole("link", { name: "Write a message" });
      await write.waitFor();
      await clean("a contact who never wrote");
      await takePictures(scenario, "write-first-contact");
      await write.focus();
      await page.keyboard.press("Enter");
      await panel.waitFor({ state: "detached" });
      await page.getByText("The 24-hour window is not open. You can send a template.").waitFor();
      await page.getByRole("region", { name: "Asha" }).waitFor();
      await clean("a conversation that has not begun");
      await takePictures(scenario, "write-first");

      await chooseTemplate(page, "table_ready (en_US)");
      await page.getByLabel("Body placeholder {{1}}").fill("Asha");
      await clean("a template to a person who never wrote");
      await takePictures(scenario, "write-first-template");
      await page.keyboard.press("Control+Enter");
      const thread = page.getByRole("region", { name: "Conversation", exact: true });
      await thread.getByText("Hi Asha, your table is ready.").waitFor();
      await takePictures(scenario, "write-first-sent");
      const sent = (await scenario.read<{ data: { to: string; text: string }[] }>("/messages")).data;
      expect(sent.map(({ to, text }) => [to, text])).toEqual([[NEVER_WROTE, "Hi Asha, your table is ready."]]);

      await page.setViewportSize({ width: 390, height: 844 });
      await scenario.go(`contacts?open=${encodeURIComponent(OPTED_OUT)}`);
      await write.click();
      await page.getByText(/They opted out on .* They can't be messaged until they write START\./).waitFor();
      expect(await page.getByRole("textbox").count()).toBe(0);
      await clean("a person who opted out, at 390 px");
      await scenario.command(`contact erase ${OPTED_OUT} --workspace 1`);
      await page.getByText("This person was erased, so nothing can be sent to them.").waitFor();
      expect(await page.getByRole("textbox").count()).toBe(0);
      await clean("a person who was erased");
      expect((await scenario.read<{ data: unknown[] }>("/messages")).data.length).toBe(1);
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );

  test(
    "a number typed into the search is written to, by keyboard and by tap; a number that does not exist is refused in words",
    async () => {
      await using scenario = await startScenario({ isPhone: true });
      const { page, clean } = scenario;
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      await scenario.prepare("PUT", `/contacts/${encodeURIComponent(OPTED_OUT)}`, { first_name: "Ravi" });
      await scenario.prepare("POST", `/contacts/${encodeURIComponent(OPTED_OUT)}/opt-out`);
      await scenario.go("inbox");
      await page.getByRole("button", { name: "Search messages, people and notes" }).waitFor();
      await page.keyboard.press("/");
      await page.keyboard.type("98765 40011");
      const write = page.getByRole("button", { name: "Write to 98765 40011" });
      await write.waitFor();
      await clean("a number that is typed");
      await takePictures(scenario, "write-first-typed");
      await write.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("region", { name: NEVER_WROTE }).waitFor();
      await page.getByText("The 24-hour window is not open. You can send a template.").waitFor();
      expect(new URL(page.url()).searchParams.get("q")).toBeNull();

      await page.setViewportSize({ width: 390, height: 844 });
      await scenario.go(`inbox?q=${encodeURIComponent(OPTED_OUT)}`);
      await page.getByRole("button", { name: `Write to ${OPTED_OUT}` }).tap();
      await page.getByText(/They opted out on .* They can't be messaged until they write START\./).waitFor();
      await scenario.go("inbox?q=%2B0012345678");
      await page.getByRole("button", { name: "Write to +0012345678" }).tap();
      await page.getByRole("alert").waitFor();
      await clean("a number that does not exist, at 390 px");
      expect((await scenario.read<{ data: unknown[] }>("/messages")).data).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
