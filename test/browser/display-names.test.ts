/**
 * In a real browser: a person who has a first and a last name, but no name, is called by them on every screen that shows a
 * person, and by the number only where there is no name at all.
 */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";

const PHONE = "+919876543210";
const NAME = "Asha Rao";
const TEMPLATE = {
  ...{ name: "hello", language: "en_US", category: "UTILITY" },
  components: [{ type: "BODY", text: "Hello {{1}}." }],
};

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "every screen calls a person by first and last name where there is no name",
    async () => {
      await using scenario = await startScenario();
      const { app, page, clean } = scenario;
      const [people, file] = [join(app.directory, "people.csv"), join(app.directory, "hello.json")];
      writeFileSync(people, `phone,first_name,last_name,groups\n${PHONE},Asha,Rao,All\n`);
      writeFileSync(file, JSON.stringify(TEMPLATE));
      await scenario.command("number add --workspace 1 --phone +911244001100 --name Shop --network simulator");
      await scenario.command("contact import --workspace 1 --consent opted_in", people);
      await scenario.command("template add --workspace 1 --status APPROVED --file", file);
      const content = { template: "hello", language: "en_US", variables: { header: [], body: ["you"] } };
      const message = await scenario.prepare<{ id: number }>("POST", "/messages", { ...content, to: PHONE });
      await scenario.prepare("POST", `/simulator/phones/${encodeURIComponent(PHONE)}/write`, { text: "Hi", number: 1 });
      const sent = await scenario.prepare<{ id: number }>("POST", "/broadcasts", { ...content, name: "One", group: 1 });
      const draft = await scenario.prepare<{ id: number }>("POST", "/drafts", { ...content, name: "Two", group: 1 });
      const { data } = await scenario.read<{ data: { contact_id: number }[] }>("/inbox");

      const screens = {
        "a row of the inbox": ["inbox", "nav a[data-row]"],
        "the conversation": [`inbox?person=${data[0]?.contact_id}`, "section h2"],
        "the list of contacts": ["contacts", "main table"],
        "the contact": [`contacts?open=${encodeURIComponent(PHONE)}`, "[role=dialog] h2, aside h2, section h2"],
        "the list of messages": ["messages", "main table"],
        "the message": [`messages?open=${message.id}`, "dl"],
        "the recipients of a broadcast": [`broadcasts/${sent.id}`, "main table"],
        "an example of a broadcast": [`broadcasts/new?draft=${draft.id}&step=values`, "main"],
        "the simulator's phones": ["simulator", "main"],
        "a phone of the simulator": [`simulator?phone=${encodeURIComponent(PHONE)}`, "section h2"],
      } as const;
      const missing: string[] = [];
      for (const [screen, [path, where]] of Object.entries(screens)) {
        await scenario.go(path);
        const shown = page.locator(where).filter({ hasText: NAME }).first();
        await shown.waitFor().catch(() => missing.push(screen));
      }
      expect(missing).toEqual([]);
      await clean("a phone of the simulator");
      const filter = { field: "first_name", is: "Asha" };
      const { sample } = await scenario.prepare<{ sample: object[] }>("POST", "/groups/count", { filter });
      expect(sample).toMatchObject([{ name: NAME }]);
    },
    SCENARIO_LIMIT_MS,
  );
});
