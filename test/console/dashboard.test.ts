/** The counts of today on the dashboard, and the inbox's list of people who wait for an answer. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { indexContacts } from "#test/support/indexers.ts";
import { fillBucket, template } from "#test/support/scenarios.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

let app: TestServer;
let shop: TestWorkspace;
let member: Visitor;
let base: string;

beforeAll(async () => {
  app = await startTestServer();
  shop = await app.workspace();
  await firstOperator(app);
  member = await person(app, "member@example.com", "member", shop.id);
  base = `/w/${shop.id}`;
  await app.template(shop, template("hello", [{ type: "BODY", text: "Hello." }]));
});
afterAll(() => app[Symbol.asyncDispose]());

const send = async (to: string, body: Record<string, unknown> = { template: "hello" }) => {
  await fillBucket(app, shop);
  const { status } = await app.clock.until(member.post(`${base}/messages`, { to, ...body }));
  return status;
};
const today = async () => (await member.get(`${base}/today`)).body.data;
const waiting = async () => {
  const { data } = (await member.get(`${base}/inbox?show=waiting`)).body;
  return data.map(({ phone }: { phone: string }) => phone);
};

test("the dashboard counts what was sent and received today, single messages and broadcasts separately", async () => {
  // Sent yesterday, by the workspace's timezone.
  await send("+919876500100");
  await app.inbound(shop, "+919876500100", "Yesterday");
  await member.post(`${base}/broadcasts`, { name: "Yesterday", template: "hello", to: ["+919876500101"] });
  await app.clock.advance(26 * 3_600_000);
  await member.signIn("member@example.com");
  const none = { sent: 0, delivered: 0, read: 0, failed: 0, unknown: 0 };
  expect(await today()).toMatchObject({
    single: none,
    broadcast: { begun: 0, ...none },
    received: { messages: 0, people: 0 },
  });

  await send("+919876500110");
  await send("+919876500002");
  await send("+919876500004");
  await app.inbound(shop, "+919876500100", "Hi");
  await app.inbound(shop, "+919876500100", "Anybody there?");
  await member.post(`${base}/broadcasts`, {
    name: "Today",
    template: "hello",
    to: ["+919876500120", "+919876510002", "+919876500008"],
  });
  await app.clock.advance(12 * 60_000);
  const counters = await today();
  expect(counters).toMatchObject({
    single: { sent: 2, delivered: 1, read: 1, failed: 1, unknown: 0 },
    broadcast: { begun: 1, sent: 1, delivered: 1, read: 1, failed: 1, unknown: 1 },
    received: { messages: 2, people: 1 },
  });
  const failed = (await member.get(`${base}/messages?status=failed&day=today`)).body.data;
  expect(failed.length).toBe(counters.single.failed);
  expect((await member.get(`${base}/messages?day=today`)).body.data.length).toBe(3);
  expect((await member.get(`${base}/messages`)).body.data.length).toBe(4);
  expect((await member.get(`${base}/messages?day=monday`)).status).toBe(400);
});

test("a person waits from their message until an answer is sent that does not fail; an opted-out person does not wait", async () => {
  await app.inbound(shop, "+919876500031", "Are you open?");
  await app.inbound(shop, "+919876500002", "Where is it?");
  await app.inbound(shop, "+919876500033", "STOP");
  expect((await waiting()).slice(0, 2).toSorted()).toEqual(["+919876500002", "+919876500031"]);
  expect(await waiting()).not.toContain("+919876500033");
  expect(await send("+919876500031", { text: "Until eight." })).toBe(201);
  expect(await waiting()).not.toContain("+919876500031");
  await indexContacts(app.store);
  expect(await waiting()).not.toContain("+919876500031");
  // A refused answer leaves the person waiting.
  expect(await send("+919876500002", { text: "On its way." })).not.toBe(201);
  expect(await waiting()).toContain("+919876500002");
  await app.inbound(shop, "+919876500031", "Thanks!");
  expect((await waiting())[0]).toBe("+919876500031");
  expect((await member.get(`${base}/inbox?show=else`)).status).toBe(400);
});

test("paging through the waiting conversations returns each exactly once", async () => {
  for (let count = 0; count < 60; count += 1)
    await app.inbound(shop, `+9198111000${String(count).padStart(2, "0")}`, "Hi");
  const first = (await member.get(`${base}/inbox?show=waiting`)).body;
  const second = (await member.get(`${base}/inbox?show=waiting&after=${first.meta.next}`)).body;
  expect([first.data.length, second.meta.next]).toEqual([50, null]);
  const phones = [...first.data, ...second.data].map(({ phone }: { phone: string }) => phone);
  expect(new Set(phones).size).toBe(phones.length);
  expect(phones).toEqual(expect.arrayContaining(["+919811100000", "+919811100059"]));
});
