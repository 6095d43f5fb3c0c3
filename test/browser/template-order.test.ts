/**
 * A template of a fake WhatsApp account whose placeholder is renamed, in a real browser: its page shows the order before and
 * the new one, and confirms it.
 */
import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { noBrowser } from "#test/support/browser.ts";
import { SCENARIO_LIMIT_MS, startScenario } from "#test/support/browser-scenario.ts";
import {
  GRAPH_ACCOUNT_ID,
  GRAPH_APP_SECRET,
  GRAPH_PHONE_NUMBER_ID,
  GRAPH_TOKEN,
  startGraph,
} from "#test/support/graph.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";

const templateOf = (text: string) =>
  graphTemplate("order_confirmation", { parameter_format: "NAMED", components: [{ type: "BODY", text }] });

describe.skipIf(noBrowser)("in a browser", () => {
  test(
    "an owner sees the order before and the new one, confirms it, and finds it in the audit log",
    async () => {
      const account = graphAccount({ templates: [templateOf("Order {{order}} for {{name}} is on its way.")] });
      await using graph = await startGraph({ account });
      await using scenario = await startScenario(
        {},
        {
          WAXWING_WHATSAPP_GRAPH_URL: graph.url,
          WAXWING_WHATSAPP_APP_SECRET: GRAPH_APP_SECRET,
          WAXWING_WHATSAPP_VERIFY_TOKEN: "verify-token-of-the-test",
        },
      );
      const { app, page, button, clean } = scenario;
      const token = join(app.directory, "token");
      writeFileSync(token, GRAPH_TOKEN);
      const number = `number add --workspace 1 --phone +4930000000 --name Shop --network whatsapp --phone-number-id ${GRAPH_PHONE_NUMBER_ID}`;
      await scenario.command(`${number} --account-id ${GRAPH_ACCOUNT_ID} --token-file ${token}`);
      await scenario.command("template sync --workspace 1");

      await scenario.go("templates?open=1");
      const order = page.getByRole("region", { name: "Order of the values" });
      await order.waitFor();
      expect(await order.getByRole("listitem").allTextContents()).toEqual(["order", "name"]);
      await clean("order");
      expect(await button("Confirm new order").count()).toBe(0);

      account.templates = [templateOf("{{customer}}, your order {{order}} is on its way.")];
      await scenario.command("template sync --workspace 1");
      await page.reload();
      await page.getByText("A placeholder was removed or renamed").waitFor();
      const of = (name: string) => order.getByRole("region", { name }).getByRole("listitem").allTextContents();
      expect([await of("Before"), await of("New order")]).toEqual([
        ["order", "nameremoved"],
        ["order", "customernew"],
      ]);
      await clean("open order");
      await button("Confirm new order").click();
      const dialog = page.getByRole("alertdialog", { name: "Confirm the new order?" });
      await clean("confirmation");
      await dialog.getByRole("button", { name: "Not yet" }).click();
      await dialog.waitFor({ state: "hidden" });
      await button("Confirm new order").click();
      await dialog.getByRole("button", { name: "Confirm new order" }).click();
      await page.getByText("Order confirmed").waitFor();
      await page.getByText("A placeholder was removed or renamed").waitFor({ state: "detached" });
      expect(await order.getByRole("listitem").allTextContents()).toEqual(["order", "customer"]);
      await clean("confirmed order");

      await scenario.go("audit");
      await page.getByText("Confirmed the order of a template's values").first().waitFor();
      await clean("audit log");
    },
    SCENARIO_LIMIT_MS,
  );
});
