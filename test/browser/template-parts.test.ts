/**
 * Templates that take more than texts, in a real browser: the preview shows every part, the wizard asks for what a carousel
 * takes, and a link's end and an offer's are asked where one message is sent.
 */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { approvedTemplates } from "#test/support/approved-templates.ts";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { chooseTemplate } from "#test/support/choose-template.ts";

const NUMBER = "number add --workspace 1 --phone +911244001100 --name Shop --network simulator";

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "the wizard asks for the cards of a carousel, and a conversation for the parts of an offer",
    async () => {
      await using scenario = await startScenario();
      const { app, page, button, clean } = scenario;
      await scenario.command(NUMBER);
      for (const name of ["carousel_texts", "offer_plain_link"]) {
        const file = join(app.directory, `${name}.json`);
        const { category, components } = approvedTemplates[name] ?? {};
        writeFileSync(file, JSON.stringify({ name, language: "en_US", category, components }));
        await scenario.command("template add --workspace 1 --status APPROVED --file", file);
      }
      const people = join(app.directory, "people.csv");
      writeFileSync(people, "phone,first_name,city\n+919876540010,Asha,Pune\n");
      await scenario.command("contact import --workspace 1 --consent opted_in", people);

      await scenario.go("templates?open=1");
      const preview = page.getByRole("figure", { name: "Preview" });
      await preview.getByText("{{1}} for {{2}} only.").first().waitFor();
      expect(await preview.getByRole("list", { name: "Carousel with 2 cards" }).getByText("Buy").count()).toBe(2);
      await page.getByText("cards", { exact: true }).waitFor();
      await clean("carousel");
      await page.getByRole("link", { name: "Use in a broadcast" }).click();
      await page.getByRole("radio", { name: /^Numbers/ }).check();
      await page.getByLabel("Phone numbers").fill("+919876540010");
      await button("Next").click();
      for (const card of [1, 2]) {
        await page.getByLabel(`Card ${card}: Image`).fill("https://files.example.com/a.jpg");
        await page.getByLabel(`Card ${card}: {{1}}: From each contact`).selectOption("first_name");
        await page.getByLabel(`Card ${card}: {{2}}: Text`).fill("€ 9");
      }
      await page.getByLabel("Card 1: Link of “Buy”: Text").fill("aloe");
      await page.getByText("Draft saved").waitFor();
      await page.getByText("Asha for € 9 only.").first().waitFor();
      await clean("cards");
      await button("Next").click();
      await page.getByText("Fix these problems first").waitFor();
      await page.getByText("Card 2: Link of “Buy”: A value must not be empty.").waitFor();
      await page.getByRole("link", { name: "Go to Fields" }).click();
      await page.getByLabel("Card 2: Link of “Buy”: Text").fill("agave");
      await page.getByText("Draft saved").waitFor();
      await button("Next").click();
      await page.getByText("person will receive it").waitFor();
      await page.getByLabel("My number").fill("+919876540019");
      await button("Send test").click();
      await page.getByText("+919876540019: Sent to WhatsApp.").waitFor();
      await button("Send to 1 person").click();
      await page.getByRole("heading", { name: "carousel_texts" }).waitFor();

      // The 24-hour window of a person who wrote has closed.
      await scenario.command("simulate inbound --workspace 1 --from +919876540010 --text Hello");
      await scenario.go("inbox?person=1");
      await page.getByText("Hello", { exact: true }).last().waitFor();
      await page.getByLabel("Your reply").waitFor();
      const client = openClient(join(app.directory, "waxwing.db"), { timeout: 5_000 });
      client.prepare("UPDATE contacts SET last_message_at = last_message_at - 86400000").run();
      client.close();
      await page.reload();
      await chooseTemplate(page, "offer_plain_link (en_US)");
      await page.getByLabel("Code to copy").fill("NOW 10");
      await page.getByLabel("End of the offer").fill("2099-11-30T20:00");
      await clean("offer");
      await button("Send template").click();
      await page.locator("[aria-invalid=true]").waitFor();
      await page.getByLabel("Code to copy").fill("NOW10");
      await button("Send template").click();
      await page.getByText("Only now.").first().waitFor();
      await page.locator("[aria-invalid=true]").waitFor({ state: "detached" });
    },
    SCENARIO_LIMIT_MS,
  );
});
