/**
 * STOP as people really write it: each form opts out, and the next marketing send is refused instead of recording an
 * opt-in.
 */
import { expect, test } from "bun:test";
import { fakeNetwork } from "#test/support/fake-network.ts";
import { reportInbound, type Written } from "#test/support/report.ts";
import { consentLogOf, contactOf, eventTypesOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { sale, summerSale } from "#test/support/templates.ts";

async function start() {
  const app = await startTestServer({ networks: { simulator: fakeNetwork() } });
  const shop = await app.workspace({ billing: { rate: 8_500, balance: 1_000_000 } });
  await app.template(shop, summerSale);
  return { app, shop };
}

const button = (text: string) => ({ content: { type: "button", button: { text, payload: "x" } } });
const edit = (message: object) => ({ content: { type: "edit", edit: { original_message_id: "w", message } } });
const reply = (kind: "button_reply" | "list_reply", title: string) => ({
  content: { type: "interactive", interactive: { type: kind, [kind]: { id: "1", title } } },
});

const stops: [name: string, written: Written][] = [
  ["in quotation marks", { text: "“STOP”" }],
  ["in Markdown", { text: "*_STOP_*" }],
  ["with an emoji", { text: "STOP 🛑🙏🏽" }],
  ["behind an invisible mark", { text: "\u200eSTOP\u200b" }],
  ["full-width", { text: "ＳＴＯＰ" }],
  ["in bold signs", { text: "𝐒𝐓𝐎𝐏" }],
  ["politely", { text: "Please STOP, por favor!" }],
  ["as UNSUBSCRIBE", { text: "Unsubscribe" }],
  ["as STOPALL", { text: "STOPALL" }],
  ["in the person's language", { text: "रोकें।" }],
  ["with the network's own button in another language", button("Detener promociones")],
  ["with a button reply", reply("button_reply", "🚫 Parar promoções")],
  ["with a list reply", reply("list_reply", "Stop")],
  ["as a caption", { content: { type: "image", image: { id: "1", caption: "Stop!!" } } }],
  ["as the caption of a file", { content: { type: "document", document: { filename: "a.pdf", caption: "STOP" } } }],
  ["by an edit of a text", edit({ type: "text", text: { body: "STOP" } })],
  ["by an edit of a caption", edit({ type: "image", image: { caption: "STOP" } })],
];

for (const [name, written] of stops) {
  test(`STOP ${name} opts out, and the next marketing send is refused`, async () => {
    const { app, shop } = await start();
    await using _ = app;
    await reportInbound(app, shop, written);
    const sent = await app.send("POST", "/api/v1/messages", { key: shop.key, body: sale() });
    expect([sent.status, sent.body.error?.code]).toEqual([422, "opted_out"]);
    expect(contactOf(app, "+919876543210").consent).toBe("opted_out");
    expect(consentLogOf(app).map(({ became, source }) => [became, source])).toEqual([["opted_out", "inbound_message"]]);
    expect(eventTypesOf(app, shop).filter((type) => !type.startsWith("media."))).toEqual([
      "contact.opted_out",
      "message.received",
    ]);
  });
}

const starts: [name: string, written: Written, consent: "opted_in" | "opted_out"][] = [
  ["START as a text lifts", { text: "*START*" }, "opted_in"],
  ["UNSTOP as a text lifts", { text: "Unstop" }, "opted_in"],
  ["SUBSCRIBE as a text lifts", { text: "subscribe please" }, "opted_in"],
  ["START on a button lifts nothing", button("START"), "opted_out"],
  ["START in a button reply lifts nothing", reply("button_reply", "Start"), "opted_out"],
  ["START in a list reply lifts nothing", reply("list_reply", "Start"), "opted_out"],
  ["START in a caption lifts nothing", { content: { type: "image", image: { caption: "START" } } }, "opted_out"],
  ["START by an edit lifts nothing", edit({ type: "text", text: { body: "START" } }), "opted_out"],
];

for (const [name, written, consent] of starts) {
  test(name, async () => {
    const { app, shop } = await start();
    await using _ = app;
    await reportInbound(app, shop, { text: "STOP" });
    await app.clock.advance(60_000);
    await reportInbound(app, shop, written);
    expect(contactOf(app, "+919876543210").consent).toBe(consent);
  });
}
