/** An address that gathers what one person writes within a short time: nothing is lost, doubled or mixed up. */
import { expect, test } from "bun:test";
import fc from "fast-check";
import type { Config } from "#src/config/config.ts";
import { addWebhook, updateWebhook } from "#src/domain/webhooks/further.ts";
import { findWebhookById } from "#src/domain/webhooks/read.ts";
import { replayFailedSince } from "#src/domain/webhooks/replay.ts";
import { firstOperator, person } from "#test/support/console.ts";
import { erase } from "#test/support/erase.ts";
import { contactOf } from "#test/support/rows.ts";
import { startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";
import { boxOf, deliveries, type Hook, isGenuine, MINUTE, SECOND, startHook } from "#test/support/webhooks.ts";

const ANNA = "+447700900123";
const BEN = "+447700900456";
const WINDOW_MS = 8_000;
const once: Partial<Config["webhooks"]> = { allowHttp: true, allowPrivate: true, jitter: 0, retryAfterMs: [MINUTE] };

/** Adds an address beside the first one that gathers, by default for eight seconds. */
async function gathering(app: TestServer, shop: TestWorkspace, url: string, groupBurstsMs = WINDOW_MS) {
  const { webhook, secret } = await app.store.write((tx) =>
    addWebhook(tx, boxOf(app), shop.id, { url, types: ["message.received"], keyId: null, groupBurstsMs }),
  );
  return { id: webhook.id, secret };
}

const textsOf = (hook: Hook): string[][] => hook.hits.map(({ event }) => event.data.texts);

test("what a person writes within eight seconds arrives as one event; another address gets each message alone", async () => {
  await using app = await startTestServer();
  await using plain = startHook(app.clock);
  await using hook = startHook(app.clock);
  const shop = await app.workspace();
  await app.webhook(shop, plain.url);
  const { secret } = await gathering(app, shop, hook.url);
  for (const text of ["Hi", "are you open", "on Sunday?"]) {
    await app.inbound(shop, ANNA, text);
    await app.clock.advance(2 * SECOND);
  }
  await app.inbound(shop, BEN, "Hello");
  expect([hook.hits.length, plain.hits.length]).toEqual([0, 4]);
  await app.clock.advance(WINDOW_MS);
  expect(textsOf(hook)).toEqual([["Hi", "are you open", "on Sunday?"], ["Hello"]]);
  const [first] = hook.hits;
  if (first === undefined) throw new Error("nothing arrived");
  expect(await isGenuine(first, secret, first.at)).toBe(true);
  const { id, type, data } = first.event;
  expect([id, type, data.message.text]).toEqual([plain.hits[0]?.event.id, "message.received", "on Sunday?"]);
  // Each message as the other address got it.
  expect(data.messages).toEqual(plain.hits.slice(0, 3).map(({ event }) => event.data.message));
  expect(plain.hits.filter(({ event }) => "texts" in event.data || "messages" in event.data)).toEqual([]);
  // The time counts from the first message.
  await app.inbound(shop, ANNA, "Thanks");
  await app.clock.advance(WINDOW_MS - 1);
  expect(hook.hits).toHaveLength(2);
  await app.clock.advance(1);
  expect(textsOf(hook).at(-1)).toEqual(["Thanks"]);
});

test("each message is in one event of the address, in order, whatever fails, stops and is replayed", async () => {
  const step = fc.record({
    who: fc.constantFrom(ANNA, BEN),
    /** Before the message. */
    gapMs: fc.constantFrom(0, 1, 500, 3_000, 7_999, 8_000, 8_001, 30_000),
    /** How the receiver answers from now on. */
    answer: fc.constantFrom(200, 200, 500),
    afterwards: fc.constantFrom("nothing", "nothing", "nothing", "restart", "replay"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      let app = await startTestServer({ config: { webhooks: once }, expectedErrors: /./ });
      const { clock, directory } = app;
      await using plain = startHook(clock);
      await using hook = startHook(clock);
      const shop = await app.workspace();
      await app.webhook(shop, plain.url);
      const { id } = await gathering(app, shop, hook.url);
      const written = new Map<string, { text: string; at: number }[]>([
        [ANNA, []],
        [BEN, []],
      ]);
      try {
        let count = 0;
        for (const { who, gapMs, answer, afterwards } of steps) {
          await clock.advance(gapMs);
          hook.answer = () => new Response("", { status: answer });
          const text = `message ${++count}`;
          written.get(who)?.push({ text, at: clock.now() });
          await app.inbound(shop, who, text);
          if (afterwards === "replay") await app.store.write((tx) => replayFailedSince(tx, shop.id, 0));
          if (afterwards !== "restart") continue;
          await app.stop();
          app = await startTestServer({ config: { webhooks: once }, directory, clock, expectedErrors: /./ });
        }
        hook.answer = () => new Response("");
        await clock.advance(3 * MINUTE);
        // What was exhausted is replayed, and nothing but that.
        while ((await app.store.write((tx) => replayFailedSince(tx, shop.id, 0))).length > 0)
          await clock.advance(MINUTE);
        const accepted = new Map<string, string>();
        for (const { event, body } of hook.hits) {
          // Every attempt sends the same bytes.
          expect(accepted.get(event.id) ?? body).toBe(body);
          accepted.set(event.id, body);
        }
        const bursts = [...accepted.values()].map((body) => JSON.parse(body).data);
        for (const [who, all] of written) {
          const own = bursts.filter(({ contact }) => contact.phone === who);
          expect(own.flatMap(({ texts }) => texts)).toEqual(all.map(({ text }) => text));
          const at = (text: string): number => all.find((one) => one.text === text)?.at ?? Number.NaN;
          const begun = own.map(({ texts }) => at(texts[0]));
          own.forEach(({ texts }, place) => {
            expect(at(texts.at(-1)) - (begun[place] ?? 0)).toBeLessThan(WINDOW_MS);
          });
        }
        expect(plain.hits.map(({ event }) => event.data.message.text)).toHaveLength(count);
        expect(app.store.read((tx) => findWebhookById(tx, shop.id, id))?.groupBurstsMs).toBe(WINDOW_MS);
      } finally {
        await app[Symbol.asyncDispose]();
      }
    }),
    { numRuns: 8 },
  );
}, 60_000);

test("more than fifty messages, or more than they may hold together, go into several events", async () => {
  await using app = await startTestServer();
  await using hook = startHook(app.clock);
  const shop = await app.workspace();
  await gathering(app, shop, hook.url);
  for (let count = 0; count < 60; count += 1) await app.inbound(shop, ANNA, `message ${count}`);
  const long = "long ".repeat(13_000);
  for (let count = 0; count < 8; count += 1) await app.inbound(shop, BEN, `${count} ${long}`);
  await app.clock.advance(WINDOW_MS);
  const sizes = (who: string) =>
    hook.hits.filter(({ event }) => event.data.contact.phone === who).map(({ event }) => event.data.texts.length);
  expect(sizes(ANNA)).toEqual([50, 10]);
  expect(sizes(BEN).length).toBeGreaterThan(1);
  expect(sizes(BEN).reduce((sum, size) => sum + size)).toBe(8);
});

test("what was gathered for an address that is disabled can be replayed as a whole, and a later message does not join it", async () => {
  await using app = await startTestServer({ config: { webhooks: once } });
  await using hook = startHook(app.clock);
  const shop = await app.workspace();
  const { id } = await gathering(app, shop, hook.url);
  await app.inbound(shop, ANNA, "one");
  await app.inbound(shop, ANNA, "two");
  const state = (state: "active" | "disabled") => app.store.write((tx) => updateWebhook(tx, shop.id, id, { state }));
  await state("disabled");
  await state("active");
  await app.inbound(shop, ANNA, "three");
  await app.clock.advance(WINDOW_MS);
  expect(textsOf(hook)).toEqual([["three"]]);
  // The two messages are one delivery.
  expect(await app.store.write((tx) => replayFailedSince(tx, shop.id, 0))).toHaveLength(1);
  await app.clock.advance(SECOND);
  expect(textsOf(hook)).toEqual([["three"], ["one", "two"]]);
});

test("the console shows the delivery as it is sent, and the two doors and the list show the setting", async () => {
  await using app = await startTestServer();
  await using hook = startHook(app.clock);
  await firstOperator(app);
  const shop = await app.workspace();
  const owner = await person(app, "owner@example.com", "owner", shop.id);
  const base = `/w/${shop.id}`;
  const set = await owner.ask("PUT", `${base}/webhook`, { url: hook.url, group_bursts: "8s" }, { key: "set" });
  expect(set.body.data.group_bursts).toBe("8s");
  // Without the member it stays.
  await owner.ask("PUT", `${base}/webhook`, { url: hook.url }, { key: "same" });
  expect((await owner.get(`${base}/webhook`)).body.data.group_bursts).toBe("8s");
  await app.inbound(shop, ANNA, "one");
  await app.inbound(shop, ANNA, "two");
  await app.clock.advance(WINDOW_MS);
  const [delivery] = deliveries(app, shop);
  const shown = (await owner.get(`${base}/deliveries/${delivery?.id}`)).body.data;
  expect(shown.body).toBe(hook.hits[0]?.body ?? "");
  const call = (method: string, path: string, body?: unknown) =>
    app.call(method, `/api/v1/webhooks${path}`, { key: shop.key, ...(body === undefined ? {} : { body }) });
  expect((await call("GET", "")).body.data[0].group_bursts).toBe("8s");
  const added = await call("POST", "", { url: `${hook.url}/2`, group_bursts: "1m" });
  expect(added.body.data.group_bursts).toBe("1m");
  const id = added.body.data.id;
  expect((await call("PATCH", `/${id}`, { group_bursts: null })).body.data.group_bursts).toBeNull();
  for (const wrong of ["8", "0s", "1500ms", "6m", "-8s", "8 parrots"]) {
    const refused = await call("PATCH", `/${id}`, { group_bursts: wrong });
    expect([wrong, refused.status, Object.keys(refused.body.error.fields)]).toEqual([wrong, 400, ["group_bursts"]]);
  }
  expect((await call("GET", "")).body.data[1].group_bursts).toBeNull();
});

test("a person who is erased while messages are gathered is named in no delivery", async () => {
  await using app = await startTestServer();
  await using hook = startHook(app.clock);
  const shop = await app.workspace();
  await gathering(app, shop, hook.url);
  await app.inbound(shop, ANNA, "My name is Winifred");
  await app.inbound(shop, ANNA, "Call me");
  const contact = contactOf(app, ANNA);
  await app.store.write((tx) => {
    erase(tx, contact, { events: true });
  });
  await app.inbound(shop, ANNA, "Who is this?");
  await app.clock.advance(WINDOW_MS);
  const gathered = hook.hits.filter(({ event }) => event.data.texts?.length === 2);
  expect(gathered).toHaveLength(1);
  expect(gathered[0]?.body).not.toMatch(/Winifred|Call me|900123/);
  expect(textsOf(hook)).toContainEqual(["Who is this?"]);
});
