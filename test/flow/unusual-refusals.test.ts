/** Refusals that are no words, or that arrive damaged: reactions to marketing, and a STOP without a readable time. */
import { expect, test } from "bun:test";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import { fakeNetwork, networkIdOf } from "#test/support/fake-network.ts";
import { report, reportInbound } from "#test/support/report.ts";
import { contactOf, eventTypesOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { orderShipped, sale, shipped, summerSale } from "#test/support/templates.ts";

const ANNA = "+919876543210";

async function start() {
  const network = fakeNetwork();
  const app = await startTestServer({ networks: { simulator: network } });
  const shop = await app.workspace({ billing: { rate: 8_500, balance: 1_000_000 } });
  await app.template(shop, summerSale);
  await app.template(shop, orderShipped);
  const react = async (body: object, emoji: string) => {
    await app.send("POST", "/api/v1/messages", { key: shop.key, body });
    const last = network.sent.at(-1);
    const reaction = { message_id: last === undefined ? "" : networkIdOf(last), emoji };
    await reportInbound(app, shop, { content: { type: "reaction", reaction } });
  };
  return { app, shop, react };
}

for (const emoji of ["👎", "👎🏽", "🛑", "🚫"]) {
  test(`${emoji} below a message of marketing is a doubt, and marketing waits`, async () => {
    const { app, shop, react } = await start();
    await using _ = app;
    await react(sale(), emoji);
    const next = await app.send("POST", "/api/v1/messages", { key: shop.key, body: sale() });
    expect([next.status, next.body.error?.code]).toEqual([422, "opted_out"]);
    expect(contactOf(app, ANNA)).toMatchObject({ consent: "opted_in", mayWantToStopSince: expect.any(Number) });
    expect(eventTypesOf(app, shop)).toContain("contact.may_want_to_stop");
  });
}

test("👎 below a message about an order, and 👍 below marketing, change nothing", async () => {
  const { app, react } = await start();
  await using _ = app;
  await react(shipped(), "👎");
  await react(sale(), "👍");
  expect(contactOf(app, ANNA)).toMatchObject({ consent: "opted_in", mayWantToStopSince: null });
});

test("a STOP whose time cannot be read opts out when it arrives", async () => {
  const { app, shop } = await start();
  await using _ = app;
  for (const timestamp of ["1795000000000", undefined, "soon"]) {
    const contacts = [{ profile: { name: "Anna" }, wa_id: ANNA.slice(1) }];
    const message = { from: ANNA.slice(1), id: `wamid.${timestamp}`, timestamp, type: "text", text: { body: "STOP" } };
    await report(app, shop, { contacts, messages: [message] });
    expect(contactOf(app, ANNA)).toMatchObject({ consent: "opted_out", lastMessageAt: app.clock.now() });
    await app.clock.advance(1_000);
    await reportInbound(app, shop, { text: "START" });
    expect(contactOf(app, ANNA).consent).toBe("opted_in");
    await app.clock.advance(1_000);
  }
});

test("a phrase that the workspace taught opts out as the whole text, and is a doubt inside a longer one", async () => {
  await using app = await startTestServer({ networks: { simulator: fakeNetwork() } });
  const shop = await app.workspace({});
  await app.store.write((tx) => void updateWorkspace(tx, shop.id, { stopWords: ["pull the plug on this"] }));
  await reportInbound(app, shop, { text: "Pull the plug on this!" });
  await reportInbound(app, shop, { from: "919876500001", text: "when do you pull the plug on this" });
  expect(contactOf(app, ANNA).consent).toBe("opted_out");
  expect(contactOf(app, "+919876500001")).toMatchObject({
    consent: "unknown",
    mayWantToStopSince: expect.any(Number),
  });
});
