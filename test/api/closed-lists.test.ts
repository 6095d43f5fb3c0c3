/**
 * A client that has the closed lists of the specification meets nothing else: the test server walks every answer and every
 * event of every test (`closed-lists.ts`). Here: that the walk finds each list, and each value outside of it.
 */
import { expect, test } from "bun:test";
import { busyShop } from "#test/support/busy-shop.ts";
import { type ClosedList, closedLists, strangersIn, valuesIn } from "#test/support/closed-lists.ts";
import { startTestServer } from "#test/support/server.ts";

const LISTS = Object.keys(closedLists) as ClosedList[];

test("a shop's answers and events have values of every closed list, and each other value in their place is found", async () => {
  await using app = await startTestServer({ mayBreak: true });
  const shop = await busyShop(app);
  const answers: unknown[] = [];
  const ask = async (method: string, path: string, body?: unknown, key: string | null = shop.key) => {
    const answer = await app.send(method, `/api/v1${path}`, { key, ...(body === undefined ? {} : { body }) });
    answers.push(answer.body);
    return answer.body;
  };
  const header = { type: "HEADER", format: "IMAGE", example: { header_handle: ["https://example.com/a.png"] } };
  const components = [header, { type: "BODY", text: "Look." }];
  await app.template(shop, { name: "picture", language: "en_US", category: "MARKETING", components });
  await app.inbound(shop, "+919876540021", "Please stop sending me this");
  await app.inbound(shop, "+919876540012", "START");
  const to = ["+919876540009", "+919876540009", "12", "+919876540021", "+919876540022", "+919876540001"];
  const made = await ask("POST", "/broadcasts", { name: "Sale", template: "summer_sale", to });
  expect(made.data.skipped.map(({ reason }: { reason: string }) => reason)).toEqual([
    ...["duplicate", "invalid_number", "opted_out"],
  ]);
  const sendAt = new Date(app.clock.now() + 86_400_000).toISOString();
  const later = await ask("POST", "/broadcasts", { name: "Later", template: "summer_sale", to, send_at: sendAt });
  await app.clock.advance(30_000);
  await ask("POST", `/broadcasts/${later.data.id}/cancel`);
  await ask("POST", `/broadcasts/${later.data.id}/cancel`);
  await ask("PUT", "/contacts/+919876540021", { consent: "opted_in" });
  await ask("POST", "/contacts/+919876540022/opt-out");
  await ask("POST", "/messages", { to: "+919876540022", text: "Hello" });
  await ask("POST", "/messages", { to: "+919876540001", template: "order_shipped" });
  const soon = await ask("POST", "/messages", { to: "+919876540012", template: "order_shipped", send_at: sendAt });
  await ask("POST", `/messages/${soon.data.id}/cancel`);
  await ask("GET", "/me", undefined, null);
  for (const path of ["/contacts", "/opt-outs", "/templates", "/groups", "/broadcasts", "/messages", "/events"])
    await ask("GET", path);
  await ask("GET", `/broadcasts/${made.data.id}/recipients`);

  const values = valuesIn(answers);
  expect([...values.keys()].toSorted()).toEqual(LISTS.toSorted());
  expect(strangersIn(answers)).toEqual([]);
  // Whatever stands in a closed list's place is looked at: the same answers with another word in it.
  for (const list of LISTS) {
    const [value] = values.get(list) ?? [];
    const member = list.slice(list.indexOf(".") + 1);
    const other = JSON.stringify(answers).replaceAll(`"${member}":"${value}"`, `"${member}":"other_word"`);
    expect(strangersIn(JSON.parse(other))).toContain(`${list}: other_word`);
  }
});
