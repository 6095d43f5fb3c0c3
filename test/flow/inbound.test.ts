/** Inbound messages: contacts, the text window, repeated deliveries, user ids, opt-out words. */
import { expect, test } from "bun:test";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import { fakeNetwork } from "#test/support/fake-network.ts";
import { inboundItem, report, reportInbound } from "#test/support/report.ts";
import {
  consentLogOf,
  contactOf,
  contactsOf,
  eventsOf,
  eventTypesOf,
  inboundsOf,
  required,
} from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const asha = "+919876543210";
const DAY = 24 * 60 * 60_000;

async function start(country?: string) {
  const app = await startTestServer({ networks: { simulator: fakeNetwork() } });
  const shop = await app.workspace(country === undefined ? {} : { country });
  return { app, shop };
}

function text(app: TestServer, shop: TestWorkspace, to = asha) {
  return app.send("POST", "/api/v1/messages", { key: shop.key, body: { to, text: "Your table is ready." } });
}

test("a stranger who writes becomes a contact without consent, and the customer gets one event with the message and the contact", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await reportInbound(app, shop, { from: "919876543210", name: "Asha", text: "Hello" });
  expect(contactOf(app, asha)).toMatchObject({ consent: "unknown", name: "Asha" });
  expect(consentLogOf(app)).toEqual([]);
  expect(eventsOf(app, shop)).toMatchObject([
    {
      type: "message.received",
      data: {
        message: { id: 1, from: asha, type: "text", text: "Hello", received_at: "2026-11-21T13:30:01+05:30" },
        contact: {
          phone: asha,
          name: "Asha",
          consent: {
            status: "unknown",
            source: null,
            at: null,
            purpose: null,
            notice: null,
            may_want_to_stop_since: null,
          },
        },
      },
    },
  ]);
});

test("the text window opens with an inbound message and closes exactly 24 hours after it", async () => {
  const { app, shop } = await start();
  await using _ = app;
  expect((await text(app, shop)).body.error.code).toBe("window_closed");
  await app.inbound(shop, asha, "Hi");
  const openedAt = app.clock.now();
  expect((await text(app, shop)).status).toBe(201);
  await app.clock.pass(openedAt + DAY - 5 - app.clock.now());
  expect((await text(app, shop)).status).toBe(201);
  await app.clock.advance(openedAt + DAY - app.clock.now());
  const late = await text(app, shop);
  expect([late.status, late.body.error.code]).toEqual([422, "window_closed"]);
});

test("the text window belongs to the workspace: an inbound message to another workspace does not open it", async () => {
  const { app, shop } = await start();
  await using _ = app;
  const other = await app.workspace({ number: "+911244002200" });
  await app.inbound(other, asha, "Hi");
  expect((await text(app, shop)).body.error.code).toBe("window_closed");
});

test("an inbound message of the past opens the window from its own time, and an older one never moves the window back", async () => {
  const { app, shop } = await start();
  await using _ = app;
  const now = app.clock.now();
  await app.inbound(shop, asha, "newer", now - 60_000);
  await app.inbound(shop, asha, "older", now - 3_600_000);
  expect(contactOf(app, asha).lastMessageAt).toBe(now - 60_000);
  expect(inboundsOf(app).map(({ receivedAt }) => receivedAt)).toEqual([now - 60_000, now - 3_600_000]);
});

test("an inbound message with a time in the future counts as received now", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await app.inbound(shop, asha, "Hi", app.clock.now() + 3_600_000);
  expect(contactOf(app, asha).lastMessageAt).toBe(app.clock.now());
  expect(inboundsOf(app)[0]?.receivedAt).toBe(app.clock.now());
});

test("a STOP dated in the future does not outlast a START that comes later", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await app.inbound(shop, asha, "STOP", app.clock.now() + 3_600_000);
  await app.clock.advance(60_000);
  await app.inbound(shop, asha, "START");
  expect(contactOf(app, asha).consent).toBe("opted_in");
});

test("a reaction opens the window, a status or a system notice does not", async () => {
  const { app, shop } = await start();
  await using _ = app;
  const system = { type: "system", system: { type: "user_changed_user_id", body: "x" } };
  await report(app, shop, { messages: [inboundItem({ content: system }, app.clock.now())] });
  expect((await text(app, shop)).body.error.code).toBe("window_closed");
  await reportInbound(app, shop, { content: { type: "reaction", reaction: { message_id: "wamid.x", emoji: "👍" } } });
  expect((await text(app, shop)).status).toBe(201);
});

test("an inbound message delivered twice, in one body, in two bodies or a day apart, is stored once", async () => {
  const { app, shop } = await start();
  await using _ = app;
  const once = { id: "wamid.same", text: "Hello" };
  await reportInbound(app, shop, once, once);
  await app.clock.pass(DAY + 3_600_000);
  await reportInbound(app, shop, once);
  expect(inboundsOf(app)).toHaveLength(1);
  expect(eventTypesOf(app, shop)).toEqual(["message.received"]);
}, 30_000);

test("a STOP that is delivered again after a START does not opt out again", async () => {
  const { app, shop } = await start();
  await using _ = app;
  const stop = { id: "wamid.stop", text: "STOP", at: app.clock.now() };
  await reportInbound(app, shop, stop);
  await app.clock.advance(60_000);
  await reportInbound(app, shop, { text: "START" });
  await reportInbound(app, shop, stop);
  expect(contactOf(app, asha).consent).toBe("opted_in");
});

test("one malformed item of a callback does not drop the others", async () => {
  const { app, shop } = await start();
  await using _ = app;
  const now = app.clock.now();
  await report(app, shop, {
    messages: [
      inboundItem({ from: "919876500001", text: "first" }, now),
      { id: "wamid.2", timestamp: "1795248000", type: "text" },
      "no object at all",
      { ...inboundItem({ from: "919876500003" }, now), type: undefined },
      inboundItem({ from: "919876500004", text: "last" }, now),
    ],
    statuses: [{ status: "sent" }],
  });
  expect(inboundsOf(app).map((inbound) => inbound.text)).toEqual(["first", "last"]);
  expect(contactsOf(app).map(({ phone }) => phone)).toEqual(["+919876500001", "+919876500004"]);
});

test("an inbound message to a number that is not on this server is skipped, and the next body is applied", async () => {
  const { app, shop } = await start();
  await using _ = app;
  const foreign = { metadata: { phone_number_id: "999" }, messages: [inboundItem({ text: "lost" }, app.clock.now())] };
  await report(app, shop, foreign);
  await reportInbound(app, shop, { text: "found" });
  expect(inboundsOf(app).map((inbound) => inbound.text)).toEqual(["found"]);
});

const variants: [country: string, code: string, stored: string, network: string][] = [
  ["Brazil", "BR", "+5511987654321", "551187654321"],
  ["Mexico", "MX", "+525512345678", "5215512345678"],
  ["Argentina", "AR", "+541123456789", "5491123456789"],
];

for (const [country, code, stored, network] of variants) {
  test(`in ${country} the network's other variant leads to the stored contact, whose number stays as it was stored`, async () => {
    const { app, shop } = await start(code);
    await using _ = app;
    await reportInbound(app, shop, { from: stored.slice(1), text: "one" });
    await reportInbound(app, shop, { from: network, text: "two" });
    await reportInbound(app, shop, { from: stored.slice(1), text: "three" });
    expect(contactsOf(app).map(({ phone }) => phone)).toEqual([stored]);
    expect(eventsOf(app, shop).map(({ data }) => data.message.from)).toEqual([stored, stored, stored]);
    for (const to of [stored, `+${network}`, network]) expect((await text(app, shop, to)).body.data?.to).toBe(stored);
  });

  test(`in ${country} a contact that the network named first keeps that number, and the other variant leads to it`, async () => {
    const { app, shop } = await start(code);
    await using _ = app;
    await reportInbound(app, shop, { from: network });
    await reportInbound(app, shop, { from: stored.slice(1) });
    expect(contactsOf(app).map(({ phone }) => phone)).toEqual([`+${network}`]);
    expect((await text(app, shop, stored)).body.data?.to).toBe(`+${network}`);
  });
}

test("a contact known only by the network's user id is stored under it, and its event has neither from nor phone", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await reportInbound(app, shop, { from: null, userId: "IN.abc123", text: "Hello" });
  await reportInbound(app, shop, { from: null, userId: "IN.abc123", text: "Again" });
  expect(contactsOf(app).map(({ phone, networkUserId }) => [phone, networkUserId])).toEqual([[null, "IN.abc123"]]);
  const { data } = required(eventsOf(app, shop)[0], "nothing was told");
  expect(data.message).toMatchObject({ from: null, text: "Hello" });
  expect(data.contact).toMatchObject({ phone: null, user_id: "IN.abc123", username: null });
});

test("a contact known by user id gets its phone number when the number appears, and stays one contact", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await reportInbound(app, shop, { from: null, userId: "IN.abc123" });
  await reportInbound(app, shop, { from: "919876543210", userId: "IN.abc123", text: "Now with a number" });
  expect(contactsOf(app)).toHaveLength(1);
  expect(contactOf(app, asha).networkUserId).toBe("IN.abc123");
  expect(eventsOf(app, shop).at(-1)?.data.message.from).toBe(asha);
  await reportInbound(app, shop, { from: null, userId: "IN.abc123", text: "By id again" });
  expect(eventsOf(app, shop).at(-1)?.data.message.from).toBe(asha);
});

test("when a contact known by user id turns out to be a known contact, both stay, are linked, and share an opt-out", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await reportInbound(app, shop, { from: "919876543210", text: "Hi" });
  await reportInbound(app, shop, { from: null, userId: "IN.abc123", text: "STOP" });
  expect(contactOf(app, asha).consent).toBe("unknown");
  await reportInbound(app, shop, { from: "919876543210", userId: "IN.abc123", text: "It is me" });
  expect(contactsOf(app).map(({ consent, consentSource }) => [consent, consentSource])).toEqual([
    ["opted_out", "inbound_message"],
    ["opted_out", "inbound_message"],
  ]);
  expect(new Set(contactsOf(app).map(({ identityId }) => identityId)).size).toBe(1);
  expect((await text(app, shop)).body.error.code).toBe("opted_out");
});

test("a workspace's own words opt out and in, in addition to the built-in ones", async () => {
  const { app, shop } = await start();
  await using _ = app;
  await app.store.write(
    (tx) => void updateWorkspace(tx, shop.id, { stopWords: ["Basta", "नहीं"], startWords: ["Volver"] }),
  );
  const said: [string, string][] = [
    ["BASTA!", "opted_out"],
    ["volver", "opted_in"],
    ["नहीं।", "opted_out"],
    ["Start.", "opted_in"],
    ["Stop promotions", "opted_out"],
  ];
  for (const [word, consent] of said) {
    await app.clock.advance(1_000);
    await app.inbound(shop, asha, word);
    expect([word, contactOf(app, asha).consent]).toEqual([word, consent]);
  }
  expect(eventTypesOf(app, shop).filter((type) => type !== "message.received")).toEqual([
    "contact.opted_out",
    "contact.opted_in",
    "contact.opted_out",
    "contact.opted_in",
    "contact.opted_out",
  ]);
});

test("a caption and the title of a button or of a list reply opt out, a longer sentence does not", async () => {
  const { app, shop } = await start();
  await using _ = app;
  const contents: [Record<string, unknown>, string][] = [
    [{ type: "text", text: { body: "Please stop by later" } }, "unknown"],
    [{ type: "image", image: { id: "1", caption: "STOP" } }, "opted_out"],
    [{ type: "text", text: { body: "Start" } }, "opted_in"],
    [{ type: "button", button: { text: "Stop promotions", payload: "x" } }, "opted_out"],
    [{ type: "text", text: { body: "Start" } }, "opted_in"],
    [
      { type: "interactive", interactive: { type: "button_reply", button_reply: { id: "1", title: "STOP" } } },
      "opted_out",
    ],
  ];
  for (const [content, consent] of contents) {
    await app.clock.advance(1_000);
    await reportInbound(app, shop, { content });
    expect(contactOf(app, asha).consent).toBe(consent as "unknown");
  }
  expect(inboundsOf(app)).toHaveLength(6);
});
