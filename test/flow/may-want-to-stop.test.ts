/**
 * A person who may want to stop: until a user or the person clears that up, no marketing is sent to them and nothing is
 * recorded as their consent.
 */
import { expect, test } from "bun:test";
import { clearDoubtOf } from "#src/domain/contacts/doubt.ts";
import { getWorkspace } from "#src/domain/workspaces/read.ts";
import { getContactOf, optOutOf, putContactOf } from "#test/support/contacts.ts";
import { accepted, fakeNetwork } from "#test/support/fake-network.ts";
import { reportInbound } from "#test/support/report.ts";
import { consentLogOf, contactOf, eventTypesOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { orderShipped, sale, shipped, summerSale } from "#test/support/templates.ts";

const ANNA = "+919876543210";

async function start() {
  const network = fakeNetwork();
  const app = await startTestServer({ networks: { simulator: network } });
  const shop = await app.workspace({});
  await app.template(shop, summerSale);
  await app.template(shop, orderShipped);
  const send = (body: object) => app.send("POST", "/api/v1/messages", { key: shop.key, body });
  const keep = () => app.store.write((tx) => clearDoubtOf(tx, getWorkspace(tx, shop.id), ANNA));
  return { app, shop, network, send, keep };
}

const nearMiss = "Please stop sending me this";

test("a near miss blocks marketing, is told once, and becomes no consent; a stated opt-in is recorded, and the doubt stays", async () => {
  const { app, shop, send } = await start();
  await using _ = app;
  const now = app.clock.now();
  await reportInbound(app, shop, { text: nearMiss });
  await app.clock.advance(5_000);
  await reportInbound(app, shop, { text: "I said stop it" });
  const sent = await send(sale());
  expect([sent.status, sent.body.error.code, Date.parse(sent.body.error.since)]).toEqual([422, "opted_out", now]);
  expect(sent.body.error.message).toContain("may mean that they want to stop");
  expect(consentLogOf(app)).toEqual([]);
  const put = await putContactOf(app, shop, ANNA, { consent: "opted_in", city: "Pune" });
  expect([put.status, put.body.data.city]).toEqual([200, "Pune"]);
  const { consent } = (await getContactOf(app, shop, ANNA)).body.data;
  expect([consent.status, consent.source, Date.parse(consent.may_want_to_stop_since)]).toEqual([
    "opted_in",
    "api",
    now,
  ]);
  expect((await send(sale())).status).toBe(422);
  expect(eventTypesOf(app, shop)).toEqual(["contact.may_want_to_stop", "message.received", "message.received"]);
});

test("PUT with may_want_to_stop: false ends the doubt, alone or beside an opt-in, and nothing else is accepted", async () => {
  const { app, shop, send } = await start();
  await using _ = app;
  await reportInbound(app, shop, { text: nearMiss });
  for (const wrong of [true, null, "no"]) {
    const refused = await putContactOf(app, shop, ANNA, { may_want_to_stop: wrong });
    expect([refused.status, Object.keys(refused.body.error.fields)]).toEqual([400, ["may_want_to_stop"]]);
  }
  await app.clock.advance(1_000);
  const before = (await getContactOf(app, shop, ANNA)).body.data;
  const ended = (await putContactOf(app, shop, ANNA, { may_want_to_stop: false })).body.data;
  expect([ended.consent.status, ended.consent.may_want_to_stop_since]).toEqual(["unknown", null]);
  expect(ended.updated_at > before.updated_at).toBe(true);
  await app.clock.advance(1_000);
  // There is no doubt any more, so nothing changes.
  expect((await putContactOf(app, shop, ANNA, { may_want_to_stop: false })).body.data).toEqual(ended);
  expect((await send(sale())).status).toBe(201);
  await reportInbound(app, shop, { text: nearMiss });
  const { consent } = (await putContactOf(app, shop, ANNA, { consent: "opted_in", may_want_to_stop: false })).body.data;
  expect([consent.status, consent.may_want_to_stop_since]).toEqual(["opted_in", null]);
});

test("an answer in text and a utility template still reach the person, and record no opt-in", async () => {
  const { app, shop, network, send } = await start();
  await using _ = app;
  await reportInbound(app, shop, { text: nearMiss });
  expect((await send(shipped())).status).toBe(201);
  expect((await send({ to: ANNA, text: "Do you want no more offers?" })).status).toBe(201);
  expect([network.sent.length, contactOf(app, ANNA).consent, consentLogOf(app)]).toEqual([2, "unknown", []]);
});

test("once a user keeps the person, marketing is sent again", async () => {
  const { app, shop, send, keep } = await start();
  await using _ = app;
  await reportInbound(app, shop, { text: nearMiss });
  await keep();
  expect((await getContactOf(app, shop, ANNA)).body.data.consent.may_want_to_stop_since).toBeNull();
  expect((await send(sale())).status).toBe(201);
  await reportInbound(app, shop, { text: nearMiss });
  expect((await send(sale())).status).toBe(422);
});

test("START ends the doubt without an event, and a doubt that the person raised later holds", async () => {
  const { app, shop, send } = await start();
  await using _ = app;
  await reportInbound(app, shop, { text: nearMiss });
  const raised = app.clock.now();
  await app.clock.advance(60_000);
  await reportInbound(app, shop, { text: "START", at: raised - 10_000 });
  expect((await send(sale())).status).toBe(422);
  await reportInbound(app, shop, { text: "START" });
  expect((await send(sale())).status).toBe(201);
  expect(eventTypesOf(app, shop)).not.toContain("contact.opted_in");
});

test("START that lifts an opt-out leaves the doubt that the person raised after it", async () => {
  const { app, shop, send } = await start();
  await using _ = app;
  await reportInbound(app, shop, { text: "STOP" });
  await app.clock.advance(60_000);
  await reportInbound(app, shop, { text: nearMiss });
  expect(contactOf(app, ANNA).mayWantToStopSince).toBeNull();
  await reportInbound(app, shop, { text: "START", at: app.clock.now() - 30_000 });
  expect(contactOf(app, ANNA).consent).toBe("opted_in");
  expect((await send(sale())).status).toBe(422);
});

test("an opt-out settles the doubt", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await reportInbound(app, shop, { text: nearMiss });
  await optOutOf(app, shop, ANNA);
  const { consent, mayWantToStopSince } = contactOf(app, ANNA);
  expect([consent, mayWantToStopSince]).toEqual(["opted_out", null]);
});

test("a broadcast skips the person, and its preview counts them, for a list and for a group", async () => {
  const { app, shop, network } = await start();
  await using _ = app;
  await putContactOf(app, shop, ANNA, { consent: "opted_in", add_to_groups: ["All"] });
  await putContactOf(app, shop, "+919876543211", { consent: "opted_in", add_to_groups: ["All"] });
  await reportInbound(app, shop, { text: nearMiss });
  const groups = await app.send("GET", "/api/v1/groups", { key: shop.key });
  const list = { name: "Sale", template: "summer_sale", to: [ANNA, "+919876543211"] };
  const group = { name: "Sale", template: "summer_sale", group: groups.body.data[0].id };
  for (const body of [list, group]) {
    const preview = await app.send("POST", "/api/v1/broadcasts/preview", { key: shop.key, body });
    expect([preview.status, preview.body.data.reached, preview.body.data.skipped.may_want_to_stop]).toEqual([
      200, 1, 1,
    ]);
    const created = await app.send("POST", "/api/v1/broadcasts", { key: shop.key, body });
    await app.clock.advance(30_000);
    const path = `/api/v1/broadcasts/${created.body.data.id}/recipients?status=skipped`;
    const skipped = await app.send("GET", path, { key: shop.key });
    if (body === group) expect(skipped.body.data[0]).toMatchObject({ to: ANNA, reason: "may want to stop" });
    else
      expect(created.body.data.skipped[0]).toMatchObject({ to: ANNA, reason: "opted_out", since: expect.any(String) });
  }
  expect(new Set(network.sent.map(({ to }) => to))).toEqual(new Set(["+919876543211"]));
});

test("a doubt that arises after a broadcast was built is seen before the message leaves", async () => {
  const { app, shop, network } = await start();
  await using _ = app;
  await putContactOf(app, shop, ANNA, { consent: "opted_in", add_to_groups: ["All"] });
  const groups = await app.send("GET", "/api/v1/groups", { key: shop.key });
  const sendAt = new Date(app.clock.now() + 600_000).toISOString();
  const body = { name: "Sale", template: "summer_sale", to: [ANNA], send_at: sendAt };
  expect(groups.status).toBe(200);
  await app.send("POST", "/api/v1/broadcasts", { key: shop.key, body });
  await reportInbound(app, shop, { text: nearMiss });
  await app.clock.advance(700_000);
  expect(network.sent).toEqual([]);
});

test("a linked contact shares the doubt, also when the link is found later", async () => {
  const { app, shop, network, send } = await start();
  await using _ = app;
  await putContactOf(app, shop, "+919876543299", {});
  await reportInbound(app, shop, { text: nearMiss });
  network.always((outbound) => accepted(outbound, { recipientId: "919876543210" }));
  expect((await send(shipped("+919876543299"))).status).toBe(201);
  expect((await send(sale("+919876543299"))).status).toBe(422);
});
