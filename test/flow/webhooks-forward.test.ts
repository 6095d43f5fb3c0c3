/** The second address of a workspace beside its own: what one of them gets does not depend on the other. */
import { expect, test } from "bun:test";
import { blockWorkspace } from "#src/db/workspace-work.ts";
import { setForward } from "#src/domain/webhooks/forward.ts";
import { replayDelivery, replayFailedSince } from "#src/domain/webhooks/replay.ts";
import { erase } from "#test/support/erase.ts";
import { contactOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { boxOf, deliveries, HOUR, type Hook, jobCount, MINUTE, startHook } from "#test/support/webhooks.ts";

const ok = (): Response => new Response("thanks");
const broken = (): Response => new Response(null, { status: 500 });
const ONE_AT_A_TIME = { allowHttp: true, allowPrivate: true, jitter: 0, concurrency: 1 };

const forward = (app: TestServer, shop: TestWorkspace, url: string | null): Promise<void> =>
  app.store.write((tx) => setForward(tx, boxOf(app), shop.id, url));

async function eraseThem(app: TestServer, shop: TestWorkspace, phone: string): Promise<void> {
  await app.inbound(shop, phone, "hello");
  const contact = contactOf(app, phone);
  await app.store.write((tx) => erase(tx, contact));
  await app.clock.rest();
}

const erased = (hook: Hook): unknown[] =>
  hook.hits.filter(({ event }) => event.type === "contact.erased").map(({ event }) => event.data.phone);
const kept = (app: TestServer): unknown[] =>
  app.store.client
    .prepare("SELECT body ->> '$.data.phone' FROM events WHERE type = 'contact.erased' ORDER BY seq")
    .pluck()
    .all();

test("both addresses learn whom to erase, whichever accepts first; then nothing names the person", async () => {
  await using app = await startTestServer();
  await using own = startHook(app.clock, broken);
  await using second = startHook(app.clock, ok);
  const [one, two, three] = ["+919876540001", "+919876540002", "+919876540003"] as const;
  const shop = await app.workspace();
  await app.webhook(shop, own.url);
  await forward(app, shop, second.url);
  await eraseThem(app, shop, one);
  expect([erased(second), kept(app)]).toEqual([[one], [one]]);
  own.answer = ok;
  second.answer = broken;
  await app.clock.advance(2 * MINUTE);
  expect([erased(own), kept(app)]).toEqual([[one, one], [null]]);
  await eraseThem(app, shop, two);
  expect(erased(own).at(-1)).toBe(two);
  expect(kept(app)).toEqual([null, two]);
  second.answer = ok;
  await app.clock.advance(2 * MINUTE);
  expect([erased(second).at(-1), kept(app)]).toEqual([two, [null, null]]);

  // Without an address of its own.
  const other = await app.workspace({ number: "+911244001199" });
  await forward(app, other, second.url);
  await eraseThem(app, other, three);
  expect([erased(second).at(-1), kept(app)]).toEqual([three, [null, null, null]]);
});

test("a second address that is taken away leaves no pending delivery, and a replay of failures concerns the own one", async () => {
  await using app = await startTestServer();
  await using own = startHook(app.clock, ok);
  await using second = startHook(app.clock, broken);
  const shop = await app.workspace();
  const since = app.clock.now();
  await forward(app, shop, second.url);
  await app.inbound(shop, "+919876540001", "Is it open?");
  await app.webhook(shop, own.url);
  await app.inbound(shop, "+919876540001", "And tomorrow?");
  await app.clock.rest();
  expect(deliveries(app, shop).filter(({ status }) => status === "pending")).toHaveLength(2);
  await forward(app, shop, null);
  await app.clock.advance(HOUR);
  const ended = deliveries(app, shop).filter(({ isForwarded }) => isForwarded);
  expect(ended.map(({ status }) => status)).toEqual(["exhausted", "exhausted"]);

  expect(await app.store.write((tx) => replayFailedSince(tx, shop.id, since))).toHaveLength(1);
  await app.clock.rest();
  expect(own.hits.map(({ event }) => event.data.message.text)).toEqual(["And tomorrow?", "Is it open?"]);
  const gone = app.store.write((tx) => replayDelivery(tx, ended[0]?.id ?? 0));
  await expect(gone).rejects.toThrow("second address");
});

// A reset replaces the rows afterwards, so they need not fit together here.
test("a workspace that is reset sends nothing more to either address, also not what waits for its turn", async () => {
  await using app = await startTestServer({ config: { webhooks: ONE_AT_A_TIME }, mayBreak: true });
  const answer = Promise.withResolvers<Response>();
  await using own = startHook(app.clock, () => answer.promise);
  await using second = startHook(app.clock, () => answer.promise);
  const shop = await app.workspace();
  await app.webhook(shop, own.url);
  await forward(app, shop, second.url);
  for (const text of ["one", "two", "three"]) await app.inbound(shop, "+919876540001", text);
  const hits = (): number => own.hits.length + second.hits.length;
  expect([hits(), jobCount(app)]).toEqual([1, 6]);
  await app.store.write((tx) => blockWorkspace(tx, shop.id));
  answer.resolve(ok());
  await app.clock.rest();
  expect([hits(), jobCount(app)]).toEqual([1, 0]);
  expect(app.server.isActive()).toBe(false);
});
