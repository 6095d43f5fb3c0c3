/** Many requests at once: limits hold exactly, no request is lost, and eligibility is checked at the dispatch. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { markUnready } from "#src/domain/numbers/readiness.ts";
import { suspend } from "#src/domain/workspaces/update.ts";
import { accepted, fakeNetwork, fillBucket, snapshot, templates } from "#test/support/scenarios.ts";
import { type Answered, startTestServer, type TestServer, type TestWorkspace } from "#test/support/server.ts";

const to = (index: number) => `+9198765${String(40_100 + index)}`;

let app: TestServer;
const network = fakeNetwork();
beforeAll(async () => {
  app = await startTestServer({ networks: { simulator: network } });
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(() => {
  network.answer = () => accepted();
  network.outbounds.length = 0;
});

const call = ({ key }: TestWorkspace, body: Record<string, unknown>): Promise<Answered> =>
  app.call("POST", "/api/v1/messages", { key, body: { template: "offer", ...body } });

async function shopWith(settings: NonNullable<Parameters<TestServer["workspace"]>[0]>): Promise<TestWorkspace> {
  const shop = await app.workspace(settings);
  await app.template(shop, templates.offer);
  if (settings.throughput === undefined) await fillBucket(app, shop);
  return shop;
}

function countAll(answers: Answered[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

describe("many requests at the same moment", () => {
  test("spend the balance to the last affordable message and not one further", async () => {
    const shop = await shopWith({ billing: { rate: 300_000, balance: 1_000_000 } });
    const answers = await app.clock.until(Promise.all(Array.from({ length: 40 }, (_, i) => call(shop, { to: to(i) }))));
    expect(countAll(answers)).toEqual({ 201: 3, 402: 37 });
    expect(network.outbounds).toHaveLength(3);
    const { billing } = (await app.call("GET", "/api/v1/me", { key: shop.key })).body.data;
    expect(billing.available).toBe("0.10");
  });

  test("reach as many recipients as the daily cap allows", async () => {
    const shop = await shopWith({ dailyCap: 5 });
    const answers = await app.clock.until(Promise.all(Array.from({ length: 40 }, (_, i) => call(shop, { to: to(i) }))));
    expect(countAll(answers)).toEqual({ 201: 5, 429: 35 });
    expect(network.outbounds).toHaveLength(5);
  });

  test("to one new recipient create one contact, with one consent", async () => {
    const shop = await shopWith({});
    const forms = ["+919876543210", "9876543210", "0091 98765 43210", "919876543210"];
    const answers = await app.clock.until(
      Promise.all(Array.from({ length: 20 }, (_, index) => call(shop, { to: forms[index % 4] }))),
    );
    expect(countAll(answers)).toEqual({ 201: 20 });
    const ofShop = (rows: readonly string[] = []) => rows.filter((row) => row.includes(`"workspace_id":${shop.id},`));
    const { contacts, consent_log } = snapshot(app.store);
    expect([ofShop(contacts).length, ofShop(consent_log).length]).toEqual([1, 1]);
  });

  test("are sent at the number's pace, and none is lost", async () => {
    const shop = await shopWith({ throughput: 10 });
    const all = Promise.all(Array.from({ length: 6 }, (_, i) => call(shop, { to: to(i) })));
    // One token was saved while the number was idle; then one comes every tenth of a second.
    await app.clock.advance(250);
    expect(network.outbounds).toHaveLength(3);
    expect(countAll(await app.clock.until(all))).toEqual({ 201: 6 });
  });
});

describe("eligibility is checked when the message is dispatched, not when the request arrived", () => {
  const changes: Record<string, [change: (shop: TestWorkspace) => unknown, code: string]> = {
    "an opt-out": [(shop) => app.inbound(shop, to(1), "STOP"), "opted_out"],
    "a suspension": [(shop) => app.store.write((tx) => void suspend(tx, shop.id, "late")), "workspace_suspended"],
    "an unready number": [
      (shop) => app.store.write((tx) => void markUnready(tx, shop.numberId, "x")),
      "number_not_ready",
    ],
    "a paused template": [
      ({ id }) => app.store.client.prepare("UPDATE templates SET status = 'PAUSED' WHERE workspace_id = ?").run(id),
      "template_not_sendable",
    ],
  };
  for (const [what, [change, code]] of Object.entries(changes)) {
    test(`${what} while a request waits for its turn refuses the request`, async () => {
      const shop = await shopWith({ throughput: 1 });
      const waiting = [call(shop, { to: to(0) }), call(shop, { to: to(1) })];
      await app.clock.advance(500);
      expect(network.outbounds).toHaveLength(1);
      await change(shop);
      const [, answer] = await app.clock.until(Promise.all(waiting));
      expect(answer?.body.error?.code).toBe(code);
      expect(network.outbounds).toHaveLength(1);
    });
  }

  test("a refused request releases its turn", async () => {
    const shop = await shopWith({ throughput: 1 });
    await fillBucket(app, shop);
    for (let index = 0; index < 5; index++) {
      expect((await call(shop, { to: to(0), template: "unheard_of" })).body.error.code).toBe("template_not_found");
    }
    expect((await call(shop, { to: to(0) })).status).toBe(201);
  });
});
