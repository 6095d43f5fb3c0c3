/** How long recipients of a broadcast are kept. */
import { expect, test } from "bun:test";
import {
  cancel,
  charged,
  create,
  HOUR,
  keptDirectory,
  notice,
  phones,
  RATE,
  report,
  restart,
  rowsOf,
  run,
  type Scenario,
  show,
  startScenario,
} from "#test/support/broadcast-scenarios.ts";
import { accountOf, messagesOf } from "#test/support/rows.ts";

const DAY = 24 * HOUR;
const BUILT_IN = 11 * 60_000;

const path = (id: number) => `/api/v1/broadcasts/${id}/recipients`;
const page = async ({ app, shop }: Scenario, id: number) => (await app.call("GET", path(id), { key: shop.key })).body;

test("recipients and single messages are deleted 18 months after the end, and the broadcast keeps its counts", async () => {
  using kept = keptDirectory();
  await using before = await startScenario(charged, { directory: kept.directory });
  const old = await run(before, notice(phones(3)));
  await report(before, before.network.sent.slice(0, 2), "delivered");
  await before.app.clock.advance(2 * HOUR);
  const scheduled = await create(before, notice(phones(1, 50), { send_at: "2026-11-22" }));
  await cancel(before, scheduled);
  const counters = await show(before, old);
  expect(counters).toMatchObject({ charged: "0.017", counts: { total: 3, sent: 3, delivered: 2 } });
  {
    // 21 November 2026 and 18 months: 21 May 2028.
    await using almost = await restart(before, Date.parse("2028-05-20T10:00:00Z") - before.app.clock.now());
    await almost.app.clock.advance(BUILT_IN);
    expect((await page(almost, old)).meta.total).toBe(3);
    await almost.app.stop();
  }
  await using scenario = await restart(before, Date.parse("2028-05-22T10:00:00Z") - before.app.clock.now());
  const young = await run(scenario, notice(phones(2, 10)));
  await scenario.app.clock.advance(BUILT_IN);
  expect(await page(scenario, old)).toEqual({ data: [], meta: expect.objectContaining({ total: 0, has_more: false }) });
  expect(rowsOf(scenario, old)).toEqual([]);
  expect(rowsOf(scenario, scheduled)).toEqual([]);
  expect(await show(scenario, old)).toEqual(counters);
  expect((await page(scenario, young)).meta.total).toBe(2);
  expect(accountOf(scenario.app, scenario.shop).charged).toBe(2 * RATE);
  expect(messagesOf(scenario.app)).toHaveLength(2);
});

test("an unfinished broadcast keeps its recipients, however old it is", async () => {
  using kept = keptDirectory();
  await using before = await startScenario({}, { directory: kept.directory });
  const id = await create(before, notice(phones(2), { send_at: "2029-11-22" }));
  await using scenario = await restart(before, 2 * 365 * DAY);
  await scenario.app.clock.advance(BUILT_IN);
  expect((await page(scenario, id)).meta.total).toBe(2);
});
