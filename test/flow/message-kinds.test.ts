/**
 * Every kind of free message, from the API to the network: each keeps the promises of a text. The network is the fake
 * Cloud API; `test/limits` asks the simulator's own tables about the same requests.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type RequestedName, requestedKinds } from "#src/domain/messages/kinds/kinds.ts";
import { FIRST_INBOUND, kindCases, limitCases, markedKinds, wrongCases } from "#test/support/message-kinds.ts";
import { eventsOf } from "#test/support/rows.ts";
import { changesBetween, snapshot } from "#test/support/scenarios.ts";
import type { Answered } from "#test/support/server.ts";
import { rows, startWhatsapp, textFrom, type WhatsappWorld } from "#test/support/whatsapp.ts";

const to = "+4915112345678";
const stranger = "+4915112345679";
const BASE = { messaging_product: "whatsapp", recipient_type: "individual", to };
const names = Object.keys(requestedKinds) as RequestedName[];
const cases = Object.entries(kindCases);
/** A reaction is to a message of the person, so a stranger gets none. */
const toAnyone = Object.values(kindCases).filter(({ type }) => type !== "reaction");

let world: WhatsappWorld;
beforeAll(async () => {
  world = await startWhatsapp({ config: { limits: { requestsPerSecond: 10_000, burst: 10_000 } } });
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.clock.advance(60_000));

let keys = 0;
function newKey(): string {
  keys += 1;
  return `k${keys}`;
}
const send = (body: object, key = newKey()): Promise<Answered> =>
  world.app.send("POST", "/api/v1/messages", {
    key: world.workspace.key,
    body: { to, ...body },
    headers: { "Idempotency-Key": key },
  });
const get = (path: string) => world.app.call("GET", `/api/v1${path}`, { key: world.workspace.key });
const sentRequests = () =>
  world.graph.requests
    .filter(({ path }) => /\/messages(\?|$)/.test(path))
    .map(({ body }) => body as Record<string, unknown>);

/** A person whose window is open. */
async function write(from = to): Promise<void> {
  const timestamp = String(Math.floor(world.clock.now() / 1_000));
  const isFirst = rows(world.app.store, "SELECT 1 FROM inbounds LIMIT 1").length === 0;
  await world.hear(textFrom(world.graph, from, "Hello", { timestamp, ...(isFirst ? { id: FIRST_INBOUND } : {}) }));
}

async function expectRefusal(body: object, status: number, code: string): Promise<Answered> {
  const before = snapshot(world.app.store);
  const count = sentRequests().length;
  const answer = await send(body);
  expect({ body, status: answer.status, code: answer.body.error?.code }).toEqual({ body, status, code });
  expect(sentRequests()).toHaveLength(count);
  const { idempotency_keys: _, ...changes } = changesBetween(before, snapshot(world.app.store));
  expect(changes).toEqual({});
  return answer;
}

test("the tables have every kind", () => {
  const inTable = new Set(cases.flatMap(([, { body }]) => Object.keys(body)));
  expect(names.filter((name) => !inTable.has(name))).toEqual([]);
  expect(["text", ...Object.keys(markedKinds("x", 1))].sort()).toEqual([...names].sort());
});

describe("a message of each kind", () => {
  beforeAll(() => write());

  test("leaves the same when it was scheduled", async () => {
    const sendAt = new Date(world.clock.now() + 60_000).toISOString();
    for (const [name, { body }] of cases) {
      const answer = await send({ ...body, send_at: sendAt });
      expect([name, answer.status, answer.body.data?.status]).toEqual([name, 202, "scheduled"]);
    }
    const before = sentRequests().length;
    await world.clock.advance(60_000);
    const parts = sentRequests().slice(before);
    expect(parts.map(({ biz_opaque_callback_data: _, ...part }) => part)).toEqual(
      expect.arrayContaining(cases.map(([, { part }]) => ({ ...BASE, ...part }))),
    );
    expect(parts).toHaveLength(cases.length);
    // What a link led to is not kept any longer.
    expect(rows(world.app.store, "SELECT 1 FROM scheduled_messages")).toEqual([]);
  });

  test.each(cases)("leaves as Meta's page shows it, and is shown as it was asked for: %s", async (_, one) => {
    const { status, body } = await send({ ...one.body, reference: "order-7" });
    expect({ status, error: body.error }).toEqual({ status: 201, error: undefined });
    const { biz_opaque_callback_data: token, ...request } = sentRequests().at(-1) ?? {};
    expect(request).toEqual({ ...BASE, ...one.part });
    expect(token).toMatch(/^wx1\./);
    const { type, text, content } = one;
    const shown = { to, type, text, content, template: null, charged: false, status: "sent", reference: "order-7" };
    expect(body.data).toMatchObject(shown);
    expect(body.data.content).toEqual(content);
    expect((await get(`/messages/${body.data.id}`)).body.data).toEqual(body.data);
    const event = eventsOf(world.app, world.workspace).findLast((told) => told.type === "message.sent");
    expect(event?.data.message).toEqual(body.data);
  });

  test("is sent once under its key", async () => {
    for (const [, { body }] of cases) {
      const key = newKey();
      const first = await send(body, key);
      const count = sentRequests().length;
      const second = await send(body, key);
      expect([second.status, second.body]).toEqual([201, first.body]);
      expect(sentRequests()).toHaveLength(count);
    }
  });

  test("leaves no link on the disk", () => {
    const stored = JSON.stringify(
      ["messages", "events", "idempotency_keys", "outbox"].map((table) =>
        rows(world.app.store, `SELECT * FROM ${table}`),
      ),
    );
    expect(stored).toContain("Invoice 7.pdf");
    expect(stored).not.toContain("secret-path");
  });
});

describe("a limit of Meta's", () => {
  beforeAll(() => write());

  test.each(limitCases)("$field takes $max and no more", async ({ field, max, body, step = 1 }) => {
    expect((await send(body(max))).status).toBe(201);
    const answer = await expectRefusal(body(max + step), 400, "invalid_request");
    expect(Object.keys(answer.body.error.fields)).toEqual([field]);
    expect(answer.body.error.fields[field].join(" ")).toContain(String(max));
  });
});

describe("a refused message", () => {
  beforeAll(() => write());

  test.each(Object.entries(wrongCases))("names what is wrong: %s", async (_, [body, fields]) => {
    const answer = await expectRefusal(body, 400, "invalid_request");
    expect(Object.keys(answer.body.error.fields).sort()).toEqual([...fields].sort());
    // Each sentence says what would be right.
    expect(answer.text).not.toContain("This is not valid.");
  });

  test("names both of two kinds", async () => {
    const samples = new Map(names.map((name) => [name, cases.find(([, { body }]) => name in body)?.[1].body]));
    for (const [index, one] of names.entries()) {
      for (const other of names.slice(index + 1)) {
        const answer = await expectRefusal({ ...samples.get(one), ...samples.get(other) }, 400, "invalid_request");
        expect(Object.keys(answer.body.error.fields).sort()).toEqual([one, other].sort());
        expect(answer.body.error.fields[one][0]).toContain(one);
      }
      // Both fill a template's header.
      if (one === "media" || one === "location") continue;
      const answer = await expectRefusal({ ...samples.get(one), template: "greeting" }, 400, "invalid_request");
      expect(Object.keys(answer.body.error.fields).sort()).toEqual([one, "template"].sort());
    }
  });

  test("names every kind where there is none", async () => {
    const { body } = await expectRefusal({}, 400, "invalid_request");
    for (const name of ["template", ...names]) expect(body.error.fields.text[0]).toContain(name);
  });

  test("needs an open window, whatever its kind", async () => {
    for (const { body } of toAnyone) await expectRefusal({ ...body, to: stranger }, 422, "window_closed");
  });

  test("is none that a person gets who opted out, whatever its kind", async () => {
    const path = `/api/v1/contacts/${encodeURIComponent(stranger)}`;
    const options = { key: world.workspace.key, body: { consent: "opted_out" } };
    expect((await world.app.call("PUT", path, options)).status).toBeLessThan(300);
    await world.clock.advance(1_000);
    for (const { body } of toAnyone) await expectRefusal({ ...body, to: stranger }, 422, "opted_out");
  });

  test("by the network fails with its words, whatever its kind", async () => {
    for (const [name, { body, type, content }] of cases) {
      world.graph.fault({ fault: { kind: "error", code: 131009 } });
      const answer = await send(body);
      expect([name, answer.status, answer.body.error?.whatsapp_code]).toEqual([name, 502, "131009"]);
      const event = eventsOf(world.app, world.workspace).findLast((told) => told.type === "message.failed");
      expect(event?.data.message).toMatchObject({ type, content, status: "failed" });
    }
  });
});
