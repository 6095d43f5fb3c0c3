/** A secret that is replaced while the old one keeps working: first tried on the receiver, then both sign, then one alone. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { firstOperator, person, type Visitor } from "#test/support/console.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { deliveries, emit, type Hit, HOUR, isGenuine, MINUTE, startHook, verify } from "#test/support/webhooks.ts";

let app: TestServer;
let owner: Visitor;
let shop: TestWorkspace;
beforeEach(async () => {
  app = await startTestServer();
  await firstOperator(app);
  shop = await app.workspace();
  owner = await person(app, "owner@example.com", "owner", shop.id);
});
afterEach(() => app[Symbol.asyncDispose]());

const BOTH = /^t=[0-9]{10},v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/;
const ONE = /^t=[0-9]{10},v1=[0-9a-f]{64}$/;

const fits = (hit: Hit | undefined, secret: string): Promise<boolean> => {
  if (hit === undefined) throw new Error("no event came");
  return isGenuine(hit, secret, hit.at);
};
const signatureOf = (hit: Hit | undefined): string => hit?.headers.get("service-signature") ?? "";
const rotate = (body: object, key = crypto.randomUUID()) =>
  owner.post(`/w/${shop.id}/webhooks/1/rotate-secret`, body, { key });
const reveal = async (): Promise<string> => (await owner.post(`/w/${shop.id}/webhook/reveal`)).body.data.secret;

test("with an overlap, a receiver that accepts both signatures gets both until the overlap is over, then one", async () => {
  await using hook = startHook(app.clock);
  const old = await app.webhook(shop, hook.url);
  const { status, body } = await rotate({ overlap: "2h" });
  expect(status).toBe(200);
  const { secret, old_secret_until: until } = body.data;
  expect([secret === old, Date.parse(until) - app.clock.now()]).toEqual([false, expect.any(Number)]);
  expect(Math.abs(Date.parse(until) - app.clock.now() - 2 * HOUR)).toBeLessThan(MINUTE);

  // The trial came first, signed by both.
  expect(hook.hits.map(({ event }) => event.type)).toEqual(["webhook.test"]);
  expect(signatureOf(hook.hits[0])).toMatch(BOTH);
  await emit(app, shop);
  for (const hit of hook.hits)
    expect([await fits(hit, old), await fits(hit, secret), await fits(hit, `${secret}x`)]).toEqual([true, true, false]);
  // The log of events signs like a webhook.
  const log = await app.send("GET", "/api/v1/events?signed=true&per_page=500", { key: shop.key });
  const signed = { body: JSON.stringify(log.body.data.at(-1)), headers: new Headers() };
  signed.headers.set("service-signature", log.body.meta.signatures.at(-1));
  expect(await verify(signed, old, Date.now())).toEqual(await verify(signed, secret, Date.now()));

  await app.clock.advance(2 * HOUR + MINUTE);
  await emit(app, shop);
  const last = hook.hits.at(-1);
  expect(signatureOf(last)).toMatch(ONE);
  expect([await fits(last, old), await fits(last, secret)]).toEqual([false, true]);
  const audit = JSON.stringify((await owner.get(`/w/${shop.id}/audit`)).body.data);
  expect(audit).toContain(until);
  expect(audit).not.toContain("whsec_");
});

test("a receiver that refuses two signatures, or does not answer, keeps its secret, and the attempt is not repeated", async () => {
  await using hook = startHook(app.clock, () => new Response("one v1 only", { status: 401 }));
  const old = await app.webhook(shop, hook.url);
  const refused = await rotate({ overlap: "24h" });
  expect([refused.status, refused.body.error.code]).toEqual([422, "receiver_refused"]);
  expect(refused.body.error.message).toContain("answered 401");
  expect(await reveal()).toBe(old);
  expect(deliveries(app, shop).at(-1)).toMatchObject({ status: "exhausted", attempts: [{ statusCode: 401 }] });

  await hook.down();
  const silent = await rotate({ overlap: "24h" });
  expect([silent.status, silent.body.error.code]).toEqual([422, "receiver_refused"]);
  expect(silent.body.error.message).toContain("gave no answer");
  expect(await reveal()).toBe(old);
  hook.up();
  await app.clock.advance(30 * HOUR);
  expect(hook.hits.length).toBe(1);
  hook.answer = () => new Response("thanks");
  await emit(app, shop);
  expect(signatureOf(hook.hits.at(-1))).toMatch(ONE);
});

test("a new secret without an overlap ends one that lasts", async () => {
  await using hook = startHook(app.clock);
  const first = await app.webhook(shop, hook.url);
  const second = (await rotate({ overlap: "24h" })).body.data.secret;
  const third = await rotate({});
  expect(third.body.data.old_secret_until).toBeNull();
  await emit(app, shop);
  const last = hook.hits.at(-1);
  expect(signatureOf(last)).toMatch(ONE);
  expect(await Promise.all([first, second, third.body.data.secret].map((one) => fits(last, one)))).toEqual([
    ...[false, false, true],
  ]);
});

test("what changed while the receiver was asked is not overwritten", async () => {
  await using other = startHook(app.clock);
  await using hook = startHook(app.clock, async () => {
    await owner.ask("PUT", `/w/${shop.id}/webhook`, { url: other.url });
    return new Response("thanks");
  });
  const old = await app.webhook(shop, hook.url);
  const lost = await rotate({ overlap: "24h" });
  expect([lost.status, lost.body.error.code]).toEqual([409, "changed"]);
  expect(await reveal()).toBe(old);
});

test("an overlap that is no duration, too short or too long is refused, and nothing is sent", async () => {
  await using hook = startHook(app.clock);
  await app.webhook(shop, hook.url);
  for (const overlap of ["soon", "1", "59s", "31 days", "1 month", ""]) {
    const refused = await rotate({ overlap });
    expect([overlap, refused.status, refused.body.error.fields]).toEqual([
      overlap,
      400,
      { overlap: ["Give a duration from 1m to 30 days, such as 24h."] },
    ]);
  }
  expect(hook.hits).toEqual([]);
});

test("a key and a person replace the secret of a further address, which leaves the others as they are", async () => {
  await using first = startHook(app.clock);
  await using hook = startHook(app.clock);
  // A test event is for one address alone.
  const write = async () => {
    await app.inbound(shop, "+442079460200", "Hello");
    await app.clock.advance(MINUTE);
  };
  const ofFirst = await app.webhook(shop, first.url);
  const call = (path: string, body?: object) => app.send("POST", `/api/v1/webhooks${path}`, { key: shop.key, body });
  const added = (await call("", { url: hook.url })).body.data;
  const { status, body } = await call(`/${added.id}/rotate-secret`, { overlap: "2h" });
  expect([status, body.data.id]).toEqual([200, added.id]);
  const { secret } = body.data;
  // The trial went to this address alone.
  expect([first.hits.length, hook.hits.map(({ event }) => event.type)]).toEqual([0, ["webhook.test"]]);
  await write();
  const last = hook.hits.at(-1);
  expect([await fits(last, added.secret), await fits(last, secret), await fits(last, ofFirst)]).toEqual([
    ...[true, true, false],
  ]);
  expect(signatureOf(first.hits.at(-1))).toMatch(ONE);
  expect(await fits(first.hits.at(-1), ofFirst)).toBe(true);

  const byPerson = await owner.post(`/w/${shop.id}/webhooks/${added.id}/rotate-secret`, {}, { key: "rotate" });
  const again = await owner.post(`/w/${shop.id}/webhooks/${added.id}/rotate-secret`, {}, { key: "rotate" });
  expect([byPerson.status, again.body.data.secret]).toEqual([200, null]);
  await write();
  expect(signatureOf(hook.hits.at(-1))).toMatch(ONE);
  expect(await fits(hook.hits.at(-1), byPerson.body.data.secret)).toBe(true);
  const audit = JSON.stringify((await owner.get(`/w/${shop.id}/audit`)).body.data);
  expect(audit).toContain(`"id":${added.id}`);
  expect(audit).not.toContain("whsec_");

  hook.answer = () => new Response("one v1 only", { status: 401 });
  const refused = await call(`/${added.id}/rotate-secret`, { overlap: "2h" });
  expect([refused.status, refused.body.error.code]).toEqual([400, "invalid_request"]);
  expect(refused.body.error.fields.overlap[0]).toContain("answered 401");
  expect((await call("/99/rotate-secret", {})).status).toBe(404);
  // Without a body it is read as well.
  expect((await call("/99/rotate-secret")).status).toBe(404);
  expect((await call("/99/rotate-secret", { overlap: "2h" })).status).toBe(404);
});
