/**
 * Every unpleasant thing that the network does to a message, through the whole server: the caller's answer, the
 * message's state, the customer's events, the money, and the next request. The server never sends a message twice on
 * its own.
 */
import { describe, expect, test } from "bun:test";
import type { AcceptedMessage, Fault, StatusName } from "#test/support/graph.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { rows, startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const ANNA = "+4915112345678";
const RATE = 10_000;
const BALANCE = 1_000_000;

function startCharged() {
  const account = graphAccount({
    templates: [graphTemplate("greeting", { components: [{ type: "BODY", text: "Hello {{1}}" }] })],
  });
  return startWhatsapp({ account, workspace: { billing: { rate: RATE, balance: BALANCE } } });
}

let keys = 0;

function sendTo(world: WhatsappWorld, to = ANNA, key = `key-${keys++}`) {
  const body = { to, template: "greeting", variables: ["Anna"] };
  return world.app.send("POST", "/api/v1/messages", {
    key: world.workspace.key,
    body,
    headers: { "Idempotency-Key": key },
  });
}

interface MessageRow {
  status: string;
  error_code: string | null;
  money: string;
}

function messagesOf({ app }: WhatsappWorld): MessageRow[] {
  return rows(app.store, "SELECT status, error_code, money FROM messages ORDER BY id");
}

/** Held and charged so far; the available balance is always the rest. */
function moneyOf({ app }: WhatsappWorld): { held: number; charged: number } {
  const [account] = rows<{ held: number; charged: number }>(app.store, "SELECT held, charged FROM billing_accounts");
  return account ?? { held: -1, charged: -1 };
}

function accepted({ graph }: WhatsappWorld, index = 0): AcceptedMessage {
  const message = graph.accepted[index];
  if (message === undefined) throw new Error(`no message ${index} was accepted`);
  return message;
}

/** Only the events of messages. */
function messageEvents(world: WhatsappWorld): string[] {
  return world.events().filter((type) => type.startsWith("message."));
}

/** After every fault the next message is sent as if nothing had happened. */
async function expectNextRequest(world: WhatsappWorld, to = "+4915112345679"): Promise<void> {
  const before = world.graph.requests.length;
  await world.clock.advance(60_000);
  const next = await sendTo(world, to);
  expect(next.status).toBe(201);
  expect(world.graph.requests.length).toBe(before + 1);
}

async function postStatuses(world: WhatsappWorld, names: readonly StatusName[]): Promise<void> {
  for (const name of names) await world.hear(world.graph.status(accepted(world), name));
}

describe("a throttle under any HTTP status is waited for inside the request", () => {
  test.each([
    [400, 130429],
    [403, 130429],
    [429, 4],
    [400, 80007],
    [500, 131016],
    [503, 2],
  ])("HTTP %d with code %d", async (status, code) => {
    await using world = await startCharged();
    world.graph.fault({ fault: { kind: "error", status, code }, times: 2 });
    const sent = await sendTo(world);
    expect(sent.status).toBe(201);
    expect(world.graph.requests).toHaveLength(3);
    expect(world.graph.accepted).toHaveLength(1);
    expect(messagesOf(world)).toEqual([{ status: "sent", error_code: null, money: "held" }]);
    expect(moneyOf(world)).toEqual({ held: RATE, charged: 0 });
    await world.clock.advance(100);
    expect(messageEvents(world)).toEqual(["message.sent"]);
    await expectNextRequest(world);
  });

  test("a throttle to the end of the budget is 429, nothing is kept, and the same key may send later", async () => {
    await using world = await startCharged();
    world.graph.fault({ fault: { kind: "error", status: 429, code: 130429 }, times: 1_000 });
    const key = "the-same-key";
    const refused = await sendTo(world, ANNA, key);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(messagesOf(world)).toEqual([]);
    expect(moneyOf(world)).toEqual({ held: 0, charged: 0 });
    expect(messageEvents(world)).toEqual([]);
    expect(world.graph.accepted).toEqual([]);
  });

  test("a Retry-After longer than the budget ends the request at once", async () => {
    await using world = await startCharged();
    world.graph.fault({ fault: { kind: "error", code: 130429, headers: { "retry-after": "120" } } });
    const refused = await sendTo(world);
    expect(refused.status).toBe(429);
    expect(refused.headers.get("retry-after")).toBe("120");
    expect(world.graph.requests).toHaveLength(1);
  });
});

describe("an answer that never comes is an unknown outcome, never sent again, and corrected by the status", () => {
  const losses: [string, Fault, boolean][] = [
    ["accepted, and the connection ends without an answer", { kind: "lost" }, true],
    ["read to its end, and the connection is reset", { kind: "reset" }, false],
    ["HTML on a 502", { kind: "answer", status: 502, body: "<html>Bad gateway</html>" }, false],
    ["an empty 500", { kind: "answer", status: 500, body: "" }, false],
    ["a 200 without the message's id", { kind: "no_id" }, true],
    ["a 200 that is no JSON", { kind: "answer", status: 200, body: "ok" }, false],
  ];

  test.each(losses)("%s", async (_, fault, isAccepted) => {
    await using world = await startCharged();
    world.graph.fault({ fault });
    const answered = await sendTo(world, ANNA, "lost");
    expect(answered).toMatchObject({
      status: 502,
      body: { error: { code: "whatsapp_error", whatsapp_code: "timeout" } },
    });
    expect(messagesOf(world)).toEqual([{ status: "failed", error_code: "timeout", money: "released" }]);
    expect(moneyOf(world)).toEqual({ held: 0, charged: 0 });
    await world.clock.advance(3_600_000);
    // Neither the passing of time nor the caller's own retry sends it again.
    expect((await sendTo(world, ANNA, "lost")).status).toBe(502);
    expect(world.graph.requests).toHaveLength(1);
    expect(messageEvents(world)).toEqual(["message.failed"]);
    if (isAccepted) {
      await postStatuses(world, ["sent", "delivered"]);
      expect(messagesOf(world)).toEqual([{ status: "delivered", error_code: null, money: "charged" }]);
      expect(moneyOf(world)).toEqual({ held: 0, charged: RATE });
      expect(messageEvents(world)).toEqual(["message.failed", "message.sent", "message.delivered"]);
    }
    await expectNextRequest(world);
  });

  test("an answer slower than the time limit counts as none", async () => {
    await using world = await startCharged();
    const gate = Promise.withResolvers<void>();
    world.graph.fault({ fault: { kind: "delay", until: gate.promise } });
    const answered = await sendTo(world);
    gate.resolve();
    expect(answered).toMatchObject({ status: 502, body: { error: { whatsapp_code: "timeout" } } });
    await postStatuses(world, ["delivered"]);
    expect(messagesOf(world)).toEqual([{ status: "delivered", error_code: null, money: "charged" }]);
    expect(world.graph.requests).toHaveLength(1);
  });

  test("an unreachable host: nothing was sent, and the answer says so", async () => {
    await using world = await startCharged();
    await world.graph[Symbol.asyncDispose]();
    const answered = await sendTo(world);
    expect(answered).toMatchObject({ status: 502, body: { error: { whatsapp_code: "unreachable" } } });
    expect(messagesOf(world)).toEqual([{ status: "failed", error_code: "unreachable", money: "released" }]);
    expect(moneyOf(world)).toEqual({ held: 0, charged: 0 });
  });
});

describe("WhatsApp statuses", () => {
  test("before the answer are applied, and every event is emitted once", async () => {
    await using world = await startCharged();
    const gate = Promise.withResolvers<void>();
    world.graph.fault({ fault: { kind: "delay", until: gate.promise } });
    const sending = world.app.call("POST", "/api/v1/messages", {
      key: world.workspace.key,
      body: { to: ANNA, template: "greeting", variables: ["Anna"] },
      headers: { "Idempotency-Key": "early" },
    });
    await world.graph.arrival(1);
    while (world.graph.accepted.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await world.graph.callback(world.graph.status(accepted(world), "delivered"));
    await world.clock.rest();
    expect(messagesOf(world)[0]?.status).toBe("delivered");
    gate.resolve();
    const answered = await world.clock.until(sending);
    expect(answered).toMatchObject({ status: 201, body: { data: { status: "delivered" } } });
    await world.clock.advance(100);
    // The delivery proves `sent` as well, which has its event first; the answer adds none.
    expect(messageEvents(world)).toEqual(["message.sent", "message.delivered"]);
    expect(moneyOf(world)).toEqual({ held: 0, charged: RATE });
    await expectNextRequest(world);
  });

  const orders: [string, StatusName[], string][] = [
    ["in order", ["sent", "delivered", "read"], "read"],
    ["backwards", ["read", "delivered", "sent"], "read"],
    ["with the middle one missing", ["sent", "read"], "read"],
    ["twice each", ["sent", "sent", "delivered", "delivered", "read", "read"], "read"],
    ["of irrelevant kinds", ["sent", "deleted", "warning", "played"], "sent"],
    ["failed on one device, delivered on another", ["failed", "delivered"], "delivered"],
    ["delivered on one device, failed on another", ["delivered", "failed"], "delivered"],
    ["sent after failed", ["failed", "sent"], "failed"],
  ];

  test.each(orders)(
    "%s end in the right state, charged at most once, each event at most once",
    async (_, names, end) => {
      await using world = await startCharged();
      await sendTo(world);
      await postStatuses(world, names);
      await world.clock.advance(100);
      expect(messagesOf(world)[0]?.status).toBe(end);
      const isDelivered = end === "delivered" || end === "read";
      expect(moneyOf(world)).toEqual({ held: end === "sent" ? RATE : 0, charged: isDelivered ? RATE : 0 });
      const types = messageEvents(world);
      expect(new Set(types).size).toBe(types.length);
      await expectNextRequest(world);
    },
  );

  test("that are equal and arrive in many bodies at once move the message once", async () => {
    await using world = await startCharged();
    await sendTo(world);
    const delivered = world.graph.status(accepted(world), "delivered");
    const answers = await Promise.all(Array.from({ length: 20 }, () => world.graph.callback(delivered)));
    expect(answers).toEqual(Array(20).fill(200));
    await world.clock.advance(1_000);
    expect(messageEvents(world)).toEqual(["message.sent", "message.delivered"]);
    expect(moneyOf(world)).toEqual({ held: 0, charged: RATE });
  });

  test("by the thousand in a body with a malformed one move and charge every other message", async () => {
    await using world = await startCharged();
    for (let index = 0; index < 20; index++) await sendTo(world, `+49151000000${String(index).padStart(2, "0")}`);
    const ours = world.graph.accepted.map((message) => world.graph.status(message, "delivered"));
    const items = ours.flatMap(({ value }) => (value as { statuses: object[] }).statuses);
    const foreign = Array.from({ length: 979 }, (_, index) => ({
      ...items[0],
      id: `wamid.foreign-${index}`,
      biz_opaque_callback_data: undefined,
    }));
    const statuses = [...foreign.slice(0, 500), { id: 7, status: null }, ...items, ...foreign.slice(500)];
    const [first] = ours;
    await world.hear({ field: "messages", value: { ...first?.value, statuses } });
    await world.clock.advance(1_000);
    expect(messagesOf(world).every(({ status }) => status === "delivered")).toBe(true);
    expect(moneyOf(world)).toEqual({ held: 0, charged: 20 * RATE });
    expect(messageEvents(world).filter((type) => type === "message.delivered")).toHaveLength(20);
  });
});

test("a message held for a quality check and then dropped is sent, then failed with the reason, and its hold is released", async () => {
  await using world = await startCharged();
  world.graph.fault({ fault: { kind: "message_status", messageStatus: "held_for_quality_assessment" } });
  expect((await sendTo(world)).status).toBe(201);
  expect(moneyOf(world)).toEqual({ held: RATE, charged: 0 });
  await world.clock.advance(3_600_000);
  await world.hear(
    world.graph.status(accepted(world), "failed", { errors: [{ code: 132015, title: "Template is paused" }] }),
  );
  await world.clock.advance(100);
  expect(messagesOf(world)).toEqual([{ status: "failed", error_code: "132015", money: "released" }]);
  expect(moneyOf(world)).toEqual({ held: 0, charged: 0 });
  expect(messageEvents(world)).toEqual(["message.sent", "message.failed"]);
  const next = await sendTo(world);
  expect([next.status, next.body.error.code]).toEqual([422, "template_not_sendable"]);
});

test("a message held for a quality check and then sent ends like any other", async () => {
  await using world = await startCharged();
  world.graph.fault({ fault: { kind: "message_status", messageStatus: "held_for_quality_assessment" } });
  await sendTo(world);
  await postStatuses(world, ["sent", "delivered"]);
  expect(moneyOf(world)).toEqual({ held: 0, charged: RATE });
});

test("statuses and inbound messages under the number variant that the network answered with belong to the contact that was sent to", async () => {
  await using world = await startCharged();
  world.graph.fault({ fault: { kind: "other_wa_id", waId: "5491123456789" } });
  const sent = await sendTo(world, "+541123456789");
  expect(sent.status).toBe(201);
  await postStatuses(world, ["delivered"]);
  expect(messagesOf(world)[0]?.status).toBe("delivered");
  const reply = {
    from: "5491123456789",
    id: "wamid.reply",
    timestamp: "1795248000",
    type: "text",
    text: { body: "Hola" },
  };
  await world.hear(world.graph.inbound(reply));
  expect(rows(world.app.store, "SELECT id FROM contacts")).toHaveLength(1);
  expect(world.webhooks.received.at(-1)?.event.data.contact.phone).toBe(sent.body.data.to);
});

describe("a refusal by WhatsApp", () => {
  test.each([
    [131026, 422, "invalid_number"],
    [131047, 422, "window_closed"],
    [132001, 422, "template_not_found"],
    [100, 502, "whatsapp_error"],
    [190, 502, "whatsapp_error"],
    [999999, 502, "whatsapp_error"],
  ])("%d is answered with HTTP %d %s, kept under its key, and releases the money", async (code, status, word) => {
    await using world = await startCharged();
    world.graph.fault({ fault: { kind: "error", code } });
    const refused = await sendTo(world, ANNA, "refused");
    expect(refused).toMatchObject({ status, body: { error: { code: word } } });
    expect(messagesOf(world)).toEqual([{ status: "failed", error_code: String(code), money: "released" }]);
    expect(moneyOf(world)).toEqual({ held: 0, charged: 0 });
    expect((await sendTo(world, ANNA, "refused")).status).toBe(status);
    expect(world.graph.requests).toHaveLength(1);
    await world.clock.advance(100);
    expect(messageEvents(world)).toEqual(["message.failed"]);
    await expectNextRequest(world);
  });

  test.each(["by the answer", "by a status"])(
    "131050 %s opts the person out, and resume lifts the opt-out",
    async (how) => {
      await using world = await startCharged();
      if (how === "by the answer") {
        world.graph.fault({ fault: { kind: "error", code: 131050 } });
        expect((await sendTo(world)).status).toBe(502);
      } else {
        await sendTo(world);
        await world.hear(
          world.graph.status(accepted(world), "failed", { errors: [{ code: 131050, title: "No marketing" }] }),
        );
      }
      await world.clock.advance(100);
      expect(world.events().filter((type) => type === "contact.opted_out")).toHaveLength(1);
      expect(await sendTo(world)).toMatchObject({ status: 422, body: { error: { code: "opted_out" } } });
      expect(world.graph.requests).toHaveLength(1);
      const resumed = {
        wa_id: ANNA.slice(1),
        category: "marketing_messages",
        value: "resume",
        timestamp: Math.floor(world.clock.now() / 1000) + 1,
      };
      await world.clock.advance(2_000);
      const change = world.graph.inbound({});
      await world.hear({
        field: "user_preferences",
        value: {
          ...change.value,
          messages: undefined,
          contacts: [{ wa_id: ANNA.slice(1) }],
          user_preferences: [resumed],
        },
      });
      expect((await sendTo(world)).status).toBe(201);
    },
  );
});
