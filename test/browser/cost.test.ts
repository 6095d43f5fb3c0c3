/**
 * What a message costs, in a real browser: on a real number Meta bills the owner of the account, so nothing there is free,
 * also where this server charges nothing.
 */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { openClient } from "#src/db/driver.ts";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import { GRAPH_ACCOUNT_ID, GRAPH_PHONE_NUMBER_ID, GRAPH_TOKEN, startGraph } from "#test/support/graph.ts";
import { graphAccount, graphNumber, graphTemplate } from "#test/support/graph-account.ts";
import { takePictures } from "#test/support/pictures.ts";

const TEMPLATE = {
  ...{ name: "trial", language: "en_US", category: "UTILITY" },
  components: [{ type: "BODY", text: "It is ready." }],
};

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "no cost of a real number is called free: Meta bills it, and a simulated number costs nothing",
    async () => {
      const account = graphAccount({
        numbers: [graphNumber(GRAPH_PHONE_NUMBER_ID, "+91 12440 01100")],
        templates: [graphTemplate("offer", { components: TEMPLATE.components })],
      });
      await using graph = await startGraph({ account });
      await using scenario = await startScenario();
      const { app, page, button, clean } = scenario;
      const token = join(app.directory, "token");
      writeFileSync(token, GRAPH_TOKEN);
      await scenario.command(
        `number add --workspace 1 --phone +911244001100 --name Cloud --network whatsapp --phone-number-id ${GRAPH_PHONE_NUMBER_ID} --account-id ${GRAPH_ACCOUNT_ID} --api-url ${graph.url} --token-file ${token} --unsigned-callbacks`,
      );
      await scenario.command("number add --workspace 1 --phone +911244001101 --name Try --network simulator");
      const file = join(app.directory, "trial.json");
      writeFileSync(file, JSON.stringify(TEMPLATE));
      await scenario.command("template add --workspace 1 --status APPROVED --file", file);
      for (const [template, from, bill] of [
        ["offer", "+911244001100", "Billed by Meta"],
        ["trial", "+911244001101", "Nothing (simulated number)"],
      ] as const) {
        const { id } = await scenario.prepare<{ id: number }>("POST", "/messages", {
          ...{ to: "+919876543210", template, from },
        });
        await scenario.go(`messages?open=${id}`);
        await page.getByText(bill).first().waitFor();
        const made = await scenario.prepare<{ id: number }>("POST", "/broadcasts", {
          ...{ name: "Offer", template, to: ["+919876543210"], from },
        });
        await scenario.go(`broadcasts/${made.id}`);
        await page.getByText(bill, { exact: true }).waitFor();
        const draft = await scenario.prepare<{ id: number }>("POST", "/drafts", {
          ...{ name: "Offer", template, language: "en_US", to: ["+919876543210"], from },
        });
        await scenario.go(`broadcasts/new?draft=${draft.id}&step=check`);
        await page.getByText(bill, { exact: true }).waitFor();
        await clean(bill);
        expect(await page.getByText(/\bfree\b/i).count()).toBe(0);
      }
      await scenario.go("billing");
      await page.getByText("Billing is off for this workspace").waitFor();
      expect(await page.getByText(/\bfree\b/i).count()).toBe(0);
      expect(await button("Add credit").count()).toBe(0);

      // Billing says apart what this server charges and what WhatsApp reported, by category and country.
      const month = (await scenario.read<{ data: { month: string } }>("/usage")).data.month;
      const database = openClient(join(app.directory, "waxwing.db"), { timeout: 5_000 });
      for (const [category, type, billable, country, messages] of [
        ["marketing", "regular", 1, "IN", 1_240],
        ["marketing", "regular", 1, "BR", 31],
        ["utility", "free_customer_service", 0, "IN", 12],
        ["service", "free_customer_service", 0, "", 3],
      ] as const) {
        database
          .prepare(
            `INSERT INTO network_usage (workspace_id, month, number_id, category, type, billable, country, messages)
            VALUES (1, ?, 1, ?, ?, ?, ?, ?)`,
          )
          .run(month, category, type, billable, country, messages);
      }
      database.close();
      await page.reload();
      await page.getByText("1,271 of 1,286 delivered messages are billed, WhatsApp reports.").waitFor();
      await page.getByText(/^Rates are not loaded/).waitFor();
      for (const cell of ["India", "Brazil", "Not known"])
        await page.getByRole("cell", { name: cell }).first().waitFor();
      await page.getByRole("heading", { name: "Your balance on this server" }).waitFor();
      expect(await page.getByText(/free/i).count()).toBe(0);
      await clean("billing");
      await takePictures(scenario, "billing");
    },
    SCENARIO_LIMIT_MS,
  );
});
