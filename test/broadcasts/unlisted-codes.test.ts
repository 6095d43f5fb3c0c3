/**
 * Codes that this version does not know are counted by number, kind of message and code, over all broadcasts of the
 * number. After ten different people broadcasts of the kind pause, and a condition begins; nothing else is touched.
 */
import { expect, test } from "bun:test";
import { resumeManually } from "#src/domain/broadcasts/pause.ts";
import { getBroadcast } from "#src/domain/broadcasts/read.ts";
import { recordUnlistedRefusal } from "#src/domain/numbers/unlisted-refusals.ts";
import { updateNumber } from "#src/domain/numbers/update.ts";
import { conditionsOf } from "#test/support/conditions.ts";
import { startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const UNLISTED = 139999;
const OTHER_PHONE = "+4930000001";
const fault = { kind: "error", code: UNLISTED, details: "The network's own words." } as const;
const phones = (count: number, first: number) =>
  Array.from({ length: count }, (_, index) => `+491511234${String(first + index)}`);

/** One message at a time, so that what is counted is exact. */
async function start(): Promise<WhatsappWorld> {
  const world = await startWhatsapp();
  const number = world.number();
  await world.app.store.write((tx) => void updateNumber(tx, number, { throughput: 1 }));
  return world;
}

/** Returns how to read the broadcast. */
async function broadcast({ app, workspace: { key } }: WhatsappWorld, to: string[], more: object = {}) {
  const body = { name: "News", template: "greeting", variables: ["Anna"], to, ...more };
  const created = await app.send("POST", "/api/v1/broadcasts", { key, body });
  expect(created.status).toBe(202);
  const { id } = created.body.data;
  return { id, read: async () => (await app.send("GET", `/api/v1/broadcasts/${id}`, { key })).body.data };
}

const single = ({ app, workspace }: WhatsappWorld, body: object) =>
  app.send("POST", "/api/v1/messages", { key: workspace.key, body });
const template = (to: string) => ({ to, template: "greeting", variables: ["Anna"] });

test("ten people are counted over the broadcasts of a number, and the next one pauses before it sends", async () => {
  await using world = await start();
  const { graph, clock } = world;
  graph.fault({ fault, times: Infinity });
  const first = await broadcast(world, phones(6, 5_000));
  await clock.advance(20_000);
  expect(await first.read()).toMatchObject({ status: "completed", counts: { failed: 6 } });
  expect(await conditionsOf(world, "unlisted_refusals")).toEqual([]);
  const second = await broadcast(world, phones(6, 6_000));
  await clock.advance(20_000);
  const paused = await second.read();
  expect(paused).toMatchObject({ status: "paused", counts: { failed: 4 } });
  expect(paused.status_reason).toMatch(/10 consecutive messages .* error 139999: .*The network's own words/);
  const third = await broadcast(world, phones(6, 7_000));
  await clock.advance(20_000);
  expect(await third.read()).toMatchObject({ status: "paused", counts: { failed: 0 } });
  expect(await conditionsOf(world, "unlisted_refusals")).toMatchObject([
    {
      id: `unlisted_refusals:${world.number().id}`,
      severity: "warning",
      says: expect.stringMatching(/templates of \+4930000000 .* error 139999.*The network's own words/),
    },
  ]);
});

test("single messages are still sent, and one that is accepted ends the condition", async () => {
  await using world = await start();
  const { graph } = world;
  graph.fault({ fault, times: 12 });
  for (const to of phones(12, 5_000)) expect((await single(world, template(to))).status).toBe(502);
  expect(graph.requests).toHaveLength(12);
  expect(await conditionsOf(world, "unlisted_refusals")).toHaveLength(1);
  expect((await single(world, template("+4915112346000"))).status).toBe(201);
  expect(await conditionsOf(world, "unlisted_refusals")).toEqual([]);
});

test("one person who is refused again and again is one person", async () => {
  await using world = await start();
  world.graph.fault({ fault, times: 12 });
  for (let count = 0; count < 12; count++) await single(world, template("+4915112345000"));
  expect(await conditionsOf(world, "unlisted_refusals")).toEqual([]);
});

test("refused texts leave the broadcasts of the number alone", async () => {
  await using world = await start();
  const { graph, clock } = world;
  for (const from of phones(12, 5_000)) {
    const timestamp = String(Math.floor(clock.now() / 1_000));
    const hello = { from: from.slice(1), id: `wamid.${from}`, timestamp, type: "text", text: { body: "Hi" } };
    await world.hear(graph.inbound(hello));
  }
  graph.fault({ fault, times: 12 });
  for (const to of phones(12, 5_000)) expect((await single(world, { to, text: "Hello" })).status).toBe(502);
  expect(await conditionsOf(world, "unlisted_refusals")).toMatchObject([
    { says: expect.stringContaining("free messages of +4930000000") },
  ]);
  const { read } = await broadcast(world, phones(5, 6_000));
  await clock.advance(20_000);
  expect(await read()).toMatchObject({ status: "completed", counts: { sent: 5 } });
  expect(await conditionsOf(world, "unlisted_refusals")).toHaveLength(1);
});

test("broadcasts of another number continue", async () => {
  await using world = await start();
  const { app, clock, workspace } = world;
  const other = await world.addNumber(workspace.id, { phone: OTHER_PHONE, phoneNumberId: "200000000000002" });
  const refusal = { numberId: other.id, kind: "template", source: "answer", code: String(UNLISTED) } as const;
  await app.store.write((tx) => {
    for (let person = 1; person <= 10; person++) recordUnlistedRefusal(tx, { ...refusal, message: "Refused.", person });
  });
  const { read } = await broadcast(world, phones(5, 6_000), { from: world.number().phone });
  await clock.advance(20_000);
  expect(await read()).toMatchObject({ status: "completed", counts: { sent: 5 } });
  expect(await conditionsOf(world, "unlisted_refusals")).toMatchObject([{ id: `unlisted_refusals:${other.id}` }]);
  // A day without another refusal ends the count.
  await clock.advance(24 * 3_600_000);
  expect(await conditionsOf(world, "unlisted_refusals")).toEqual([]);
});

test("an unlisted code that alternates with one of the message, by status, pauses the broadcast", async () => {
  await using world = await start();
  const { graph, clock } = world;
  const { read } = await broadcast(world, phones(60, 5_000));
  let reported = 0;
  for (let second = 0; second < 70; second++) {
    await clock.advance(1_000);
    const news = graph.accepted.slice(reported).map((message, index) => {
      const code = (reported + index) % 2 === 0 ? UNLISTED : 131053;
      return graph.status(message, "failed", { errors: [{ code, title: "An error of the test" }] });
    });
    reported = graph.accepted.length;
    if (news.length > 0) expect(await world.hear(news)).toBe(200);
  }
  expect((await read()).status).toBe("paused");
  expect(graph.accepted.length).toBeLessThan(30);
});

test("arrivals between the refusals end the count", async () => {
  await using world = await start();
  const { graph, clock } = world;
  const { read } = await broadcast(world, phones(40, 5_000));
  let reported = 0;
  for (let second = 0; second < 50; second++) {
    await clock.advance(1_000);
    const news = graph.accepted
      .slice(reported)
      .map((message, index) =>
        (reported + index) % 5 === 0
          ? graph.status(message, "delivered")
          : graph.status(message, "failed", { errors: [{ code: UNLISTED, title: "An error of the test" }] }),
      );
    reported = graph.accepted.length;
    if (news.length > 0) await world.hear(news);
  }
  expect(await read()).toMatchObject({ status: "completed", counts: { delivered: 8, failed: 32 } });
});

test("a person resumes the broadcast: it sends again, and the count starts over", async () => {
  await using world = await start();
  const { app, graph, clock } = world;
  graph.fault({ fault, times: 15 });
  const { id, read } = await broadcast(world, phones(20, 5_000));
  await clock.advance(30_000);
  expect(await read()).toMatchObject({ status: "paused", counts: { failed: 10 } });
  await app.store.write((tx) => void resumeManually(tx, getBroadcast(tx, id)));
  expect(await conditionsOf(world, "unlisted_refusals")).toEqual([]);
  await clock.advance(30_000);
  expect(await read()).toMatchObject({ status: "completed", counts: { failed: 15, sent: 5 } });
});
