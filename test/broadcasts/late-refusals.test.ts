/**
 * A list is not over when it is sent: the network accepts every message, and refuses them by status after the last send.
 * The broadcast says why, and the next one is refused before it can fail in the same way.
 */
import { expect, test } from "bun:test";
import { conditionsOf } from "#test/support/conditions.ts";
import { startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const PEOPLE = 40;

function order({ app, workspace }: WhatsappWorld, count = PEOPLE) {
  const to = Array.from({ length: count }, (_, index) => `+491511234${String(5_000 + index)}`);
  const body = { name: "News", template: "greeting", variables: ["Anna"], to };
  return app.send("POST", "/api/v1/broadcasts", { key: workspace.key, body });
}

/** Sends the whole list, and then reports the messages from `first` on as failed. Returns how to read the broadcast. */
async function sendAndRefuse(world: WhatsappWorld, code: number, first = 0) {
  const { app, graph, clock, workspace } = world;
  const { status, body } = await order(world);
  expect(status).toBe(202);
  const read = async () =>
    (await app.send("GET", `/api/v1/broadcasts/${body.data.id}`, { key: workspace.key })).body.data;
  await clock.advance(5_000);
  expect(graph.accepted.length).toBe(PEOPLE);
  expect(await read()).toMatchObject({ status: "completed", status_reason: null });
  const failed = { errors: [{ code, title: "An error of the test" }] };
  const reports = graph.accepted.map((message, index) =>
    index < first ? graph.status(message, "delivered") : graph.status(message, "failed", failed),
  );
  expect(await world.hear(reports)).toBe(200);
  await clock.advance(5_000);
  return read;
}

const OF_THE_NUMBER: readonly [number, RegExp][] = [
  [131031, /locked.*\(error 131031\)/],
  [131048, /blocked or reported.*\(error 131048\)/],
  [133010, /not registered.*\(error 133010\)/],
];

for (const [code, reason] of OF_THE_NUMBER) {
  test(`${code} by status after the last send stops the number and stays the reason of the broadcast`, async () => {
    await using world = await startWhatsapp();
    const read = await sendAndRefuse(world, code);
    const after = await read();
    expect(after).toMatchObject({ status: "completed", counts: { failed: PEOPLE } });
    expect(after.status_reason).toMatch(reason);
    expect(world.number()).toMatchObject({ ready: false, unreadyBy: "network" });
    expect((await order(world)).status).toBe(422);
  });
}

const OF_THE_TEMPLATE: readonly [number, RegExp][] = [
  [132015, /paused the template.*\(error 132015\)/],
  [132001, /does not exist.*\(error 132001\)/],
  [132016, /disabled the template.*\(error 132016\)/],
];

for (const [code, reason] of OF_THE_TEMPLATE) {
  test(`${code} by status after the last send stops the template and stays the reason of the broadcast`, async () => {
    await using world = await startWhatsapp();
    const read = await sendAndRefuse(world, code);
    const after = await read();
    expect(after.status).toBe("completed");
    expect(after.status_reason).toMatch(reason);
    expect(world.number().ready).toBe(true);
    expect((await order(world)).status).toBe(422);
  });
}

test("refusals of the account for the end of a list, after arrivals, do the same", async () => {
  await using world = await startWhatsapp();
  const read = await sendAndRefuse(world, 131031, 15);
  expect((await read()).status_reason).toMatch(/\(error 131031\)/);
  expect(world.number().ready).toBe(false);
});

test("refusals of a person, after the last send, give the broadcast no reason and stop nothing", async () => {
  await using world = await startWhatsapp();
  const read = await sendAndRefuse(world, 131026);
  expect(await read()).toMatchObject({ status: "completed", status_reason: null });
  expect(world.number().ready).toBe(true);
  expect((await order(world)).status).toBe(202);
});

test("a short list is evaluated as a whole: the refusal that most of it met is the reason, whichever came first", async () => {
  await using world = await startWhatsapp();
  const { app, graph, clock, workspace } = world;
  const { body } = await order(world, 8);
  await clock.advance(5_000);
  const codes = [132015, 131026, 131031, null, 131031, 131031, 131031, 131031];
  const reports = graph.accepted.map((message, index) => {
    const code = codes[index] ?? null;
    if (code === null) return graph.status(message, "delivered");
    return graph.status(message, "failed", { errors: [{ code, title: "An error of the test" }] });
  });
  expect(await conditionsOf(world, "number_not_ready")).toEqual([]);
  for (const report of reports) {
    expect(await world.hear(report)).toBe(200);
    await clock.advance(1_000);
  }
  const { data } = (await app.send("GET", `/api/v1/broadcasts/${body.data.id}`, { key: workspace.key })).body;
  expect(data).toMatchObject({ status: "completed", settled: true, counts: { failed: 7, delivered: 1 } });
  expect(data.status_reason).toMatch(/locked.*\(error 131031\)/);
  expect(world.number()).toMatchObject({ ready: false, unreadyBy: "network" });
  expect(await conditionsOf(world, "number_not_ready")).toMatchObject([
    { id: `number_not_ready:${world.number().id}`, severity: "critical", says: expect.stringMatching(/locked/) },
  ]);
});

test("a refusal that less than half of a short list met stays the reason, if it came first", async () => {
  await using world = await startWhatsapp();
  const { app, graph, clock, workspace } = world;
  const { body } = await order(world, 8);
  await clock.advance(5_000);
  const codes = [132015, 131031, 131031, 131031, 131026, 131026, 131026, 131026];
  const errors = (index: number) => ({ errors: [{ code: codes[index], title: "An error of the test" }] });
  await world.hear(graph.accepted.map((message, index) => graph.status(message, "failed", errors(index))));
  await clock.advance(1_000);
  const { data } = (await app.send("GET", `/api/v1/broadcasts/${body.data.id}`, { key: workspace.key })).body;
  expect(data.status_reason).toMatch(/\(error 132015\)/);
});
