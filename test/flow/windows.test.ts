/** What opens the 24-hour window beside a person's message, what closes it, and who is told. */
import { describe, expect, test } from "bun:test";
import { getNumber } from "#src/domain/numbers/read.ts";
import { readTypes, setWebhook } from "#src/domain/webhooks/address.ts";
import { firstOperator, person } from "#test/support/console.ts";
import { fakeNetwork, networkIdOf, refused } from "#test/support/fake-network.ts";
import { report, reportInbound, reportStatus } from "#test/support/report.ts";
import { contactOf, eventsOf, eventTypesOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { boxOf } from "#test/support/webhooks.ts";

const ANNA = "+919876543210";
const HOUR_MS = 60 * 60 * 1000;

const seconds = (ms: number): string => String(Math.floor(ms / 1000));

async function start(options: Parameters<typeof startTestServer>[0] = {}) {
  const app = await startTestServer(options);
  const shop = await app.workspace({});
  const contact = async () => (await app.call("GET", `/api/v1/contacts/${ANNA}`, { key: shop.key })).body.data;
  const send = async () =>
    (await app.call("POST", "/api/v1/messages", { key: shop.key, body: { to: ANNA, text: "Hello" } })).body.error?.code;
  return { app, shop, contact, send, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

/** A call rings, and ends a minute later unless it is not over. */
function call(
  app: TestServer,
  shop: TestWorkspace,
  more: { id?: string; answered?: boolean; event?: string; own?: boolean; agoMs?: number } = {},
) {
  const { id = "wacid.1", answered = false, event = "terminate", own = false, agoMs = 0 } = more;
  const at = seconds(app.clock.now() - agoMs);
  const item = {
    ...{ id, event, timestamp: at, direction: own ? "BUSINESS_INITIATED" : "USER_INITIATED" },
    ...(own ? { to: ANNA.slice(1) } : { from: ANNA.slice(1) }),
    ...(event === "terminate" ? { status: answered ? "COMPLETED" : "FAILED" } : {}),
  };
  return report(app, shop, { calls: [item] }, "calls");
}

interface Handover {
  type?: string;
  to?: string;
  /** What the person wrote, and how long ago. */
  said?: { text: string; agoMs?: number };
}

function handover(
  app: TestServer,
  shop: TestWorkspace,
  { type = "control_passed", to = "escalation", said }: Handover = {},
) {
  const { phoneNumberId } = app.store.read((tx) => getNumber(tx, shop.numberId));
  const now = app.clock.now();
  const items = said === undefined ? [] : [said];
  const history = items.map(({ text, agoMs }) => ({
    ...{ from: ANNA.slice(1), type: "text", text: { body: text } },
    ...(agoMs === undefined ? {} : { timestamp: seconds(now - agoMs) }),
  }));
  const value = {
    recipient: { display_phone_number: shop.number?.slice(1), phone_number_id: phoneNumberId },
    sender: { phone_number: ANNA.slice(1) },
    ...{ timestamp: seconds(now), type },
    [type]: {
      ...{ previous_owner_role: "ai_agent", new_owner_role: to },
      ...(said === undefined ? {} : { conversation_context: { type: "history", history: { items: history } } }),
    },
  };
  return report(app, shop, value, "messaging_handovers");
}

describe("what opens the window", () => {
  const openers: [name: string, open: (app: TestServer, shop: TestWorkspace) => Promise<void>][] = [
    ["a call without an answer", (app, shop) => call(app, shop)],
    ["a call that was answered", (app, shop) => call(app, shop, { answered: true })],
    ["a call that still rings", (app, shop) => call(app, shop, { event: "connect" })],
    ["a handover to us", (app, shop) => handover(app, shop)],
    ["a handover to us with words", (app, shop) => handover(app, shop, { said: { text: "A refund", agoMs: HOUR_MS } })],
  ];
  for (const [name, open] of openers) {
    test(`${name}: for 24 hours, without a message and without message.received`, async () => {
      await using world = await start();
      const { app, shop } = world;
      expect(await world.send()).toBe("window_closed");
      const openedAt = app.clock.now();
      await open(app, shop);
      const { last_message_from_them_at: wroteAt, window_ends_at: endsAt } = await world.contact();
      expect([wroteAt, Date.parse(endsAt)]).toEqual([null, Math.floor(openedAt / 1000) * 1000 + 24 * HOUR_MS]);
      expect(await world.send()).toBeUndefined();
      expect(eventTypesOf(app, shop)).not.toContain("message.received");
      await app.clock.pass(24 * HOUR_MS);
      expect(await world.send()).toBe("window_closed");
      expect((await world.contact()).window_ends_at).toBe(endsAt);
    });
  }

  test("contact.updated tells of it, and a repeat changes nothing", async () => {
    await using world = await start();
    const { app, shop } = world;
    const types = readTypes("contact.updated");
    await app.store.write((tx) => setWebhook(tx, boxOf(app), shop.id, "https://hooks.example/waxwing", { types }));
    await app.call("PUT", `/api/v1/contacts/${ANNA}`, { key: shop.key, body: { name: "Anna" } });
    await app.clock.advance(2 * HOUR_MS);
    await call(app, shop, { event: "connect" });
    await app.clock.advance(2 * HOUR_MS);
    const told = () => eventsOf(app, shop).filter(({ type }) => type === "contact.updated").length;
    expect(told()).toBe(2);
    const before = await world.contact();
    await call(app, shop, { id: "wacid.2", event: "connect", own: true });
    await call(app, shop, { event: "connect", agoMs: 2 * HOUR_MS });
    expect(await world.contact()).toEqual(before);
    expect(told()).toBe(2);
    await handover(app, shop, { type: "control_taken" });
    await handover(app, shop, { to: "ai_agent" });
    await handover(app, shop, { said: { text: "Hello", agoMs: 25 * HOUR_MS } });
    expect((await world.contact()).window_ends_at).toBe(before.window_ends_at);
  });

  test("a message keeps its own time, and the later of both decides", async () => {
    await using world = await start();
    const { app, shop } = world;
    await call(app, shop);
    await app.clock.advance(HOUR_MS);
    await reportInbound(app, shop, { text: "Hello" });
    const { last_message_from_them_at: wroteAt, window_ends_at: endsAt } = await world.contact();
    expect(Date.parse(endsAt) - Date.parse(wroteAt)).toBe(24 * HOUR_MS);
    await app.clock.advance(HOUR_MS);
    await call(app, shop, { id: "wacid.2" });
    const later = await world.contact();
    expect(later.last_message_from_them_at).toBe(wroteAt);
    expect(Date.parse(later.window_ends_at) - Date.parse(wroteAt)).toBe(25 * HOUR_MS);
  });

  test("the inbox lists the person among the open ones, with the end of the window", async () => {
    await using world = await start();
    const { app, shop } = world;
    await reportInbound(app, shop, { text: "Hello" });
    await app.clock.pass(48 * HOUR_MS);
    await firstOperator(app);
    const member = await person(app, "member@example.com", "member", shop.id);
    const open = async () => (await member.get(`/w/${shop.id}/inbox?show=open`)).body.data;
    expect(await open()).toEqual([]);
    await handover(app, shop);
    expect((await open()).map(({ window_ends_at }: { window_ends_at: string }) => window_ends_at)).toEqual([
      (await world.contact()).window_ends_at,
    ]);
  });
});

describe("what closes the window", () => {
  test("131047 as the answer, until the person writes again", async () => {
    const network = fakeNetwork();
    await using world = await start({ networks: { simulator: network } });
    const { app, shop } = world;
    await reportInbound(app, shop, { text: "Hello" });
    await app.clock.advance(HOUR_MS);
    network.next(refused("131047"));
    expect(await world.send()).toBe("window_closed");
    const { window_ends_at: endsAt, last_message_from_them_at: wroteAt } = await world.contact();
    expect(Date.parse(endsAt) - Date.parse(wroteAt)).toBe(HOUR_MS);
    const sent = network.sent.length;
    const { body } = await app.call("POST", "/api/v1/messages", { key: shop.key, body: { to: ANNA, text: "Hello" } });
    expect([body.error.code, network.sent.length]).toEqual(["window_closed", sent]);
    expect(body.error.message).toBe(
      "WhatsApp refused a message to this person because 24 hours have passed, so only a template can be sent.",
    );
    await app.clock.advance(HOUR_MS);
    await reportInbound(app, shop, { text: "Still there?" });
    expect(Date.parse((await world.contact()).window_ends_at)).toBeGreaterThan(app.clock.now());
  });

  test("131047 as a status, unless the person wrote after the message had left", async () => {
    const network = fakeNetwork();
    await using world = await start({ networks: { simulator: network } });
    const { app, shop } = world;
    await reportInbound(app, shop, { text: "Hello" });
    const refuse = async (isAnswered: boolean) => {
      await app.clock.advance(HOUR_MS);
      expect(await world.send()).toBeUndefined();
      const id = networkIdOf(network.sent.at(-1) ?? { sendToken: "" });
      await app.clock.advance(60_000);
      if (isAnswered) await reportInbound(app, shop, { text: "Me again" });
      await reportStatus(app, shop, { id, status: "failed", code: 131047 });
      return Date.parse((await world.contact()).window_ends_at) > app.clock.now();
    };
    expect(await refuse(true)).toBe(true);
    expect(await refuse(false)).toBe(false);
    expect(contactOf(app, ANNA).windowClosedAt).not.toBeNull();
  });
});
