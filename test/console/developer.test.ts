/**
 * The developer's screens: webhook, test event, deliveries and replay, custom fields; every change has an audit entry.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { auditEntries, firstOperator, person, type Visitor } from "#test/support/console.ts";
import { type Receiver, startReceiver } from "#test/support/receiver.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
let owner: Visitor;
let receiver: Receiver;
let base: string;

beforeAll(async () => {
  app = await startTestServer();
  await firstOperator(app);
  shop = await app.workspace();
  owner = await person(app, "owner@example.com", "owner", shop.id);
  receiver = startReceiver();
  base = `/w/${shop.id}`;
});
afterAll(async () => {
  await app[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
});

test("a webhook address can be set, its secret revealed and rotated; the audit log names each reveal and holds no secret", async () => {
  expect((await owner.get(`${base}/webhook`)).body.data).toMatchObject({ url: null, has_secret: false });
  expect((await owner.post(`${base}/webhook/test`)).status).toBe(404);
  const wrong = await owner.ask("PUT", `${base}/webhook`, { url: "ftp://example.com" });
  expect([wrong.status, Object.keys(wrong.body.error.fields)]).toEqual([400, ["url"]]);
  await owner.ask("PUT", `${base}/webhook`, { url: receiver.url }, { key: "address" });
  const { secret } = (await owner.post(`${base}/webhook/reveal`)).body.data;
  const rotated = await owner.post(`${base}/webhooks/1/rotate-secret`, {}, { key: "rotate" });
  const again = await owner.post(`${base}/webhooks/1/rotate-secret`, {}, { key: "rotate" });
  expect(rotated.body.data.secret).toMatch(/^whsec_/);
  expect(rotated.body.data.secret).not.toBe(secret);
  expect(again.body.data.secret).toBeNull();
  expect((await owner.post(`${base}/webhook/reveal`)).body.data.secret).toBe(rotated.body.data.secret);
  const log = JSON.stringify((await owner.get(`${base}/audit`)).body.data);
  expect(log).toContain("webhook.reveal-secret");
  expect(log).toContain("owner@example.com");
  expect(log).not.toContain("whsec_");
  const kept = app.store.client.prepare("SELECT body FROM form_answers").pluck().all().join("\n");
  expect(kept).not.toContain("whsec_");
});

test("a key is created with scopes, an expiry and people a day, which the list and the audit log show", async () => {
  const limits = { scopes: ["contacts", "read"], expires: "30 days", daily_people: 100 };
  const made = (await owner.post(`${base}/keys`, { name: "Sync", ...limits })).body.data;
  const shown = {
    name: "Sync",
    scopes: ["read", "contacts"],
    is_of_first_version: false,
    daily_people: 100,
    expires_at: expect.any(String),
  };
  expect(made).toMatchObject(shown);
  expect((await owner.get(`${base}/keys`)).body.data).toContainEqual(expect.objectContaining(shown));
  const entries: { action: string; subject: string }[] = (await owner.get(`${base}/audit`)).body.data;
  const entry = entries.find(({ action, subject }) => action === "key.create" && subject === "Sync");
  expect(entry).toMatchObject({ details: { prefix: made.prefix, scopes: ["read", "contacts"], daily_people: 100 } });
  const wrong = await owner.post(`${base}/keys`, { name: "Sync", scopes: [], expires: "then", daily_people: 0.5 });
  expect(Object.keys(wrong.body.error.fields)).toEqual(["scopes", "expires", "daily_people"]);
});

test("a test event that one form sends twice is delivered once, and the receiver's answer can be read", async () => {
  const asked = await owner.post(`${base}/webhook/test`, {}, { key: "test" });
  const again = await owner.post(`${base}/webhook/test`, {}, { key: "test" });
  expect(again.text).toBe(asked.text);
  await app.clock.advance(10);
  expect(receiver.types()).toEqual(["webhook.test"]);
  const { data } = (await owner.get(`${base}/deliveries/${asked.body.data.delivery_id}`)).body;
  expect(data).toMatchObject({ status: "delivered", attempts: [{ status_code: 200, response: "thanks" }] });
});

test("deliveries are filtered by status and type, and a replay sends exactly the counted failures or nothing", async () => {
  receiver.respond = () => new Response("broken", { status: 500 });
  const started = app.clock.now();
  for (let count = 0; count < 3; count++) await owner.post(`${base}/webhook/test`);
  await app.clock.advance(10);
  await owner.ask("DELETE", `${base}/webhook`);
  await owner.ask("PUT", `${base}/webhook`, { url: receiver.url });
  const list = async (query: string) => (await owner.get(`${base}/deliveries${query}`)).body.data;
  expect((await list("?status=exhausted")).length).toBe(3);
  expect((await list("?status=delivered&type=webhook.test")).length).toBe(1);
  expect(await list("?type=message.sent")).toEqual([]);
  expect((await owner.get(`${base}/deliveries?status=lost`)).status).toBe(400);

  const since = new Date(started).toISOString();
  const counted = (await owner.get(`${base}/deliveries/failed?since=${since}`)).body.data.count;
  expect(counted).toBe(3);
  const refused = await owner.post(`${base}/deliveries/replay`, { since, count: 2 });
  expect([refused.status, refused.body.error.code]).toEqual([409, "changed"]);
  expect((await list("?status=exhausted")).length).toBe(3);
  receiver.respond = () => new Response("thanks");
  expect((await owner.post(`${base}/deliveries/replay`, { since, count: 3 })).body.data).toEqual({ replayed: 3 });
  await app.clock.advance(10);
  expect((await list("?status=delivered")).length).toBe(4);
});

test("an invalid custom field is refused at its input, and removing a field deletes its values", async () => {
  const tier = { key: "tier", label: "Tier", kind: "choice", choices: ["gold", "silver"] };
  expect((await owner.post(`${base}/fields`, tier)).status).toBe(201);
  expect((await owner.post(`${base}/fields`, tier)).body.error.fields).toEqual({
    key: ["There is already a field tier."],
  });
  await owner.ask("PUT", `${base}/contacts/919876543210`, { fields: { tier: "gold" } });
  expect((await owner.ask("DELETE", `${base}/fields/tier`)).status).toBe(200);
  expect((await owner.get(`${base}/fields`)).body.data).toEqual([]);
  expect((await owner.get(`${base}/contacts/919876543210`)).body.data.fields).toEqual({});
  expect(auditEntries(app).filter(({ action }) => action === "field.remove").length).toBe(1);
});
