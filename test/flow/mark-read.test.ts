/** `POST /inbounds/{id}/read`: what a person wrote is marked as read on their phone, on request with a sign of typing. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import { firstOperator, person as member } from "#test/support/console.ts";
import { changesBetween, snapshot } from "#test/support/scenarios.ts";
import type { Answered } from "#test/support/server.ts";
import { startTestServer } from "#test/support/server.ts";
import { rows, startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";

const person = "+4915112345678";

let world: WhatsappWorld;
let inbound: number;
beforeAll(async () => {
  world = await startWhatsapp();
  inbound = await hear("wamid.first");
});
afterAll(() => world[Symbol.asyncDispose]());

async function hear(id: string): Promise<number> {
  const timestamp = String(Math.floor(world.clock.now() / 1_000));
  await world.hear(textFrom(world.graph, person, "Hello", { id, timestamp }));
  await world.clock.advance(10_000);
  return (
    rows<{ id: number }>(world.app.store, `SELECT id FROM inbounds WHERE network_message_id = '${id}'`)[0]?.id ?? 0
  );
}

const mark = (id: number, body?: unknown, key = world.workspace.key): Promise<Answered> =>
  world.app.call("POST", `/api/v1/inbounds/${id}/read`, { key, body });
const lastBody = () => world.graph.requests.at(-1)?.body;

test("the network is told, any number of times, and nothing is stored", async () => {
  const before = snapshot(world.app.store);
  const read = { messaging_product: "whatsapp", status: "read", message_id: "wamid.first" };
  for (const [body, request] of [
    [{}, read],
    [{ typing: true }, { ...read, typing_indicator: { type: "text" } }],
    [{ typing: false }, read],
    [undefined, read],
  ] as const) {
    const count = world.graph.requests.length;
    const answer = await mark(inbound, body);
    expect([answer.status, answer.body.error]).toEqual([200, undefined]);
    expect(answer.body.data).toEqual({
      id: inbound,
      typing: (body as { typing?: boolean } | undefined)?.typing ?? false,
    });
    expect(world.graph.requests).toHaveLength(count + 1);
    expect(lastBody()).toEqual(request);
  }
  expect(changesBetween(before, snapshot(world.app.store))).toEqual({});
});

async function expectRefusal(answer: Promise<Answered>, status: number, code: string): Promise<Answered> {
  const { length } = world.graph.requests;
  const refused = await answer;
  expect([refused.status, refused.body.error?.code]).toEqual([status, code]);
  expect(world.graph.requests).toHaveLength(length);
  return refused;
}

test("a message that there is not, of another workspace, or of an erased person is unknown", async () => {
  await expectRefusal(mark(99_999), 404, "not_found");
  const other = await world.app.workspace();
  await expectRefusal(mark(inbound, {}, other.key), 404, "not_found");
  const erased = await hear("wamid.erased");
  world.app.store.client.prepare("UPDATE inbounds SET text = '[erased]' WHERE id = ?").run(erased);
  await expectRefusal(mark(erased), 404, "not_found");
});

test("a wrong body is named", async () => {
  const { body } = await expectRefusal(mark(inbound, { typing: "yes", seen: true }), 400, "invalid_request");
  expect(Object.keys(body.error.fields).sort()).toEqual(["seen", "typing"]);
});

test("of a number that is not ready, it is refused and the network is not asked", async () => {
  const unready = "UPDATE numbers SET ready = 0, unready_by = 'person', unready_reason = 'being moved'";
  world.app.store.client.prepare(unready).run();
  await expectRefusal(mark(inbound), 422, "number_not_ready");
});

test("what the network answers otherwise is said", async () => {
  world.app.store.client.prepare("UPDATE numbers SET ready = 1, unready_by = NULL, unready_reason = NULL").run();
  const faults = [
    [{ kind: "error", code: 131009 }, 502, "whatsapp_error"],
    [{ kind: "error", code: 131031 }, 422, "number_not_ready"],
    [{ kind: "error", code: 130429 }, 429, "rate_limited"],
    [{ kind: "reset" }, 503, "unavailable"],
  ] as const;
  for (const [fault, status, code] of faults) {
    world.graph.fault({ fault });
    const answer = await mark(inbound);
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  }
  expect((await mark(inbound)).status).toBe(200);
});

test("the console marks where the workspace's setting says so, at once, and only on numbers that the user sees", async () => {
  const { app, workspace, graph } = world;
  await firstOperator(app);
  const agent = await member(app, "agent@example.com", "agent", workspace.id);
  const read = () => agent.post(`/w/${workspace.id}/inbounds/${inbound}/read`, { typing: true });
  const set = (readReceipts: string) => app.store.write((tx) => updateWorkspace(tx, workspace.id, { readReceipts }));
  const before = graph.requests.length;
  expect((await read()).body).toEqual({ data: { id: inbound, typing: false } });
  expect(graph.requests).toHaveLength(before);
  for (const receipts of ["opened", "answered"]) {
    await set(receipts);
    expect((await read()).body).toEqual({ data: { id: inbound, typing: true } });
    expect(lastBody()).toMatchObject({ status: "read", message_id: "wamid.first", typing_indicator: { type: "text" } });
  }
  expect(graph.requests).toHaveLength(before + 2);
  app.store.client.prepare("UPDATE memberships SET number_ids = '[9999]' WHERE role = 'agent'").run();
  expect((await read()).status).toBe(404);
  expect(graph.requests).toHaveLength(before + 2);
  await set("off");
  expect((await mark(inbound)).status).toBe(200);
  expect(graph.requests).toHaveLength(before + 3);
});

test("a simulated number takes it", async () => {
  await using app = await startTestServer();
  const shop = await app.workspace();
  await app.inbound(shop, "+919876541234", "Hello");
  const answer = await app.call("POST", "/api/v1/inbounds/1/read", { key: shop.key, body: { typing: true } });
  expect([answer.status, answer.body]).toEqual([200, { data: { id: 1, typing: true } }]);
});
