/** A receiver that hangs delays no other workspace's events, and loses its own share of attempts. */
import { expect, test } from "bun:test";
import type { Config } from "#src/config/config.ts";
import { sendTestEvent } from "#src/domain/webhooks/publish.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { deliveries, delivery, emit, HOUR, type Hook, never, SECOND, startHook } from "#test/support/webhooks.ts";

const TIMEOUT = 10 * SECOND;
/** A single attempt within the time of these tests. */
const once: Partial<Config["webhooks"]> = { allowHttp: true, allowPrivate: true, jitter: 0, retryAfterMs: [HOUR] };

/** Emits test events of each workspace in turn, in one commit. */
async function emitMany(app: TestServer, workspaces: TestWorkspace[], count: number): Promise<void> {
  await app.store.write((tx) => {
    for (let i = 0; i < count; i++) for (const { id } of workspaces) sendTestEvent(tx, id);
  });
}

/**
 * A workspace with a prompt receiver; returns how long its events take in real time, together with those of other
 * workspaces.
 */
async function timed(app: TestServer, prompt: Hook): Promise<(others: TestWorkspace[]) => Promise<number>> {
  const EVENTS = 24;
  const awaited = { count: 0, met: Promise.withResolvers<void>() };
  prompt.answer = (count) => {
    if (count === awaited.count) awaited.met.resolve();
    return new Response(null, { status: 204 });
  };
  const shop = await app.workspace({ number: null });
  await app.webhook(shop, `http://prompt.test:${prompt.port}/`);
  return async (others) => {
    awaited.count = prompt.hits.length + EVENTS;
    awaited.met = Promise.withResolvers<void>();
    const startedAt = performance.now();
    await app.store.write((tx) => {
      for (const { id } of others) for (let i = 0; i < 8; i++) sendTestEvent(tx, id);
      for (let i = 0; i < EVENTS; i++) sendTestEvent(tx, shop.id);
    });
    await awaited.met.promise;
    return performance.now() - startedAt;
  };
}

test("hanging receivers and a hanging name server delay another workspace's events by less than 100 ms", async () => {
  const silence = Promise.withResolvers<string[]>();
  silence.promise.catch(() => {});
  const lookup = async (name: string): Promise<string[]> => (name === "prompt.test" ? ["127.0.0.1"] : silence.promise);
  await using app = await startTestServer({ config: { webhooks: once }, lookup });
  await using calm = await startTestServer({ config: { webhooks: once }, lookup });
  using _ = { [Symbol.dispose]: () => silence.reject(new Error("the test is over")) };
  await using prompt = startHook(app.clock);
  await using calmPrompt = startHook(calm.clock);
  await using hanging = startHook(app.clock, never);
  const together = await timed(app, prompt);
  const alone = await timed(calm, calmPrompt);
  const dead = [await app.workspace({ number: null }), await app.workspace({ number: null })];
  for (const one of dead) await app.webhook(one, hanging.url);
  const unknown = await app.workspace({ number: null });
  await app.webhook(unknown, "http://silent-name-server.test/");

  // Alternating, compared in pairs: other load on the machine slows both.
  const delays: number[] = [];
  for (let round = 0; round < 7; round++) {
    const aloneMs = await alone([]);
    delays.push((await together([...dead, unknown])) - aloneMs);
  }
  expect(median(delays)).toBeLessThan(100);
  // The hanging receivers took their full share of attempts all the while.
  expect(hanging.open).toBe(2 * 8);
  expect([prompt.hits.length, calmPrompt.hits.length]).toEqual([7 * 24, 7 * 24]);
});

test("a workspace with hundreds of events waiting lets another workspace's single event through between them", async () => {
  await using app = await startTestServer({ config: { webhooks: once } });
  const arrivals: string[] = [];
  const note = (name: string) => () => {
    arrivals.push(name);
    return new Response(null, { status: 204 });
  };
  await using busy = startHook(app.clock, note("busy"));
  await using quiet = startHook(app.clock, note("quiet"));
  const [loud, shop] = [await app.workspace({ number: null }), await app.workspace({ number: null })];
  await app.webhook(loud, busy.url);
  await app.webhook(shop, quiet.url);
  await emitMany(app, [loud], 300);
  await emitMany(app, [shop], 1);
  await app.clock.rest();
  expect(arrivals.length).toBe(301);
  expect(arrivals.indexOf("quiet")).toBeLessThan(60);
});

test("a workspace has at most eight attempts in flight, and the next starts when one ends", async () => {
  await using app = await startTestServer({ config: { webhooks: once } });
  const answers: ((response: Response) => void)[] = [];
  await using hook = startHook(app.clock, () => new Promise((resolve) => answers.push(resolve)));
  const shop = await app.workspace();
  await app.webhook(shop, hook.url);
  await emitMany(app, [shop], 20);
  await app.clock.rest();
  expect([hook.hits.length, hook.open]).toEqual([8, 8]);
  answers.shift()?.(new Response("done"));
  await app.clock.rest();
  expect([hook.hits.length, hook.open]).toEqual([9, 8]);
  while (answers.length > 0) {
    for (const answer of answers.splice(0)) answer(new Response("done"));
    await app.clock.rest();
  }
  expect([hook.hits.length, hook.maxOpen]).toEqual([20, 8]);
  expect(deliveries(app, shop).every(({ attemptCount }) => attemptCount === 1)).toBe(true);
});

test("after twenty consecutive time-outs an address has one attempt in flight, until one succeeds", async () => {
  await using app = await startTestServer({ config: { webhooks: once } });
  await using hook = startHook(app.clock, never);
  const shop = await app.workspace();
  await app.webhook(shop, hook.url);
  await emitMany(app, [shop], 60);
  await app.clock.advance(2 * TIMEOUT);
  expect(hook.open).toBe(8);
  // The third eight time out one by one: attempts that started before the twentieth time-out continue.
  await app.clock.advance(TIMEOUT);
  expect(hook.open).toBeLessThanOrEqual(4);
  await app.clock.advance(TIMEOUT);
  const before = hook.hits.length;
  for (let round = 0; round < 4; round++) {
    expect([hook.hits.length, hook.open]).toEqual([before + round, 1]);
    await app.clock.advance(TIMEOUT);
  }
  // An error status does not count as a success.
  hook.answer = (count) => (count === before + 5 ? new Response(null, { status: 500 }) : never());
  await app.clock.advance(TIMEOUT);
  expect([hook.hits.length, hook.open]).toEqual([before + 6, 1]);
  hook.answer = (count) => (count === before + 7 ? new Response("awake") : never());
  await app.clock.advance(TIMEOUT);
  expect([hook.hits.length, hook.open]).toEqual([before + 15, 8]);
});

test("an answer, even an error status, ends a streak of time-outs before it is complete", async () => {
  await using app = await startTestServer({ config: { webhooks: once } });
  await using hook = startHook(app.clock, never);
  const shop = await app.workspace();
  await app.webhook(shop, hook.url);
  await emitMany(app, [shop], 19);
  await app.clock.advance(3 * TIMEOUT);
  expect([hook.hits.length, hook.open]).toEqual([19, 0]);
  hook.answer = () => new Response(null, { status: 500 });
  await emit(app, shop);
  hook.answer = never;
  await emit(app, shop);
  await app.clock.advance(TIMEOUT);
  await emitMany(app, [shop], 20);
  await app.clock.rest();
  expect(hook.open).toBe(8);
});

test("the time-outs of an old address do not count against a new one", async () => {
  await using app = await startTestServer({ config: { webhooks: once } });
  await using old = startHook(app.clock, never);
  await using fresh = startHook(app.clock, never);
  const shop = await app.workspace();
  await app.webhook(shop, old.url);
  await emitMany(app, [shop], 60);
  await app.clock.advance(2 * TIMEOUT);
  await app.webhook(shop, fresh.url);
  await app.clock.advance(TIMEOUT);
  expect([old.hits.length, fresh.open]).toEqual([24, 8]);
  await app.clock.advance(2 * TIMEOUT);
  expect([old.hits.length, fresh.hits.length, fresh.open]).toEqual([24, 24, 8]);
  await app.clock.advance(2 * TIMEOUT);
  expect(fresh.open).toBe(1);
});

test("one workspace's time-outs do not count against another workspace with the same address", async () => {
  await using app = await startTestServer({ config: { webhooks: once } });
  await using hook = startHook(app.clock, never);
  const [shop, neighbour] = [await app.workspace({ number: null }), await app.workspace({ number: null })];
  for (const one of [shop, neighbour]) await app.webhook(one, hook.url);
  await emitMany(app, [shop], 24);
  await app.clock.advance(3 * TIMEOUT);
  hook.answer = () => new Response("awake");
  const id = await emit(app, neighbour);
  expect(delivery(app, id).status).toBe("delivered");
  hook.answer = never;
  await emitMany(app, [shop, neighbour], 10);
  await app.clock.rest();
  expect(hook.open).toBe(1 + 8);
});

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
