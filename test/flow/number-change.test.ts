/** People who change their number, and people who turn out to be a known contact: contacts, links, consent, window. */
import { expect, test } from "bun:test";
import { findPerson } from "#src/domain/erasure/person.ts";
import { getContactOf, optOutOf, putContactOf, reportControl, reportMove, walk } from "#test/support/contacts.ts";
import { erase } from "#test/support/erase.ts";
import { fakeNetwork } from "#test/support/fake-network.ts";
import { reportInbound } from "#test/support/report.ts";
import { contactOf, contactsOf, eventsOf, inboundsOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const [old, fresh] = ["+919876543210", "+919876500000"] as const;

async function start() {
  const app = await startTestServer({ networks: { simulator: fakeNetwork() } });
  return { app, shop: await app.workspace() };
}

const move = (app: TestServer, shop: TestWorkspace, id?: string) =>
  reportMove(app, shop, { from: old.slice(1), to: fresh.slice(1), ...(id === undefined ? {} : { id }) });

async function writeTo(app: TestServer, shop: TestWorkspace, to: string): Promise<string> {
  const { body } = await app.send("POST", "/api/v1/messages", { key: shop.key, body: { to, text: "Hello" } });
  return body.error?.code ?? body.data.to;
}

const listed = async (app: TestServer, shop: TestWorkspace) =>
  (await walk<{ phone: string }>(app, shop, "/api/v1/contacts")).rows.map(({ phone }) => phone);

test("a moved contact takes data, consent and window to the new number; the old number is a stranger's", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await putContactOf(app, shop, old, { name: "Asha", consent: "opted_in", add_tags: ["vip"] });
  await app.inbound(shop, old, "Hi");
  const before = (await getContactOf(app, shop, old)).body.data;
  await app.clock.advance(60_000);
  await move(app, shop);
  const { phone: _phone, updated_at: movedAt, ...rest } = (await getContactOf(app, shop, fresh)).body.data;
  expect(before).toMatchObject(rest);
  expect(movedAt > before.updated_at).toBe(true);
  expect((await getContactOf(app, shop, old)).status).toBe(404);
  expect(await listed(app, shop)).toEqual([fresh]);
  expect([await writeTo(app, shop, fresh), await writeTo(app, shop, old)]).toEqual([fresh, "window_closed"]);
  await app.inbound(shop, old, "This is a new person");
  expect(contactOf(app, old)).toMatchObject({ consent: "unknown", name: null, identityId: null });
});

test("a move is told as a message of its own, with both numbers; a repeated notice is not", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await app.inbound(shop, old, "Hi");
  await move(app, shop, "wamid.moved");
  await move(app, shop, "wamid.moved");
  const received = eventsOf(app, shop).filter(({ type }) => type === "message.received");
  expect(received).toHaveLength(2);
  expect(received[1]?.data).toMatchObject({
    message: { from: fresh, type: "system", text: null, details: { number_change: { from: old, to: fresh } } },
    contact: { phone: fresh },
  });
});

const asked = async (app: TestServer, shop: TestWorkspace, phone: string) => {
  const { status, body } = await getContactOf(app, shop, phone);
  return [status, body.error?.moved_to ?? null];
};
const DAY_MS = 86_400_000;

test("for 30 days the old number answers GET alone with the new one: 404 with moved_to", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await putContactOf(app, shop, old, { name: "Asha" });
  expect(await asked(app, shop, old)).toEqual([200, null]);
  await move(app, shop);
  for (const input of [old, old.slice(1), "098765 43210"]) expect(await asked(app, shop, input)).toEqual([404, fresh]);
  const { body } = await getContactOf(app, shop, old);
  expect(body.error).toMatchObject({ code: "not_found", message: expect.stringContaining(fresh) });
  expect(await asked(app, await app.workspace(), old)).toEqual([404, null]);
  expect(await asked(app, shop, "+919876543299")).toEqual([404, null]);
  // They move on.
  await reportMove(app, shop, { from: fresh.slice(1), to: "919876500001" });
  expect(await asked(app, shop, old)).toEqual([404, "+919876500001"]);
  expect(await asked(app, shop, fresh)).toEqual([404, "+919876500001"]);
  app.clock.setWall(30 * DAY_MS - 60_000);
  expect(await asked(app, shop, old)).toEqual([404, "+919876500001"]);
  app.clock.setWall(60_000);
  expect(await asked(app, shop, old)).toEqual([404, null]);
});

test("moved_to ends when another contact has the old number, also once that contact is erased", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await putContactOf(app, shop, old, { name: "Asha" });
  await move(app, shop);
  await app.inbound(shop, old, "This is a new person");
  expect(await asked(app, shop, old)).toEqual([200, null]);
  const contact = contactOf(app, old);
  await app.store.write((tx) => erase(tx, contact));
  expect(await asked(app, shop, old)).toEqual([404, null]);
});

test("a PUT for the old number makes a new contact, and a send to it goes to a stranger", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await app.inbound(shop, old, "Hi");
  await move(app, shop);
  expect(await writeTo(app, shop, old)).toBe("window_closed");
  expect(await asked(app, shop, old)).toEqual([404, fresh]);
  expect((await putContactOf(app, shop, old, { name: "Bo" })).status).toBe(201);
  expect((await getContactOf(app, shop, old)).body.data).toMatchObject({ name: "Bo", consent: { status: "unknown" } });
  expect((await getContactOf(app, shop, fresh)).status).toBe(200);
});

test("an erasure of the person who moved takes moved_to along, and no row names the old number", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await putContactOf(app, shop, old, { name: "Asha" });
  await move(app, shop);
  const contact = contactOf(app, fresh);
  await app.store.write((tx) => {
    const person = findPerson(tx, contact);
    expect(person.names.map(({ text }) => text)).toContain(old.slice(1));
    erase(tx, contact);
  });
  expect(await asked(app, shop, old)).toEqual([404, null]);
  expect(app.store.client.prepare("SELECT * FROM former_phones").all()).toEqual([]);
});

test("an opt-out moves with its contact, and does not apply to the next owner of the old number", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await app.inbound(shop, old, "STOP");
  await move(app, shop);
  expect(await writeTo(app, shop, fresh)).toBe("opted_out");
  await app.inbound(shop, old, "Hello");
  expect(await writeTo(app, shop, old)).toBe(old);
});

test("a repeated move notice moves no contact twice, even if the old number has a new owner", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await app.inbound(shop, old, "Hi");
  await move(app, shop, "wamid.moved");
  await app.inbound(shop, old, "This is a new person");
  await move(app, shop, "wamid.moved");
  expect(contactsOf(app).map(({ phone, identityId }) => [phone, identityId])).toEqual([
    [fresh, null],
    [old, null],
  ]);
});

test("a move to a number that is a contact already: the old contact is no longer listed, and an opt-out of either holds", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await app.inbound(shop, old, "STOP");
  await app.inbound(shop, fresh, "Hi");
  await move(app, shop);
  expect(await listed(app, shop)).toEqual([fresh]);
  expect(new Set(contactsOf(app).map(({ identityId }) => identityId)).size).toBe(1);
  expect(await writeTo(app, shop, fresh)).toBe("opted_out");
  expect(await asked(app, shop, old)).toEqual([404, fresh]);
  await app.clock.advance(60_000);
  await app.inbound(shop, fresh, "START");
  expect(contactsOf(app).map(({ consent }) => consent)).toEqual(["opted_in", "opted_in"]);
});

test("a stranger's move creates no contact, and a move opens no window", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await move(app, shop);
  expect(contactsOf(app)).toEqual([]);
  await putContactOf(app, shop, old, { name: "Asha" });
  await move(app, shop);
  expect(await writeTo(app, shop, fresh)).toBe("window_closed");
});

const variants = [
  ["BR", "+5511987654321", "551187654321"],
  ["MX", "+525512345678", "5215512345678"],
  ["AR", "+541143456789", "5491143456789"],
] as const;

for (const [country, stored, other] of variants) {
  test(`${country}: a move told in the other variant moves the contact, and neither variant of the old number leads to it any more`, async () => {
    const { app } = await start();
    await using _ = app;
    const shop = await app.workspace({ country });
    await app.inbound(shop, stored, "STOP");
    await app.inbound(shop, other, "Hello");
    await reportMove(app, shop, { from: other, to: fresh.slice(1) });
    expect(contactOf(app, fresh).consent).toBe("opted_out");
    for (const gone of [stored, `+${other}`, other]) expect((await getContactOf(app, shop, gone)).status).toBe(404);
  });
}

test("a START that is older than a linked contact's STOP, and arrives after the link, lifts neither opt-out", async () => {
  const { app, shop } = await start();
  await using _ = app;
  const now = app.clock.now();
  await optOutOf(app, shop, fresh);
  await reportInbound(app, shop, { text: "STOP", at: now, userId: "IN.asha" });
  await reportInbound(app, shop, { from: fresh.slice(1), text: "It is me", userId: "IN.asha" });
  await reportInbound(app, shop, { from: fresh.slice(1), text: "START", at: now - 60_000 });
  expect(contactsOf(app).map(({ consent }) => consent)).toEqual(["opted_out", "opted_out"]);
});

test("the marketing preference that refused for one contact does not lift another refusal of a linked contact", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await optOutOf(app, shop, fresh);
  await reportControl(app, shop, { value: "stop", waId: old.slice(1) });
  await reportInbound(app, shop, { userId: "IN.asha" });
  await reportInbound(app, shop, { from: fresh.slice(1), userId: "IN.asha" });
  await app.clock.advance(60_000);
  await reportControl(app, shop, { value: "resume", waId: old.slice(1) });
  expect(contactsOf(app).map(({ consent }) => consent)).toEqual(["opted_out", "opted_out"]);
});

test("a refusal by any linked contact after the marketing preference keeps the preference from lifting any of them", async () => {
  for (const refused of [old, fresh]) {
    const { app, shop } = await start();
    await using _ = app;
    await reportInbound(app, shop, { userId: "IN.asha" }, { from: fresh.slice(1), text: "Hello" });
    await reportControl(app, shop, { value: "stop", waId: old.slice(1) });
    await reportInbound(app, shop, { from: fresh.slice(1), userId: "IN.asha" });
    expect(contactsOf(app).map(({ consent }) => consent)).toEqual(["opted_out", "opted_out"]);
    await optOutOf(app, shop, refused);
    await app.clock.advance(60_000);
    for (const pressed of [old, fresh]) await reportControl(app, shop, { value: "resume", waId: pressed.slice(1) });
    expect(contactsOf(app).map(({ consent }) => consent)).toEqual(["opted_out", "opted_out"]);
  }
});

test("valid items among malformed ones, out of order and delivered again, are each applied exactly once", async () => {
  const { app, shop } = await start();
  await using _ = app;
  const now = app.clock.now();
  const later = { id: "wamid.b", text: "later", at: now };
  const earlier = { id: "wamid.a", text: "earlier", at: now - 60_000 };
  const broken = { id: "wamid.x", from: null };
  await reportInbound(app, shop, later, broken, earlier);
  await reportInbound(app, shop, earlier, broken, later, later);
  expect(inboundsOf(app).map(({ text }) => text)).toEqual(["later", "earlier"]);
  expect(contactOf(app, old).lastMessageAt).toBe(Math.floor(now / 1_000) * 1_000);
});
