/**
 * The table of what people write, through the whole server: each row is one person, with what was sent to them before,
 * and afterwards the consent, the doubt and the events of that person.
 */
import { expect, test } from "bun:test";
import { fakeNetwork, networkIdOf } from "#test/support/fake-network.ts";
import { optOutInputs } from "#test/support/opt-out-inputs.ts";
import { reportInbound } from "#test/support/report.ts";
import { contactsOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { orderShipped, sale, shipped, summerSale } from "#test/support/templates.ts";

const code = {
  name: "code",
  language: "en_US",
  category: "AUTHENTICATION",
  components: [{ type: "BODY", text: "{{1}} is your code." }],
};

type Row = (typeof optOutInputs)[number];

function contentOf({ form, said }: Row): Record<string, unknown> {
  switch (form) {
    case "text":
      return { type: "text", text: { body: said } };
    case "caption":
      return { type: "image", image: { id: "1", caption: said } };
    case "edit":
      return { type: "edit", edit: { original_message_id: "w", message: { type: "text", text: { body: said } } } };
    case "button":
      return { type: "button", button: { text: said, payload: "x" } };
    case "payload":
      return { type: "button", button: { text: "Ok", payload: said } };
    default:
      return { type: "interactive", interactive: { type: form, [form]: { id: "1", title: said } } };
  }
}

test("every row of the table opts out, raises a doubt or changes nothing, as the table says", async () => {
  const network = fakeNetwork();
  await using app = await startTestServer({ networks: { simulator: network } });
  const shop = await app.workspace({});
  for (const template of [orderShipped, summerSale, code]) await app.template(shop, template);
  const before = {
    nothing: null,
    marketing: sale,
    utility: shipped,
    authentication: (to: string) => ({ to, template: code.name, variables: { body: ["1234"] } }),
    text: (to: string) => ({ to, text: "How can we help?" }),
  };
  const phoneOf = (index: number): string => `91987600${String(index).padStart(4, "0")}`;
  const written: Parameters<typeof reportInbound>[2][] = [];
  for (const [index, row] of optOutInputs.entries()) {
    const from = phoneOf(index);
    const answered = before[row.after];
    let context = {};
    if (answered !== null) {
      if (row.after === "text") await reportInbound(app, shop, { from, text: "Hello" });
      const sent = await app.send("POST", "/api/v1/messages", { key: shop.key, body: answered(`+${from}`) });
      expect([row.said, sent.status]).toEqual([row.said, 201]);
      const last = network.sent.at(-1);
      if (row.form !== "text" && last !== undefined) context = { context: { id: networkIdOf(last) } };
      await app.clock.advance(1_000);
    }
    written.push({ from, content: { ...contentOf(row), ...context } });
  }
  await reportInbound(app, shop, ...written);
  const contacts = new Map(contactsOf(app).map((contact) => [contact.phone, contact]));
  const wrong = optOutInputs.flatMap((row, index) => {
    const contact = contacts.get(`+${phoneOf(index)}`);
    const isDoubtful = contact?.mayWantToStopSince !== null;
    const meant = contact?.consent === "opted_out" ? "stop" : isDoubtful ? "doubt" : "none";
    return meant === row.meaning ? [] : [`${row.said} (${row.language}): ${meant}, not ${row.meaning}`];
  });
  expect(wrong).toEqual([]);
}, 120_000);
