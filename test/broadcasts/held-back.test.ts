/**
 * The network accepts the messages of a broadcast and holds them back to check the template. They count apart, the
 * broadcast is settled once their outcome is known, and a message that is dropped pauses the template.
 */
import { expect, test } from "bun:test";
import { updateNumber } from "#src/domain/numbers/update.ts";
import type { StatusName } from "#test/support/graph.ts";
import { startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const PEOPLE = 10;
const HOUR_MS = 3_600_000;
const HELD = "held_for_quality_assessment";

function order({ app, workspace }: WhatsappWorld, count = PEOPLE) {
  const to = Array.from({ length: count }, (_, index) => `+491511234${String(5_000 + index)}`);
  const body = { name: "News", template: "greeting", variables: ["Anna"], to };
  return app.send("POST", "/api/v1/broadcasts", { key: workspace.key, body });
}

/** Sends a list whose every message is held back. Returns how to read the broadcast, and whether it was told as finished. */
async function sendHeld(world: WhatsappWorld, how: "by answer" | "by status") {
  const { app, graph, clock, workspace } = world;
  if (how === "by answer") graph.fault({ fault: { kind: "message_status", messageStatus: HELD }, times: Infinity });
  const { status, body } = await order(world);
  expect(status).toBe(202);
  await clock.advance(5_000);
  expect(graph.accepted.length).toBe(PEOPLE);
  if (how === "by status") await report(world, HELD, 0, PEOPLE);
  const key = workspace.key;
  return {
    read: async () => (await app.send("GET", `/api/v1/broadcasts/${body.data.id}`, { key })).body.data,
    finished: async () => (await app.send("GET", "/api/v1/events?types=broadcast.finished", { key })).body.data,
  };
}

async function report(
  { graph, hear, clock }: WhatsappWorld,
  status: StatusName,
  from: number,
  to: number,
  code?: number,
) {
  const more = code === undefined ? {} : { errors: [{ code, title: "An error of the test" }] };
  expect(await hear(graph.accepted.slice(from, to).map((message) => graph.status(message, status, more)))).toBe(200);
  await clock.advance(1_000);
}

for (const how of ["by answer", "by status"] as const) {
  test(`messages held back ${how} count apart until each is sent or dropped`, async () => {
    await using world = await startWhatsapp();
    const { read } = await sendHeld(world, how);
    expect(await read()).toMatchObject({ status: "completed", held: PEOPLE, counts: { sent: PEOPLE, failed: 0 } });
    await report(world, "sent", 0, 3);
    expect(await read()).toMatchObject({ held: PEOPLE - 3, counts: { sent: PEOPLE, delivered: 0 } });
    await report(world, HELD, 0, 3);
    expect((await read()).held).toBe(PEOPLE - 3);
    await report(world, "delivered", 0, 5);
    expect(await read()).toMatchObject({ held: PEOPLE - 5, counts: { sent: PEOPLE, delivered: 5 } });
    await report(world, "failed", 5, PEOPLE, 131026);
    expect(await read()).toMatchObject({ held: 0, counts: { sent: 5, delivered: 5, failed: PEOPLE - 5 } });
  });
}

test("a broadcast is settled an hour after the last held message was released", async () => {
  await using world = await startWhatsapp();
  const { read, finished } = await sendHeld(world, "by answer");
  await world.clock.advance(5 * HOUR_MS);
  expect([(await read()).settled, await finished()]).toEqual([false, []]);
  await report(world, "sent", 0, PEOPLE);
  await world.clock.advance(HOUR_MS / 2);
  expect(await read()).toMatchObject({ settled: false, held: 0 });
  await world.clock.advance(HOUR_MS);
  expect(await read()).toMatchObject({ settled: true, held: 0 });
  expect(await finished()).toHaveLength(1);
});

test("settling waits at most 72 hours for what is held back", async () => {
  await using world = await startWhatsapp();
  const { read, finished } = await sendHeld(world, "by answer");
  await world.clock.advance(71 * HOUR_MS);
  expect((await read()).settled).toBe(false);
  await world.clock.advance(HOUR_MS);
  expect(await read()).toMatchObject({ settled: true, held: PEOPLE, counts: { sent: PEOPLE } });
  expect((await finished())[0].data.broadcast).toMatchObject({ held: PEOPLE, settled: true });
});

test("a dropped message pauses the template, and is the reason of the broadcast", async () => {
  await using world = await startWhatsapp();
  const { read } = await sendHeld(world, "by answer");
  await report(world, "failed", 0, PEOPLE, 132015);
  expect(await read()).toMatchObject({ status: "completed", held: 0, counts: { failed: PEOPLE } });
  expect((await read()).status_reason).toMatch(/paused the template.*\(error 132015\)/);
  expect((await order(world)).body.error.code).toBe("template_not_sendable");
});

test("a dropped message of a running broadcast pauses the template too", async () => {
  await using world = await startWhatsapp();
  const { app, graph, clock, workspace } = world;
  graph.fault({ fault: { kind: "message_status", messageStatus: HELD }, times: Infinity });
  const number = world.number();
  await app.store.write((tx) => void updateNumber(tx, number, { throughput: 80 }));
  const { body } = await order(world, 600);
  await clock.advance(2_000);
  await report(world, "failed", 0, 1, 132015);
  const { data } = (await app.send("GET", `/api/v1/broadcasts/${body.data.id}`, { key: workspace.key })).body;
  expect(data.status).toBe("paused");
  expect(data.held).toBe(graph.accepted.length - 1);
  const single = { to: "+4915112399001", template: "greeting", variables: ["Anna"] };
  const refused = await app.send("POST", "/api/v1/messages", { key: workspace.key, body: single });
  expect([refused.status, refused.body.error.code]).toEqual([422, "template_not_sendable"]);
});
