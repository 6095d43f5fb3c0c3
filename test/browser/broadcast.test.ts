/**
 * The broadcast wizard in a real browser: template, recipients, values and review, with a double press, a lost answer,
 * a reload and the back button. Also a group built from conditions, and a simulated template that is decided.
 */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";

const NUMBER = "number add --workspace 1 --phone +911244001100 --name Shop --network simulator";
const PEOPLE = ["phone,first_name,city,groups", "+919876500001,Asha,Pune,Regulars", "+919876500002,,Delhi,Regulars"];

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "a broadcast built in the wizard is sent exactly once despite a double press, a lost answer, a reload and the back button",
    async () => {
      await using scenario = await startScenario();
      const { app, page, button, clean } = scenario;
      const broadcasts = () => scenario.read<{ data: { id: number; name: string }[] }>("/broadcasts");

      await scenario.command(NUMBER);
      const people = join(app.directory, "people.csv");
      writeFileSync(people, PEOPLE.join("\n"));
      await scenario.command("contact import --workspace 1 --consent opted_in", people);

      // A simulated template is rejected and then approved; the page shows the reason.
      const file = join(app.directory, "diwali_offer.json");
      const components = [{ type: "BODY", text: "Hi {{1}}, {{2}} off." }];
      writeFileSync(
        file,
        JSON.stringify({ name: "diwali_offer", language: "en_US", category: "MARKETING", components }),
      );
      await scenario.command("template add --workspace 1 --status PENDING --file", file);
      await scenario.go("templates?open=1");
      await page.getByRole("heading", { name: "diwali_offer" }).waitFor();
      await page.getByLabel("Decision").selectOption("REJECTED");
      await page.getByLabel("Reason, if not approved").fill("promotional text");
      await button("Save decision").click();
      await page.getByText("“promotional text”").waitFor();
      await clean("template");
      await page.getByLabel("Decision").selectOption("APPROVED");
      await button("Save decision").click();
      await page.getByRole("link", { name: "Use in a broadcast" }).click();

      const dialog = page.getByRole("dialog", { name: "New group" });
      // The template starts the draft; the group is created within the wizard.
      await page.getByRole("heading", { name: "New broadcast" }).waitFor();
      await page.getByLabel("Group", { exact: true }).waitFor();
      await clean("people");
      await button("New group").click();
      await page.getByLabel("Condition 1: value").fill("Mumbai");
      await page.getByText("No matching contacts.").waitFor();
      await page.getByLabel("Condition 1: field").selectOption("group");
      await page.getByText("Matches 2 people").waitFor();
      await clean("new group");
      await dialog.getByLabel("Name").fill("Everybody");
      await button("Create group").click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("option", { name: "Everybody – 2 people" }).waitFor({ state: "attached" });
      await button("Next").click();
      await page.getByLabel("Placeholder {{1}}: From each contact").selectOption("first_name");
      await page.getByText("1 person without “First name” will be skipped.").waitFor();
      await page.getByText("Hi Asha, {{2}} off.").waitFor();
      await clean("values");

      // The review names the missing value and links to it. A reload keeps what was typed.
      await button("Next").click();
      await page.getByText("A value must not be empty.").waitFor();
      await clean("check with a mistake");
      await page.getByRole("link", { name: "Go to Fields" }).click();
      await page.getByLabel("Placeholder {{2}}: Text").fill("20%");
      await page.getByText("Draft saved").waitFor();
      await page.getByText("Hi Asha, 20% off.").waitFor();
      await page.reload();
      expect(await page.getByLabel("Placeholder {{2}}: Text").inputValue()).toBe("20%");
      await page.getByLabel("Placeholder {{1}}: Fallback").fill("friend");
      await page.getByText("1 person without “First name” will see “friend”.").waitFor();
      await button("Next").click();
      await page.getByText("people will receive it").waitFor();
      await clean("sheet");
      await page.getByLabel("My number").fill("+919876500009");
      await button("Send test").click();
      await page.getByText("+919876500009: Sent to WhatsApp.").waitFor();
      expect((await broadcasts()).data).toEqual([]);
      // It is not called saved before it is.
      await page.getByText("Draft saved").waitFor();
      const held = Promise.withResolvers<void>();
      await page.route(/\/drafts\/\d+$/, async (route) => {
        await held.promise;
        await route.continue();
      });
      await page.getByLabel("Broadcast name").fill("Diwali");
      expect(await page.getByText(/^(Saving…|Draft saved)$/).textContent()).toBe("Saving…");
      held.resolve();
      await page.getByText("Draft saved").waitFor();
      await page.unroute(/\/drafts\/\d+$/);
      const draft = page.url();

      // A recipient opts out in the meantime: nothing is sent, and the new count is shown.
      await page.evaluate(`fetch("/console/api/w/1/contacts/919876500002/opt-out", {
        method: "POST", headers: { "content-type": "application/json" }, body: "{}" })`);
      await button("Send to 2 people").click();
      await page.getByText("Something has changed since your review. Nothing was sent.").waitFor();
      await page.getByText("It would now reach 1 person instead of 2 people.").waitFor();
      expect((await broadcasts()).data).toEqual([]);

      // The answer to the first press is lost. The page says so, and the next press finds the broadcast.
      let isLost = false;
      await page.route("**/send", async (route) => {
        if (isLost) return route.continue();
        isLost = true;
        await route.fetch();
        return route.abort();
      });
      await button("Send to 1 person").click();
      await page.getByText("a draft is never sent twice").waitFor();
      await button("Send to 1 person").dblclick();
      await page.getByRole("heading", { name: "Diwali" }).waitFor();
      const detail = page.url();
      expect((await broadcasts()).data.length).toBe(1);

      // The back button, the draft's address and a reload all lead to the same broadcast.
      await page.goBack();
      await page.waitForURL(detail);
      await page.goto(draft);
      await page.waitForURL(detail);
      await page.reload();
      await page.getByRole("heading", { name: "Diwali" }).waitFor();
      expect((await broadcasts()).data.map(({ name }) => name)).toEqual(["Diwali"]);
      await scenario.go("broadcasts");
      await page.getByRole("link", { name: "Diwali" }).waitFor();
      expect(await page.getByText("Not sent yet.").count()).toBe(0);

      await scenario.go("groups");
      await page.getByRole("link", { name: "Everybody" }).click();
      await page.getByText("Static group is Regulars").waitFor();
      await clean("group");
      await page.getByRole("link", { name: "2 people" }).click();
      await page.getByText("Only contacts in “Everybody”.").waitFor();
      await page.getByText("2 people found").waitFor();
      await page.locator("a[data-row]").nth(1).waitFor();
      expect(await page.locator("a[data-row]").count()).toBe(2);
      await page.goBack();
      await button("Remove group").click();
      await page.getByRole("alertdialog").getByRole("textbox").fill("Everybody");
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove group" }).click();
      await page.getByRole("link", { name: "Everybody" }).waitFor({ state: "detached" });
      expect(scenario.troubles.filter((trouble) => !trouble.includes("ERR_FAILED"))).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
