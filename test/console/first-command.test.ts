/** The template of the command that Home shows for a first message. */
import { expect, test } from "bun:test";
import { firstOperator } from "#test/support/console.ts";
import { startTestServer } from "#test/support/server.ts";

test("a first message is shown with a UTILITY template, with MARKETING only where there is no other", async () => {
  await using app = await startTestServer();
  const operator = await firstOperator(app);
  const shop = await app.workspace();
  const components = [{ type: "BODY", text: "Hello." }];
  const shown = async () => (await operator.get(`/w/${shop.id}/home`)).body.data.template?.name ?? null;
  expect(await shown()).toBeNull();
  await app.template(shop, { name: "a_offer", language: "en", category: "MARKETING", components });
  expect(await shown()).toBe("a_offer");
  await app.template(shop, { name: "order", language: "en", category: "UTILITY", components });
  expect(await shown()).toBe("order");
});
