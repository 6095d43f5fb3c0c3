/** What Meta bills: the `pricing` of statuses, stored with the message and summed by month and category. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { applyStatus } from "#src/domain/messages/apply-status.ts";
import { CounterDeltas } from "#src/domain/messages/counter-deltas.ts";
import { monthOf, SERVICE_ALLOWANCE } from "#src/domain/messages/network-usage.ts";
import { conditionsOf } from "#test/support/conditions.ts";
import { graphAccount, graphTemplate } from "#test/support/graph-account.ts";
import { rows, startWhatsapp, type WhatsappWorld } from "#test/support/whatsapp.ts";

const HOUR = 3_600_000;
const pricing = { billable: true, pricing_model: "PMP", type: "regular", category: "marketing" };

async function start(): Promise<WhatsappWorld> {
  return startWhatsapp({ account: graphAccount({ templates: [graphTemplate("greeting")] }) });
}

const usageOf = async (world: WhatsappWorld, query = "") =>
  (await world.app.send("GET", `/api/v1/usage${query}`, { key: world.workspace.key })).body;

const pricingOf = (world: WhatsappWorld): unknown[] =>
  rows<{ pricing: string | null }>(world.app.store, "SELECT pricing FROM messages ORDER BY id").map((row) =>
    JSON.parse(row.pricing ?? "null"),
  );

describe("the pricing of a status", () => {
  test("is stored with the message and counted once, however often and in whatever order statuses come", async () => {
    await using world = await start();
    const { graph } = world;
    for (const to of ["+4915110000000", "+4915110000001", "+4915110000002"]) await world.send({ to });
    const [one, two, three] = graph.accepted;
    if (one === undefined || two === undefined || three === undefined) throw new Error("nothing was accepted");
    await world.hear(graph.status(one, "sent", { pricing }));
    expect((await usageOf(world)).data).toMatchObject({ messages: 0, billable: 0, categories: [] });
    await world.hear(graph.status(one, "delivered", { pricing }));
    await world.hear(graph.status(one, "delivered", { pricing }));
    await world.hear(graph.status(one, "read", { pricing }));
    // Without `pricing` on delivered, it is on read; and `billable` is going to vanish.
    await world.hear(graph.status(two, "delivered"));
    const free = { pricing_model: "PMP", type: "free_customer_service", category: "authentication-international" };
    await world.hear(graph.status(two, "read", { pricing: free }));
    // A read that overtakes the delivered that carries it.
    await world.hear(graph.status(three, "read"));
    await world.hear(graph.status(three, "delivered", { pricing }));
    expect((await usageOf(world)).data).toEqual({
      month: "2026-11",
      messages: 3,
      billable: 2,
      categories: [
        { category: "authentication_international", type: "free_customer_service", billable: false, messages: 1 },
        { category: "marketing", type: "regular", billable: true, messages: 2 },
      ],
      countries: [
        { country: "DE", category: "marketing", billable: true, messages: 2 },
        { country: "DE", category: "authentication_international", billable: false, messages: 1 },
      ],
      service: [{ number: world.number().phone, messages: 0, allowance: 1_000 }],
    });
    expect(pricingOf(world)).toEqual([
      { billable: true, category: "marketing", type: "regular", model: "PMP" },
      { billable: false, category: "authentication_international", type: "free_customer_service", model: "PMP" },
      { billable: true, category: "marketing", type: "regular", model: "PMP" },
    ]);
    expect((await usageOf(world, "?month=2026-10")).data).toMatchObject({ month: "2026-10", messages: 0 });
    expect(await usageOf(world, "?month=2026-13")).toMatchObject({
      error: { fields: { month: ["A month is written as 2026-11."] } },
    });
  });

  test("of nonsense is ignored, and its status applied", async () => {
    await using world = await start();
    const { graph } = world;
    await world.send({ to: "+4915110000000" });
    const [message] = graph.accepted;
    if (message === undefined) throw new Error("nothing was accepted");
    await world.hear(graph.status(message, "delivered", { pricing: { category: "x".repeat(100), billable: "?" } }));
    expect(pricingOf(world)).toEqual([null]);
    expect(rows(world.app.store, "SELECT status FROM messages")).toEqual([{ status: "delivered" }]);
  });

  test("is counted once for any sequence of statuses, one by one or in a batch", async () => {
    await using world = await start();
    const { app } = world;
    const status = fc.record({
      status: fc.constantFrom("sent" as const, "delivered" as const, "read" as const, "failed" as const),
      hasPricing: fc.boolean(),
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(status, { maxLength: 6 }),
        fc.boolean(),
        fc.boolean(),
        async (statuses, isBatch, isAnswered) => {
          count += 1;
          await world.send({ to: `+49151${String(20_000_000 + count)}` });
          const before = (await usageOf(world)).data.messages;
          const { phoneNumberId } = world.number();
          const networkMessageId = world.graph.accepted.at(-1)?.id ?? "";
          // As if the answer, which names the network's id, had been lost: the statuses bring it.
          const lost = "WHERE id = (SELECT max(id) FROM messages) RETURNING send_token";
          const [{ send_token: sendToken } = { send_token: "" }] = rows<{ send_token: string }>(
            app.store,
            `UPDATE messages SET network_message_id = ${isAnswered ? "network_message_id" : "NULL"} ${lost}`,
          );
          await app.store.write((tx) => {
            const deltas = isBatch ? new CounterDeltas(tx) : null;
            for (const { status: name, hasPricing } of statuses) {
              const billed = { billable: true, category: "utility", type: "regular", model: null };
              const item = {
                ...{ kind: "status" as const, phoneNumberId, networkMessageId },
                ...{ sendToken, status: name, at: tx.now, recipientId: null, recipientNetworkUserId: null },
                ...{ error: null, pricing: hasPricing ? billed : null },
              };
              applyStatus(tx, { id: 1 }, item, "", deltas);
            }
            deltas?.flush();
          });
          const isBilled = statuses.some(({ status: name, hasPricing }) => hasPricing && /delivered|read/.test(name));
          expect((await usageOf(world)).data.messages - before).toBe(isBilled ? 1 : 0);
          expect(pricingOf(world).at(-1) !== null).toBe(isBilled);
        },
      ),
      { numRuns: 40 },
    );
  });
});

test("a month is that of the timezone, at its borders too", () => {
  expect(monthOf(Date.parse("2026-10-31T18:29:59Z"), "Asia/Kolkata")).toBe("2026-10");
  expect(monthOf(Date.parse("2026-10-31T18:30:00Z"), "Asia/Kolkata")).toBe("2026-11");
  expect(monthOf(Date.parse("2026-10-31T18:30:00Z"), "UTC")).toBe("2026-10");
  expect(monthOf(Date.parse("2026-12-31T23:59:59Z"), "UTC")).toBe("2026-12");
});

test("at 80 % of a number's free service messages, a condition warns", async () => {
  await using world = await start();
  const { app } = world;
  const warned = () => conditionsOf(world, "service_allowance");
  const use = (month: string, type: string, count: number) =>
    app.store.client
      .prepare("INSERT INTO network_usage VALUES (?, ?, ?, 'service', ?, 0, '', ?)")
      .run(world.workspace.id, month, world.number().id, type, count);
  use("2026-11", "free_customer_service", 799);
  use("2026-11", "free_entry_point", 500);
  use("2026-10", "free_customer_service", 5_000);
  expect(await warned()).toEqual([]);
  use("2026-11", "regular", 1);
  expect(await warned()).toMatchObject([
    {
      id: `service_allowance:${world.number().id}`,
      severity: "warning",
      says: expect.stringContaining("800 of the 1000"),
    },
  ]);
  expect(SERVICE_ALLOWANCE).toBe(1_000);
  expect((await usageOf(world)).data.service).toEqual([
    { number: world.number().phone, messages: 800, allowance: 1_000 },
  ]);
});

describe("an account without payment is a condition of its numbers", () => {
  const missing = (world: WhatsappWorld) => conditionsOf(world, "connection:payment_missing");

  test("when the account says that it has no payment method, until it has one", async () => {
    const account = graphAccount({ templates: [graphTemplate("greeting")] });
    await using world = await startWhatsapp({ account });
    expect(await missing(world)).toEqual([]);
    account.details = { primary_funding_id: "0" };
    await world.clock.advance(1.2 * HOUR);
    expect(await missing(world)).toMatchObject([
      {
        id: `connection:payment_missing:${world.number().id}`,
        severity: "warning",
        says: expect.stringContaining("no payment method"),
      },
    ]);
    account.details = { primary_funding_id: "12345" };
    await world.clock.advance(1.2 * HOUR);
    expect(await missing(world)).toEqual([]);
  });

  test("when a status or an answer says that a message was not paid for", async () => {
    for (const isAnswer of [true, false]) {
      await using world = await start();
      if (isAnswer) world.graph.fault({ fault: { kind: "error", code: 131042, details: "" } });
      await world.send({ to: "+4915110000000" });
      const [message] = world.graph.accepted;
      if (!isAnswer && message !== undefined)
        await world.hear(world.graph.status(message, "failed", { errors: [{ code: 131042, title: "Payment" }] }));
      expect(await missing(world)).toMatchObject([{ says: expect.stringContaining("(131042)") }]);
    }
  });
});
