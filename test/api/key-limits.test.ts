/** Limits of an API key: the group whose contacts it may message, and what its messages may cost on a day. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Problem } from "#src/core/problem.ts";
import { saveGroup } from "#src/domain/filters/save-group.ts";
import { addMember, findOrCreateStaticGroup, removeMember } from "#src/domain/groups/membership.ts";
import { requireUsableLimits } from "#src/domain/messages/key-limits.ts";
import { createKey, DEFAULT_LIMITS, type KeyLimits } from "#src/domain/workspaces/api-keys.ts";
import { fakeNetwork } from "#test/support/fake-network.ts";
import { contactOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

const RATE = 10_000;
const INSIDE = "+919876543210";
const OUTSIDE = "+919876543211";
const HOUR = 60 * 60_000;

let app: TestServer;
let shop: TestWorkspace;
let network: ReturnType<typeof fakeNetwork>;
let groupId: number;

beforeAll(async () => {
  network = fakeNetwork();
  app = await startTestServer({ networks: { simulator: network } });
  shop = await app.workspace({ billing: { rate: RATE, balance: 10_000_000 } });
  await app.template(shop, orderShipped);
  await app.inbound(shop, INSIDE, "Hello");
  await app.inbound(shop, OUTSIDE, "Hello");
  const { id } = contactOf(app, INSIDE);
  groupId = await app.store.write((tx) => {
    const group = findOrCreateStaticGroup(tx, shop.id, "Tests");
    addMember(tx, group.id, id);
    return group.id;
  });
});
afterAll(() => app[Symbol.asyncDispose]());

const keyWith = async (limits: Partial<KeyLimits>): Promise<string> =>
  (await app.store.write((tx) => createKey(tx, shop.id, "limited", { limits: { ...DEFAULT_LIMITS, ...limits } }))).key;
const post = (key: string, body: object) => app.send("POST", "/api/v1/messages", { key, body });
const broadcast = (key: string, more: object) =>
  app.send("POST", "/api/v1/broadcasts", {
    key,
    body: { name: "Parcels", template: "order_shipped", ...more },
  });
const later = (ms: number) => new Date(app.clock.now() + ms).toISOString();

test("a key with a group messages its contacts alone: others are 403, known or not, and nothing is stored", async () => {
  const key = await keyWith({ groupId });
  expect((await post(key, { to: INSIDE, text: "Hello." })).status).toBe(201);
  const before = network.sent.length;
  for (const to of [OUTSIDE, "+919876543299"]) {
    const { status, body } = await post(key, shipped(to));
    expect([status, body.error.code]).toEqual([403, "api_not_enabled"]);
    expect(body.error.message).toContain(`group ${groupId} alone`);
  }
  expect(network.sent).toHaveLength(before);
  expect((await post(key, { ...shipped(OUTSIDE), send_at: later(HOUR) })).status).toBe(403);
  expect((await broadcast(key, { to: [INSIDE, OUTSIDE] })).body.error).toMatchObject({ code: "api_not_enabled" });
  expect((await broadcast(key, { to: [INSIDE] })).status).toBe(202);
  const other = await app.store.write((tx) => findOrCreateStaticGroup(tx, shop.id, "Others").id);
  expect((await broadcast(key, { group: other })).status).toBe(403);
  expect((await broadcast(key, { group: groupId })).status).toBe(202);
});

test("membership is read when a scheduled message is due", async () => {
  const key = await keyWith({ groupId });
  const { id } = (await post(key, { ...shipped(INSIDE), send_at: later(HOUR) })).body.data;
  const contactId = contactOf(app, INSIDE).id;
  await app.store.write((tx) => removeMember(tx, groupId, contactId));
  await app.clock.advance(2 * HOUR);
  const shown = (await app.call("GET", `/api/v1/messages/${id}`, { key })).body.data;
  expect([shown.status, shown.error.whatsapp_code]).toEqual(["failed", "api_not_enabled"]);
  await app.store.write((tx) => addMember(tx, groupId, contactId));
});

test("a dynamic group is its filter at that moment", async () => {
  const made = await app.store.write(
    (tx) => saveGroup(tx, shop.id, { name: "From Pune", filter: { field: "city", is: "Pune" } }).id,
  );
  const key = await keyWith({ groupId: made });
  expect((await post(key, shipped(INSIDE))).status).toBe(403);
  await app.call("PUT", `/api/v1/contacts/${INSIDE}`, { key: shop.key, body: { city: "Pune" } });
  expect((await post(key, shipped(INSIDE))).status).toBe(201);
});

test("a key with money a day: parallel messages never exceed it, free ones cost nothing, and the next day has its own", async () => {
  const key = await keyWith({ dailyMoney: 3 * RATE });
  const answers = await Promise.all(Array.from({ length: 8 }, () => post(key, shipped(INSIDE))));
  const statuses = answers.map(({ status }) => status).toSorted();
  expect(statuses).toEqual([201, 201, 201, 429, 429, 429, 429, 429]);
  const refusal = answers.find(({ status }) => status === 429);
  expect(refusal?.body.error).toMatchObject({ code: "rate_limited", message: expect.stringContaining("0.03 a day") });
  const waitMs = Number(refusal?.headers.get("Retry-After")) * 1_000;
  expect(waitMs).toBeGreaterThan(0);
  expect(waitMs).toBeLessThanOrEqual(24 * HOUR);
  expect((await broadcast(key, { to: [INSIDE] })).status).toBe(429);
  expect((await broadcast(key, { group: groupId })).status).toBe(403);
  await app.clock.advance(waitMs + 1_000);
  expect((await broadcast(key, { to: [INSIDE, OUTSIDE] })).status).toBe(202);
  expect((await post(key, shipped(INSIDE))).status).toBe(201);
  expect((await post(key, shipped(INSIDE))).status).toBe(429);
  await app.inbound(shop, INSIDE, "Hello");
  expect((await post(key, { to: INSIDE, text: "Free." })).status).toBe(201);
});

test("a scheduled message that costs too much waits for the next day", async () => {
  const key = await keyWith({ dailyMoney: RATE });
  expect((await post(key, shipped(INSIDE))).status).toBe(201);
  const { id } = (await post(key, { ...shipped(OUTSIDE), send_at: later(60_000) })).body.data;
  await app.clock.advance(120_000);
  const shown = async () => (await app.call("GET", `/api/v1/messages/${id}`, { key })).body.data.status;
  expect(await shown()).toBe("scheduled");
});

test("a workspace without a rate gives no key with money, and a group must be there", async () => {
  const free = await app.workspace();
  const problems = (limits: Partial<KeyLimits>): string[] => {
    try {
      app.store.read((tx) => requireUsableLimits(tx, free, { ...DEFAULT_LIMITS, ...limits }));
      return [];
    } catch (error) {
      return error instanceof Problem ? Object.keys(error.details.fields ?? {}) : ["another error"];
    }
  };
  expect(problems({ dailyMoney: RATE })).toEqual(["money"]);
  expect(problems({ groupId })).toEqual(["group"]);
  expect(problems({})).toEqual([]);
});
