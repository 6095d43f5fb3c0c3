/** A status that arrives before an earlier one enters every state in between, each with its own event. */
import { expect, test } from "bun:test";
import { fakeNetwork, gate, networkIdOf, unknown } from "#test/support/fake-network.ts";
import { reportStatus } from "#test/support/report.ts";
import { eventsOf } from "#test/support/rows.ts";
import { startTestServer } from "#test/support/server.ts";
import { orderShipped, shipped } from "#test/support/templates.ts";

async function begin() {
  const network = fakeNetwork();
  const app = await startTestServer({ networks: { simulator: network } });
  const shop = await app.workspace({ billing: { rate: 8_500, balance: 1_000_000 } });
  await app.template(shop, orderShipped);
  const send = () => app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
  const report = async (status: "sent" | "delivered" | "read" | "failed") => {
    const [outbound] = network.sent;
    if (outbound === undefined) throw new Error("nothing was sent");
    await reportStatus(app, shop, { id: networkIdOf(outbound), sendToken: outbound.sendToken, status });
    await app.clock.advance(0);
  };
  const told = () =>
    eventsOf(app, shop).map(({ type, data: { message } }) => [
      type,
      message.status,
      message.sent_at !== null,
      message.delivered_at !== null,
      message.read_at !== null,
    ]);
  return { app, network, shop, send, report, told };
}

const SENT = ["message.sent", "sent", true, false, false];
const DELIVERED = ["message.delivered", "delivered", true, true, false];
const READ = ["message.read", "read", true, true, true];

test("read before delivered: message.delivered, then message.read, each showing the message as in that state", async () => {
  const { app, send, report, told } = await begin();
  await using _ = app;
  expect((await send()).status).toBe(201);
  await report("read");
  expect(told()).toEqual([SENT, DELIVERED, READ]);
  await report("delivered");
  await report("sent");
  expect(told()).toEqual([SENT, DELIVERED, READ]);
  const kinds = app.store.client.prepare("SELECT kind FROM ledger_entries WHERE kind <> 'credit' ORDER BY id").pluck();
  expect(kinds.all().map(String)).toEqual(["hold", "charge"]);
});

test("read before the network's own answer: all three states, and the answer changes nothing more", async () => {
  const { app, network, shop, report, told } = await begin();
  await using _ = app;
  const waiting = gate();
  network.next(waiting.answer);
  const answer = app.call("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
  await app.clock.until(waiting.reached);
  await report("read");
  expect(told()).toEqual([SENT, DELIVERED, READ]);
  waiting.open("accepted");
  expect((await app.clock.until(answer)).body.data.status).toBe("read");
  expect(told()).toEqual([SENT, DELIVERED, READ]);
});

test("delivered after an unknown outcome: the message revives as sent, then as delivered", async () => {
  const { app, network, send, report, told } = await begin();
  await using _ = app;
  network.next(unknown);
  expect((await send()).status).toBe(502);
  await report("delivered");
  expect(told()).toEqual([["message.failed", "failed", false, false, false], SENT, DELIVERED]);
});

test("delivered after a failure that followed sent: the state that was entered before has no second event", async () => {
  const { app, send, report, told } = await begin();
  await using _ = app;
  await send();
  await report("failed");
  await report("delivered");
  expect(told()).toEqual([SENT, ["message.failed", "failed", true, false, false], DELIVERED]);
});
