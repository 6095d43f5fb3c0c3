/** A workspace with several webhook addresses: what each receives, and that none delays another. */
import { expect, test } from "bun:test";
import type { Config } from "#src/config/config.ts";
import type { Tx } from "#src/db/transaction.ts";
import { clearWebhook, setWebhook } from "#src/domain/webhooks/address.ts";
import type { EventType } from "#src/domain/webhooks/event-types.ts";
import { addWebhook, removeWebhook, updateWebhook } from "#src/domain/webhooks/further.ts";
import { sendTestEvent } from "#src/domain/webhooks/publish.ts";
import { replayDelivery, replayFailedSince } from "#src/domain/webhooks/replay.ts";
import { FIRST_WEBHOOK } from "#src/domain/webhooks/table.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import {
  boxOf,
  deliveries,
  HOUR,
  type Hook,
  isGenuine,
  jobCount,
  MINUTE,
  never,
  SECOND,
  startHook,
} from "#test/support/webhooks.ts";

const PERSON = "+442079460200";
const once: Partial<Config["webhooks"]> = { allowHttp: true, allowPrivate: true, jitter: 0, retryAfterMs: [HOUR] };

/** Returns the id and the secret. */
async function add(app: TestServer, shop: TestWorkspace, url: string, types: EventType[] | null = null) {
  const { webhook, secret } = await app.store.write((tx) =>
    addWebhook(tx, boxOf(app), shop.id, { url, types, keyId: null }),
  );
  return { id: webhook.id, secret };
}

/** Sets the first address for these types alone. */
function narrow(app: TestServer, shop: TestWorkspace, url: string, types: EventType[]) {
  return app.store.write((tx) => setWebhook(tx, boxOf(app), shop.id, url, { types }));
}

const typesOf = (hook: Hook): string[] => hook.hits.map(({ event }) => event.type);
const update = (app: TestServer, shop: TestWorkspace, id: number, changes: Parameters<typeof updateWebhook>[3]) =>
  app.store.write((tx) => updateWebhook(tx, shop.id, id, changes));

test("each address gets the types that it asked for, signed with its own secret, from its creation on", async () => {
  await using app = await startTestServer();
  await using first = startHook(app.clock);
  await using crm = startHook(app.clock);
  const shop = await app.workspace();
  const secret = await app.webhook(shop, first.url);
  await app.inbound(shop, PERSON, "before");
  await app.clock.advance(SECOND);
  const second = await add(app, shop, crm.url, ["message.received", "contact.updated"]);
  expect([second.id, second.secret === secret]).toEqual([expect.any(Number), false]);
  expect(second.id).toBeGreaterThan(1);
  await app.inbound(shop, PERSON, "after");
  await app.send("POST", "/api/v1/messages", { key: shop.key, body: { to: PERSON, text: "Hello" } });
  await app.clock.advance(2 * MINUTE);

  expect(typesOf(first).toSorted()).toEqual([
    ...["message.delivered", "message.read", "message.received", "message.received", "message.sent"],
  ]);
  expect(new Set(typesOf(crm))).toEqual(new Set(["message.received", "contact.updated"]));
  expect(
    crm.hits.filter(({ event }) => event.type === "message.received").map(({ event }) => event.data.message.text),
  ).toEqual(["after"]);
  for (const hit of crm.hits)
    expect([await isGenuine(hit, second.secret, hit.at), await isGenuine(hit, secret, hit.at)]).toEqual([true, false]);
  // The same event has one id and one body, wherever it goes.
  const after = crm.hits.find(({ event }) => event.type === "message.received");
  expect(first.hits.map(({ body }) => body)).toContain(after?.body ?? "");
});

test("with one dead address and one slow one, the others get everything at once", async () => {
  await using app = await startTestServer({ config: { webhooks: once } });
  await using dead = startHook(app.clock, never);
  await using slow = startHook(app.clock, never);
  await using well = startHook(app.clock);
  const shop = await app.workspace();
  await app.webhook(shop, dead.url);
  await add(app, shop, slow.url);
  await add(app, shop, well.url);
  for (let count = 0; count < 30; count++) await app.inbound(shop, PERSON, `message ${count}`);
  // Not one of their time limits has passed.
  await app.clock.rest();
  expect(well.hits.length).toBe(30);
  expect(dead.open + slow.open).toBeLessThanOrEqual(6);
  expect([dead.open, slow.open].every((open) => open >= 2 && open <= 4)).toBe(true);
});

test("two addresses have four attempts in flight each, and one alone has all eight", async () => {
  await using app = await startTestServer({ config: { webhooks: once } });
  await using one = startHook(app.clock, never);
  await using two = startHook(app.clock, never);
  const shop = await app.workspace();
  await app.webhook(shop, one.url);
  const further = await add(app, shop, two.url);
  for (let count = 0; count < 12; count++) await app.inbound(shop, PERSON, `message ${count}`);
  await app.clock.rest();
  expect([one.open, two.open]).toEqual([4, 4]);
  await app.store.write((tx) => removeWebhook(tx, shop.id, further.id));
  await app.clock.advance(10 * SECOND);
  expect(one.open).toBe(8);
});

test("the time-outs of one address leave another of the same workspace its attempts", async () => {
  await using app = await startTestServer({ config: { webhooks: once } });
  await using dead = startHook(app.clock, never);
  await using other = startHook(app.clock, never);
  const shop = await app.workspace();
  await narrow(app, shop, other.url, []);
  const { id } = await add(app, shop, dead.url);
  await app.store.write((tx) => {
    for (let count = 0; count < 60; count++) sendTestEvent(tx, shop.id, id);
  });
  await app.clock.advance(60 * SECOND);
  expect(dead.open).toBe(1);
  await app.store.write((tx) => {
    for (let count = 0; count < 8; count++) sendTestEvent(tx, shop.id);
  });
  await app.clock.rest();
  expect([dead.open, other.open]).toEqual([1, 4]);
  dead.answer = () => new Response("awake");
  await app.clock.advance(10 * SECOND);
  dead.answer = never;
  await app.clock.advance(SECOND);
  expect(dead.hits.length).toBeGreaterThan(30);
});

test("a disabled address receives nothing, keeps what failed, and gets it by a replay once it is active", async () => {
  await using app = await startTestServer({ config: { webhooks: once } });
  await using first = startHook(app.clock);
  await using crm = startHook(app.clock, () => new Response(null, { status: 500 }));
  const shop = await app.workspace();
  await narrow(app, shop, first.url, ["message.failed"]);
  const { id } = await add(app, shop, crm.url, ["message.received"]);
  const since = app.clock.now();
  await app.inbound(shop, PERSON, "waits");
  await app.clock.rest();
  await update(app, shop, id, { state: "disabled" });
  expect(deliveries(app, shop).map(({ status, webhookId }) => [status, webhookId])).toEqual([["exhausted", id]]);
  expect(jobCount(app)).toBe(0);
  await app.inbound(shop, PERSON, "missed");
  await app.clock.advance(2 * HOUR);
  expect(crm.hits.length).toBe(1);
  const [waiting] = deliveries(app, shop);
  const replayed = app.store.write((tx) => replayDelivery(tx, waiting?.id ?? 0));
  expect(replayed).rejects.toThrow(`The webhook address ${id} is disabled.`);

  crm.answer = () => new Response("thanks");
  await update(app, shop, id, { state: "active" });
  await app.clock.advance(HOUR);
  expect(crm.hits.length).toBe(1);
  // Both the delivery that failed and the event that made none; nothing that the first address did not ask for.
  expect((await app.store.write((tx) => replayFailedSince(tx, shop.id, since))).length).toBe(2);
  await app.clock.rest();
  expect(crm.hits.slice(1).map(({ event }) => event.data.message.text)).toEqual(["waits", "missed"]);
  expect(first.hits).toEqual([]);
});

test("a removed address gets nothing more, and its deliveries say so", async () => {
  await using app = await startTestServer({ config: { webhooks: once } });
  await using first = startHook(app.clock);
  await using crm = startHook(app.clock, () => new Response(null, { status: 500 }));
  const shop = await app.workspace();
  await narrow(app, shop, first.url, ["message.failed"]);
  const { id } = await add(app, shop, crm.url);
  await app.inbound(shop, PERSON, "waits");
  await app.clock.rest();
  expect(await app.store.write((tx) => removeWebhook(tx, shop.id, id))).toMatchObject({ exhausted: 1 });
  await app.inbound(shop, PERSON, "later");
  await app.clock.advance(2 * HOUR);
  expect([crm.hits.length, jobCount(app)]).toEqual([1, 0]);
  const [ended] = deliveries(app, shop);
  expect(ended).toMatchObject({ status: "exhausted", webhookId: id });
  const replayed = app.store.write((tx) => replayDelivery(tx, ended?.id ?? 0));
  expect(replayed).rejects.toThrow("was removed");
  expect(app.store.write((tx) => removeWebhook(tx, shop.id, id))).rejects.toThrow("webhook address");
  // Its id is never given again.
  expect((await add(app, shop, crm.url)).id).toBeGreaterThan(id);
});

const statusesOf = (app: TestServer, shop: TestWorkspace): Record<string, number> =>
  Object.fromEntries(
    app.store.client
      .prepare("SELECT status, count(*) FROM deliveries WHERE workspace_id = ? GROUP BY status")
      .raw()
      .all(shop.id) as [string, number][],
  );

for (const [how, end] of [
  ["removed", (tx, shop, id) => removeWebhook(tx, shop, id)],
  ["cleared", (tx, shop) => clearWebhook(tx, shop)],
  ["disabled", (tx, shop, id) => updateWebhook(tx, shop, id, { state: "disabled" })],
] satisfies [string, (tx: Tx, shop: number, id: number) => object][]) {
  test(`deliveries to an address that is ${how} end in slices, between which others write`, async () => {
    await using app = await startTestServer({ config: { webhooks: once } });
    await using dead = startHook(app.clock, () => new Response(null, { status: 500 }));
    const shop = await app.workspace();
    if (how === "cleared") await app.webhook(shop, dead.url);
    const id = how === "cleared" ? FIRST_WEBHOOK : (await add(app, shop, dead.url)).id;
    const waiting = 450;
    await app.store.write((tx) => {
      for (let sent = 0; sent < waiting; sent++) sendTestEvent(tx, shop.id, id);
    });
    await app.clock.rest();
    expect([dead.hits.length, statusesOf(app, shop)]).toEqual([waiting, { pending: waiting }]);

    const ended = await app.store.write((tx) => end(tx, shop.id, id));
    if (how !== "disabled") expect(ended).toMatchObject({ exhausted: waiting });
    expect(statusesOf(app, shop)).toEqual({ exhausted: 100, pending: waiting - 100 });
    await app.clock.rest();
    expect([statusesOf(app, shop), jobCount(app)]).toEqual([{ exhausted: waiting }, 0]);
    await app.clock.advance(2 * HOUR);
    expect(dead.hits.length).toBe(waiting);
  });
}

test("a changed address takes over what is waiting", async () => {
  await using app = await startTestServer({ config: { webhooks: once } });
  await using first = startHook(app.clock);
  await using old = startHook(app.clock, () => new Response(null, { status: 500 }));
  await using fresh = startHook(app.clock);
  const shop = await app.workspace();
  await app.webhook(shop, first.url);
  const { id } = await add(app, shop, old.url, ["message.received"]);
  await app.inbound(shop, PERSON, "waits");
  await app.clock.rest();
  await update(app, shop, id, { url: fresh.url });
  await app.clock.advance(HOUR);
  expect([old.hits.length, typesOf(fresh)]).toEqual([1, ["message.received"]]);
});

test("a workspace has at most ten addresses; the first that is added where there is none is the first one", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace();
  const ids = [];
  for (let count = 0; count < 10; count++) ids.push((await add(app, shop, `https://shop.example/${count}`)).id);
  expect(ids[0]).toBe(1);
  expect(add(app, shop, "https://shop.example/11")).rejects.toThrow();
  await app.store.write((tx) => removeWebhook(tx, shop.id, 1));
  expect((await add(app, shop, "https://shop.example/11")).id).toBe(1);
  expect(app.webhook(shop, "https://shop.example/first")).resolves.toMatch(/^whsec_/);
  expect(add(app, shop, "https://shop.example/12")).rejects.toThrow();
});

test("a replay makes deliveries only of the types that an address asks for", async () => {
  await using app = await startTestServer();
  await using hook = startHook(app.clock);
  const shop = await app.workspace();
  await narrow(app, shop, hook.url, ["message.failed"]);
  const since = app.clock.now();
  await app.inbound(shop, PERSON, "hello");
  // The test of another address is none of this one's events.
  const { id } = await add(app, shop, hook.url, ["message.failed"]);
  await app.store.write((tx) => sendTestEvent(tx, shop.id, id));
  await app.clock.rest();
  hook.hits.length = 0;
  expect(await app.store.write((tx) => replayFailedSince(tx, shop.id, since))).toEqual([]);
  await app.clock.rest();
  expect(hook.hits).toEqual([]);
});
