/** What people send arrives whole: every member that the network gives, and answers of a form whatever they are. */
import { expect, test } from "bun:test";
import { fakeNetwork } from "#test/support/fake-network.ts";
import { GraphMedia } from "#test/support/graph-media.ts";
import { report, reportInbound } from "#test/support/report.ts";
import { contactOf, eventsOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { startWhatsapp } from "#test/support/whatsapp.ts";

const PERSON = "+919876543210";
const [FORMER, PRESENT, PARENT] = ["IN.13491208655302741918", "IN.13491208655302741919", "IN.ENT.11815799212886844830"];

async function start(): Promise<{ app: TestServer; shop: TestWorkspace } & AsyncDisposable> {
  const app = await startTestServer({ networks: { simulator: fakeNetwork() } });
  return { app, shop: await app.workspace(), [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** What the person wrote, as the last event shows it. */
async function receive({ app, shop }: { app: TestServer; shop: TestWorkspace }, content: Record<string, unknown>) {
  await reportInbound(app, shop, { content });
  // biome-ignore lint/suspicious/noExplicitAny: details are looked into member by member; a wrong one fails the assertion.
  return eventsOf(app, shop).findLast(({ type }) => type === "message.received")?.data.message as any;
}

const form = (response: unknown) => ({
  type: "interactive",
  interactive: { type: "nfm_reply", nfm_reply: { name: "flow", body: "Sent", response_json: response } },
});

test("a voice message and an animated sticker say what they are", async () => {
  await using world = await start();
  const audio = { id: "1", mime_type: "audio/ogg; codecs=opus", sha256: "c2hh", voice: true };
  expect((await receive(world, { type: "audio", audio })).details.media).toMatchObject({ voice: true });
  const file = { ...audio, voice: false };
  expect((await receive(world, { type: "audio", audio: file })).details.media).not.toHaveProperty("voice");
  const sticker = { id: "2", mime_type: "image/webp", sha256: "c2hh", animated: true };
  expect((await receive(world, { type: "sticker", sticker })).details.media).toMatchObject({ animated: true });
});

test("an order names its catalog, and each item's currency where there are several", async () => {
  await using world = await start();
  const item = { product_retailer_id: "blue-1", quantity: 2, item_price: 12.5, currency: "EUR" };
  const order = { catalog_id: "1784", text: "Please wrap it", product_items: [item] };
  expect((await receive(world, { type: "order", order })).details.order).toEqual({
    catalog_id: "1784",
    items: [{ product: "blue-1", quantity: 2, price: 12.5 }],
    ...{ currency: "EUR", total: 25 },
  });
  const mixed = { ...order, product_items: [item, { ...item, currency: "USD" }] };
  const { items, currency, total } = (await receive(world, { type: "order", order: mixed })).details.order;
  expect([items.map((one: { currency: string }) => one.currency), currency, total]).toEqual([
    ["EUR", "USD"],
    null,
    null,
  ]);
});

test("a referral has every member of the advertisement", async () => {
  await using world = await start();
  const referral = {
    ...{ source_url: "https://fb.me/3cr4Wqqkv", source_id: "120226305854810726", source_type: "ad" },
    ...{ headline: "Chat with us", body: "Fresh flowers", media_type: "video", video_url: "https://cdn.example/v.mp4" },
    ...{ thumbnail_url: "https://cdn.example/t.jpg", ctwa_clid: "Aff-n8Z", welcome_message: { text: "Hello there" } },
  };
  const { details } = await receive(world, { type: "text", text: { body: "Hi" }, referral });
  expect(details.referral).toEqual({
    ...{ source: "https://fb.me/3cr4Wqqkv", source_type: "ad", source_id: "120226305854810726" },
    ...{ headline: "Chat with us", body: "Fresh flowers", click_id: "Aff-n8Z", media_type: "video" },
    ...{ media_url: "https://cdn.example/v.mp4", thumbnail_url: "https://cdn.example/t.jpg", welcome: "Hello there" },
  });
});

test("a contact card is shown whole, as the network writes it", async () => {
  await using world = await start();
  const card = {
    name: { formatted_name: "Dr. Bert Tal", first_name: "Bert", last_name: "Tal", prefix: "Dr." },
    org: { company: "Tal & Sons", department: "Sales", title: "Head" },
    birthday: "1980-02-29",
    addresses: [{ street: "Pariser Platz 1", city: "Berlin", country_code: "de", type: "WORK" }],
    phones: [{ phone: "+49 30 1234567", type: "WORK", wa_id: "49301234567" }],
    emails: [{ email: "bert@example.com", type: "WORK" }],
    urls: [{ url: "https://tal.example", type: "WORK" }],
  };
  const { details } = await receive(world, { type: "contacts", contacts: [card] });
  expect(details.contacts).toEqual([
    {
      ...{ name: "Dr. Bert Tal", company: "Tal & Sons", phones: ["+49 30 1234567"], emails: ["bert@example.com"] },
      card,
    },
  ]);
  const huge = { ...card, vcard: "x".repeat(20_000) };
  expect((await receive(world, { type: "contacts", contacts: [huge] })).details.contacts[0].card).toBeNull();
});

test("the answers of a form are kept as they came: an object, a list, no JSON, or too many to keep", async () => {
  await using world = await start();
  const shown = async (response: unknown) => (await receive(world, form(response))).details.form;
  expect(await shown('{"people":"2"}')).toEqual({ name: "flow", values: { people: "2" } });
  expect(await shown("[1,2]")).toEqual({ name: "flow", values: null, text: "[1,2]" });
  expect(await shown("{people: 2")).toEqual({ name: "flow", values: null, text: "{people: 2" });
  expect(await shown({ people: 2 })).toEqual({ name: "flow", values: { people: 2 } });
  expect(await shown(undefined)).toEqual({ name: "flow", values: null });
  const long = JSON.stringify({ note: "n".repeat(70_000) });
  const cut = await shown(long);
  expect([cut.text.length, cut.text, cut.is_cut]).toEqual([65_536, long.slice(0, 65_536), true]);
});

test("files that were uploaded in a form are fetched like any, each under its own id", async () => {
  const media = new GraphMedia();
  await using whatsapp = await startWhatsapp({ graph: { media } });
  const { app, graph, clock, workspace } = whatsapp;
  const [first, second] = ["one", "two"].map((words) => ({
    ...media.add(`file${words}`, "application/pdf", Buffer.from(`%PDF-1.4 ${words}`)),
    file_name: `${words}.pdf`,
  }));
  const response = JSON.stringify({ name: "Asha", papers: [first, second] });
  const sent = { from: "4915112345678", id: "wamid.form", timestamp: String(Math.floor(clock.now() / 1000)) };
  expect(await whatsapp.hear(graph.inbound({ ...sent, ...form(response) }))).toBe(200);
  await clock.rest();
  await clock.advance(5_000);
  await clock.rest();
  const events = eventsOf(app, workspace);
  // biome-ignore lint/suspicious/noExplicitAny: details are looked into member by member; a wrong one fails the assertion.
  const message = events.find(({ type }) => type === "message.received")?.data.message as any;
  const { details } = message;
  expect(details.media).toBeUndefined();
  const { files } = details.form;
  expect(files.map(({ filename }: { filename: string }) => filename)).toEqual(["one.pdf", "two.pdf"]);
  const stored = events.filter(({ type }) => type === "media.stored");
  expect(stored.map(({ data }) => (data.media as { id: number }).id).toSorted()).toEqual(
    files.map(({ id }: { id: number }) => id).toSorted(),
  );
  const got = await app.call("GET", `/api/v1/media/${files[1].id}`, { key: workspace.key });
  expect([got.status, got.text]).toEqual([200, "%PDF-1.4 two"]);
});

test("a new user id that comes on a field of its own moves the contact, once", async () => {
  await using world = await start();
  const { app, shop } = world;
  await reportInbound(app, shop, { from: PERSON.slice(1), userId: FORMER, text: "Hello" });
  const update = {
    ...{ wa_id: PERSON.slice(1), detail: "The user id was updated", timestamp: Math.floor(app.clock.now() / 1000) },
    user_id: { previous: FORMER, current: PRESENT },
    parent_user_id: { previous: PARENT, current: PARENT },
  };
  const value = { contacts: [{ wa_id: PERSON.slice(1), user_id: PRESENT }], user_id_update: [update] };
  await report(app, shop, value, "user_id_update");
  await report(app, shop, value, "user_id_update");
  const system = { type: "user_changed_user_id", user_id: PRESENT, previous_user_id: FORMER };
  await reportInbound(app, shop, { from: PERSON.slice(1), content: { type: "system", system } });
  expect(contactOf(app, PERSON).networkUserId).toBe(PRESENT ?? "");
  const received = eventsOf(app, shop).filter(({ type }) => type === "message.received");
  expect(received).toHaveLength(2);
  expect(received[1]?.data.message).toMatchObject({
    ...{ type: "system", from: PERSON },
    details: { number_change: { from: FORMER, to: PRESENT } },
  });
});

test("a message without an id, or whose time cannot be read, is received once, at the time of its arrival", async () => {
  await using world = await start();
  const { app, shop } = world;
  await app.clock.advance(60_000);
  const now = new Date(app.clock.now());
  const message = (more: object) => ({ from: PERSON.slice(1), type: "text", text: { body: "STOP" }, ...more });
  const times = [String(now.getTime()), now.toISOString(), undefined, 0, "soon"];
  for (const [index, timestamp] of times.entries()) {
    const unreadable = message({ id: `wamid.${index}`, timestamp });
    await report(app, shop, { messages: [unreadable] });
    await report(app, shop, { messages: [unreadable] });
  }
  const seconds = String(Math.floor(app.clock.now() / 1000));
  for (const id of [undefined, "x".repeat(3_000)]) {
    await report(app, shop, { messages: [message({ id, timestamp: seconds })] });
    await report(app, shop, { messages: [message({ id, timestamp: seconds })] });
  }
  const received = eventsOf(app, shop).filter(({ type }) => type === "message.received");
  expect(received).toHaveLength(times.length + 2);
  for (const { data } of received) {
    const at = Date.parse((data.message as { received_at: string }).received_at);
    expect(Math.abs(at - app.clock.now())).toBeLessThan(1_000);
  }
  expect(contactOf(app, PERSON).consent).toBe("opted_out");
});

test("a status whose time cannot be read counts when it arrives", async () => {
  await using world = await start();
  const { app, shop } = world;
  await reportInbound(app, shop, { text: "Hello" });
  const body = { to: PERSON, text: "Hello" };
  const { data } = (await app.send("POST", "/api/v1/messages", { key: shop.key, body })).body;
  const id = app.store.client.prepare("SELECT network_message_id FROM messages WHERE id = ?").pluck().get(data.id);
  await report(app, shop, { statuses: [{ id, status: "delivered", timestamp: "yesterday", recipient_id: PERSON }] });
  const shown = (await app.call("GET", `/api/v1/messages/${data.id}`, { key: shop.key })).body.data;
  expect([shown.status, Date.parse(shown.delivered_at) <= app.clock.now()]).toEqual(["delivered", true]);
});
