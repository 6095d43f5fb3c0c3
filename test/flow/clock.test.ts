/**
 * The wall clock is set by hours while the server runs: nothing is lost or done twice, and every wait keeps its length.
 */
import { expect, test } from "bun:test";
import {
  charged,
  create,
  HOUR,
  MINUTE,
  notice,
  phones,
  rowsOf,
  run,
  type Scenario,
  SECOND,
  show,
  startScenario,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { unknown } from "#test/support/fake-network.ts";
import { reportStatus } from "#test/support/report.ts";
import { messagesOf } from "#test/support/rows.ts";
import { shipped } from "#test/support/templates.ts";
import { ATTEMPTS_AT, startHook } from "#test/support/webhooks.ts";

const FIRST_ATTEMPTS_AT = ATTEMPTS_AT.slice(0, 4);

/** Returns once the server, which polls the machine's own clock, has noticed the change and adjusted its waits. */
async function setWall({ app }: Scenario, byMs: number): Promise<void> {
  const noticed = (): number => app.logged.filter((line) => line.includes("event=clock.set ")).length;
  const before = noticed();
  app.clock.setWall(byMs);
  while (noticed() === before) await Bun.sleep(5);
  await app.clock.advance(0);
}

for (const [name, byMs] of [
  ["forward", 7 * HOUR],
  ["back", -7 * HOUR],
] as const) {
  test(`wall clock set ${name}: a webhook's retries come at their usual intervals, each once`, async () => {
    await using scenario = await startScenario();
    const { app, shop } = scenario;
    await using hook = startHook(app.clock, () => new Response(null, { status: 500 }));
    await app.webhook(shop, hook.url);
    await app.send("POST", "/api/v1/messages", { key: shop.key, body: shipped() });
    await app.clock.advance(0);
    const begunAt = app.clock.monotonic();
    for (const [index, at] of FIRST_ATTEMPTS_AT.entries()) {
      if (index === 0) continue;
      // The clock is set in the middle of the first wait, and set back in the middle of the second.
      const halfway = (at + (FIRST_ATTEMPTS_AT[index - 1] ?? 0)) / 2;
      await app.clock.advance(begunAt + halfway - app.clock.monotonic());
      if (index <= 2) await setWall(scenario, index === 1 ? byMs : -byMs);
      expect(hook.hits).toHaveLength(index);
      await app.clock.advance(begunAt + at - SECOND - app.clock.monotonic());
      expect(hook.hits).toHaveLength(index);
      await app.clock.advance(2 * SECOND);
      expect(hook.hits).toHaveLength(index + 1);
    }
    expect(new Set(hook.hits.map(({ event }) => event.id)).size).toBe(1);
  });

  test(`wall clock set ${name}: an unknown outcome waits ten minutes for a status, no more and no less`, async () => {
    await using scenario = await startScenario(charged);
    const { app, network } = scenario;
    network.next(unknown);
    const id = await run(scenario, notice(phones(1)));
    const begunAt = app.clock.monotonic();
    await setWall(scenario, byMs);
    await app.clock.advance(9 * MINUTE - (app.clock.monotonic() - begunAt));
    expect(rowsOf(scenario, id)[0]?.status).toBe("sending");
    await app.clock.advance(2 * MINUTE);
    expect(rowsOf(scenario, id)[0]).toMatchObject({ status: "failed", outcomeUnknown: true });
    expect(network.sent).toHaveLength(1);
  });

  test(`wall clock set ${name}: a running broadcast reaches every recipient once, and single sends and statuses continue`, async () => {
    await using scenario = await startScenario({ ...charged, throughput: 20 });
    const { app, network, shop } = scenario;
    const id = await create(scenario, notice(phones(30)));
    await untilSent(scenario, 8);
    await setWall(scenario, byMs);
    await untilSent(scenario, 16);
    await setWall(scenario, -byMs);
    const single = { key: shop.key, body: shipped("+919876540077"), headers: { "idempotency-key": "k" } };
    const first = await app.send("POST", "/api/v1/messages", single);
    await setWall(scenario, byMs);
    expect((await app.send("POST", "/api/v1/messages", single)).text).toBe(first.text);
    await app.clock.advance(2 * MINUTE);
    await reportStatus(app, shop, {
      id: "wamid.late",
      status: "delivered",
      sendToken: messagesOf(app).at(-1)?.sendToken,
    });
    expect(messagesOf(app).at(-1)?.status).toBe("delivered");
    const people = network.sent.map(({ to }) => to);
    expect([people.length, new Set(people).size]).toEqual([31, 31]);
    expect((await show(scenario, id)).counts).toMatchObject({ total: 30, sent: 30, failed: 0, skipped: 0 });
  });
}

test("a scheduled broadcast starts once, by the wall clock, even if the clock is set back afterwards", async () => {
  await using scenario = await startScenario(charged);
  const { app, network } = scenario;
  const at = new Date(app.clock.now() + 10 * MINUTE).toISOString();
  const id = await create(scenario, notice(phones(5), { send_at: at }));
  await setWall(scenario, -HOUR);
  await app.clock.advance(HOUR + 9 * MINUTE);
  expect((await show(scenario, id)).status).toBe("scheduled");
  await app.clock.advance(2 * MINUTE);
  expect(network.sent).toHaveLength(5);
  await setWall(scenario, -2 * HOUR);
  await app.clock.advance(MINUTE);
  expect(network.sent).toHaveLength(5);
  expect((await show(scenario, id)).status).toBe("completed");
});

test("wall clock set back by hours: a recipient who waits for their own turn does not wait for hours", async () => {
  await using scenario = await startScenario();
  const { app, network } = scenario;
  await create(scenario, notice(phones(1)));
  await create(scenario, notice(phones(1)));
  await untilSent(scenario, 1);
  await app.clock.advance(SECOND);
  await setWall(scenario, -7 * HOUR);
  await app.clock.advance(2 * MINUTE);
  expect(network.sent).toHaveLength(2);
});
