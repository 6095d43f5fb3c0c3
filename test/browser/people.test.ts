/**
 * Bulk work in a real browser: select, tag and opt out; several people on one number; sending again to failed
 * recipients and making them a group; changing a group; the list of people who wait for an answer.
 */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";

const NUMBER = "number add --workspace 1 --phone +911244001100 --name Shop --network simulator";
const TEMPLATE = {
  name: "offer",
  language: "en_US",
  category: "MARKETING",
  components: [{ type: "BODY", text: "Hi." }],
};

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "contacts can be tagged and opted out in bulk, and failed recipients can be sent to again or become a group",
    async () => {
      await using scenario = await startScenario();
      const { app, page, button, clean } = scenario;
      const dialog = page.getByRole("dialog").last();
      await scenario.command(NUMBER);
      const people = Array.from({ length: 70 }, (_, count) => `+9198765${10_100 + count * 10},Row ${count},Pune,All`);
      people.push("+919876510001,Mina,Goa,All", "+919876520001,Ravi,Goa,All");
      const file = join(app.directory, "people.csv");
      writeFileSync(file, ["phone,name,city,groups", ...people].join("\n"));
      await scenario.command("contact import --workspace 1 --consent opted_in", file);
      writeFileSync(`${file}.json`, JSON.stringify(TEMPLATE));
      await scenario.command("template add --workspace 1 --status APPROVED --file", `${file}.json`);
      await scenario.prepare("POST", "/broadcasts", { name: "Offer", template: "offer", group: 1 });

      await scenario.go("contacts");
      await page.getByLabel("Select Ravi").check();
      await page.getByText("1 person selected").waitFor();
      await page.getByLabel("Select these 50").check();
      await button("Select all 72 people").click();
      await clean("selection");
      await button("Tags…").click();
      await dialog.getByText("This changes 72 people.").waitFor();
      await dialog.getByRole("button", { name: "Tag 72 people" }).click();
      await dialog.getByText("A name must not be empty.").waitFor();
      await dialog.getByLabel("Tag", { exact: true }).fill("diwali");
      await dialog.getByRole("button", { name: "Tag 72 people" }).dblclick();
      await page.getByText("72 changed, 0 unchanged.").waitFor();

      await page.getByLabel("Name, number or e-mail").fill("Row");
      await page.getByText("70 people found").waitFor();
      await page.getByLabel("Select these 50").check();
      await button("Select all 70 people that match").click();
      await button("Opt out…").click();
      await dialog.getByLabel("Reason").fill("They asked us to");
      await dialog.getByRole("button", { name: "Opt out 70 people" }).click();
      await dialog.getByText("The number does not match.").waitFor();
      await dialog.getByLabel("Type 70 to continue").fill("70");
      await clean("opt out");
      await dialog.getByRole("button", { name: "Opt out 70 people" }).click();
      await page.getByText("70 changed, 0 unchanged.").waitFor();
      await scenario.go("contacts?consent=opted_out");
      await page.getByText("70 people found").waitFor();
      await button("Download as CSV…").click();
      await dialog.getByText("The file has exactly these 70 people").waitFor();
      await clean("export");
      // One more has joined them since they were counted.
      await scenario.prepare("POST", "/contacts/+919876590000/opt-out", {});
      await dialog.getByRole("link", { name: "Download 70 people" }).click();
      await dialog.getByText("The list changed from 70 to 71. Nothing was downloaded.").waitFor();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        dialog.getByRole("link", { name: "Download 71 people" }).click(),
      ]);
      await dialog.waitFor({ state: "hidden" });
      expect((await Bun.file(await download.path()).text()).trim().split("\n").length).toBe(72);

      await scenario.go("contacts?q=Mina&open=%2B919876510001");
      await button("Add person").click();
      const other = page.getByRole("group", { name: "Person 1" });
      await button("Save").click();
      await other.getByText("This must not be empty.").waitFor();
      await other.getByLabel("Name", { exact: true }).fill("Dr Kiran Shah");
      await other.getByLabel("Birthday").fill("--02-29");
      await clean("people on a number");
      await button("Save").click();
      await page.getByText("Saved").waitFor();
      await page.reload();
      expect(await other.getByLabel("First name").inputValue()).toBe("Kiran");

      await scenario.go("broadcasts/1?status=failed");
      await page.getByText("Completed").waitFor();
      await page.getByText("2 people", { exact: true }).waitFor();
      await button("New group from these recipients").click();
      await dialog.getByRole("button", { name: "Create group with 2 people" }).click();
      await dialog.getByText("Group created with 2 people.").waitFor();
      await page.keyboard.press("Escape");
      await button("Send again to failed recipients").click();
      await dialog.getByText("2 people can't be sent to again yet").waitFor();
      await scenario.go("inbox?show=waiting");
      await page.getByText("No conversations need a reply").waitFor();
      for (const from of ["+919876510001", "+919876520001"])
        await scenario.command(`simulate inbound --workspace 1 --from ${from} --text Hello`);
      await scenario.go("broadcasts/1?status=failed");
      await button("Send again to failed recipients").click();
      await dialog.getByText("2 people definitely failed").waitFor();
      await clean("send again");
      await dialog.getByRole("button", { name: "Create draft for 2 people" }).dblclick();
      await page.getByRole("heading", { name: "New broadcast" }).waitFor();
      await page.getByRole("link", { name: "Review" }).click();
      await page.getByRole("button", { name: "Send to 2 people" }).waitFor();

      await scenario.go("groups");
      await page.getByRole("link", { name: "Offer – Failed" }).click();
      await button("Edit group").click();
      await dialog.getByLabel("Name").fill("To call");
      await button("Save group").click();
      await page.getByRole("heading", { name: "To call" }).waitFor();

      await scenario.go("inbox?show=waiting");
      await page.getByRole("link", { name: /Mina/ }).waitFor();
      await page.goto(`${app.url}/console/w/1`);
      await page.getByRole("heading", { name: "Today", exact: true }).waitFor();
      await page.getByText("70 in broadcasts").waitFor();
      await clean("home");
      expect(scenario.troubles).toEqual([]);
    },
    SCENARIO_LIMIT_MS,
  );
});
