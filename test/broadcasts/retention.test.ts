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
  type Story,
  show,
  startStory,
} from "#test/support/broadcast-stories.ts";
import { accountOf, messagesOf } from "#test/support/rows.ts";

const DAY = 24 * HOUR;
const BUILT_IN = 11 * 60_000;

const path = (id: number) => `/api/v1/broadcasts/${id}/recipients`;
const page = async ({ app, shop }: Story, id: number) => (await app.call("GET", path(id), { key: shop.key })).body;

test("recipients are thrown away 18 months after the end, the figures are kept, and single messages too", async () => {
  using kept = keptDirectory();
  await using before = await startStory(charged, { directory: kept.directory });
  const old = await run(before, notice(phones(3)));
  await report(before, before.network.sent.slice(0, 2), "delivered");
  await before.app.clock.advance(2 * HOUR);
  const scheduled = await create(before, notice(phones(1, 50), { send_at: "2026-11-22" }));
  await cancel(before, scheduled);
  const figures = await show(before, old);
  expect(figures).toMatchObject({ charged: "0.017", counts: { total: 3, sent: 3, delivered: 2 } });
  {
    // 21 November 2026 and 18 months: 21 May 2028.
    await using almost = await restart(before, Date.parse("2028-05-20T10:00:00Z") - before.app.clock.now());
    await almost.app.clock.advance(BUILT_IN);
    expect((await page(almost, old)).meta.total).toBe(3);
    await almost.app.stop();
  }
  await using story = await restart(before, Date.parse("2028-05-22T10:00:00Z") - before.app.clock.now());
  const young = await run(story, notice(phones(2, 10)));
  await story.app.clock.advance(BUILT_IN);
  expect(await page(story, old)).toEqual({ data: [], meta: expect.objectContaining({ total: 0, has_more: false }) });
  expect(rowsOf(story, old)).toEqual([]);
  expect(rowsOf(story, scheduled)).toEqual([]);
  expect(await show(story, old)).toEqual(figures);
  expect((await page(story, young)).meta.total).toBe(2);
  expect(accountOf(story.app, story.shop).charged).toBe(2 * RATE);
  expect(messagesOf(story.app)).toHaveLength(2);
});

test("a broadcast that is not finished keeps its recipients, however old it is", async () => {
  using kept = keptDirectory();
  await using before = await startStory({}, { directory: kept.directory });
  const id = await create(before, notice(phones(2), { send_at: "2029-11-22" }));
  await using story = await restart(before, 2 * 365 * DAY);
  await story.app.clock.advance(BUILT_IN);
  expect((await page(story, id)).meta.total).toBe(2);
});
