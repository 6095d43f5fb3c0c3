/** Lists of broadcasts and of their recipients: order, filters, and counts that add up. */
import { expect, test } from "bun:test";
import {
  cancel,
  charged,
  create,
  decide,
  expectClosed,
  notice,
  pause,
  phones,
  recipients,
  refusal,
  report,
  run,
  type Scenario,
  SECOND,
  show,
  startScenario,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { walk } from "#test/support/contacts.ts";
import { accepted, gate } from "#test/support/fake-network.ts";

const LIST = "/api/v1/broadcasts";

const page = async ({ app, shop }: Scenario, path: string) => (await app.call("GET", path, { key: shop.key })).body;

test("broadcasts are listed newest first, 50 a page, by page and by cursor", async () => {
  await using scenario = await startScenario();
  const ids: number[] = [];
  for (let count = 0; count < 51; count++)
    ids.unshift(await create(scenario, notice(phones(1), { send_at: "2026-11-22" })));
  const other = await scenario.app.workspace({ number: "+911244001101" });
  expect((await scenario.app.call("GET", LIST, { key: other.key })).body.data).toEqual([]);
  const first = await page(scenario, LIST);
  expect(first.data.map(({ id }: { id: number }) => id)).toEqual(ids.slice(0, 50));
  expect(first.meta).toMatchObject({ page: 1, per_page: 50, total: 51, has_more: true });
  const second = await page(scenario, `${LIST}?page=2`);
  expect(second.data.map(({ id }: { id: number }) => id)).toEqual(ids.slice(50));
  expect(second.meta).toMatchObject({ page: 2, total: 51, has_more: false, next: null });
  expect((await page(scenario, `${LIST}?page=3`)).data).toEqual([]);
  const walked = await walk<{ id: number }>(scenario.app, scenario.shop, LIST);
  expect(walked.rows.map(({ id }) => id)).toEqual(ids);
  expect((await page(scenario, `${LIST}?page=0`)).error.code).toBe("invalid_request");
  expect((await page(scenario, `${LIST}?after=rubbish`)).error.code).toBe("invalid_request");
});

test("a row of the broadcast list shows the same as the broadcast itself", async () => {
  await using scenario = await startScenario(charged);
  const id = await run(scenario, notice(phones(2)));
  expect((await page(scenario, LIST)).data).toEqual([await show(scenario, id)]);
});

/**
 * Eight recipients: one each skipped, failed, sent, delivered and read, one whose message hangs, and two still pending.
 */
async function mixed(): Promise<Scenario & { id: number; waiting: ReturnType<typeof gate> }> {
  const scenario = await startScenario({ ...charged, throughput: 1 });
  const waiting = gate();
  scenario.network.next(
    refusal("131026", "recipient"),
    (one) => accepted(one),
    (one) => accepted(one),
    (one) => accepted(one),
    waiting.answer,
  );
  const id = await create(scenario, notice(["nobody", ...phones(7)]));
  await untilSent(scenario, 5);
  const [, , delivered, read] = scenario.network.sent;
  if (delivered === undefined || read === undefined) throw new Error("not sent");
  await report(scenario, [delivered, read], "delivered");
  await report(scenario, [read], "read");
  return { ...scenario, id, waiting };
}

test("each status filter finds its own recipients, `pending` all unfinished ones, and the states add up to the total", async () => {
  const scenario = await mixed();
  await using _ = scenario;
  const { id } = scenario;
  const all = phones(7);
  const found = async (status: string) => {
    const { data, meta } = await page(scenario, `${LIST}/${id}/recipients?status=${status}`);
    expect([status, meta.total]).toEqual([status, data.length]);
    return data.map(({ to }: { to: string }) => to);
  };
  expect(await found("skipped")).toEqual(["nobody"]);
  expect(await found("failed")).toEqual([all[0]]);
  expect(await found("sent")).toEqual([all[1]]);
  expect(await found("delivered")).toEqual([all[2]]);
  expect(await found("read")).toEqual([all[3]]);
  expect(await found("pending")).toEqual([all[4], all[5], all[6]]);
  expect((await recipients(scenario, id)).map(({ status }) => status)).toEqual([
    "skipped",
    "failed",
    "sent",
    "delivered",
    "read",
    "sending",
    "queued",
    "queued",
  ]);
  expect((await show(scenario, id)).counts).toEqual({
    total: 8,
    sent: 3,
    delivered: 2,
    read: 1,
    failed: 1,
    skipped: 1,
  });
  await expectClosed(scenario, id);
  scenario.waiting.open("accepted");
});

test("a recipient filter that is not in the API is refused: queued, sending, and any other word", async () => {
  await using scenario = await startScenario();
  const id = await create(scenario, notice(phones(1), { send_at: "2026-11-22" }));
  for (const status of ["queued", "sending", "SENT", ""]) {
    const answer = await scenario.app.call("GET", `${LIST}/${id}/recipients?status=${status}`, {
      key: scenario.shop.key,
    });
    expect([status, answer.status, Object.keys(answer.body.error?.fields ?? {})]).toEqual([status, 400, ["status"]]);
  }
});

test("counts add up after a cancel: unsent recipients are skipped at once, the one being sent is still pending", async () => {
  const scenario = await mixed();
  await using _ = scenario;
  const { id } = scenario;
  const cancelled = await cancel(scenario, id);
  expect(cancelled.body.data).toMatchObject({
    status: "cancelled",
    completed_at: expect.any(String),
    counts: { total: 8, sent: 3, delivered: 2, read: 1, failed: 1, skipped: 3 },
  });
  expect((await recipients(scenario, id, "?status=skipped")).map(({ reason }) => reason)).toEqual([
    "not a phone number",
    "broadcast cancelled",
    "broadcast cancelled",
  ]);
  expect((await recipients(scenario, id, "?status=pending")).map(({ status }) => status)).toEqual(["sending"]);
  await expectClosed(scenario, id);
  scenario.waiting.open("accepted");
  await scenario.app.clock.advance(5 * SECOND);
  expect((await show(scenario, id)).counts).toMatchObject({ total: 8, sent: 4, skipped: 3 });
  expect(scenario.network.sent).toHaveLength(5);
  await expectClosed(scenario, id);
  const before = await recipients(scenario, id);
  // The cleanup job writes the rows; nothing visible changes by it.
  await scenario.app.clock.advance(600 * SECOND);
  expect(await recipients(scenario, id)).toEqual(before);
  await expectClosed(scenario, id);
});

test("counts add up after a failure, and every unsent recipient has the broadcast's failure as reason", async () => {
  const scenario = await mixed();
  await using _ = scenario;
  const { id } = scenario;
  await decide(scenario, "order_shipped", "REJECTED");
  await scenario.app.clock.advance(2 * SECOND);
  const shown = await show(scenario, id);
  expect(shown).toMatchObject({
    status: "failed",
    completed_at: expect.any(String),
    counts: { total: 8, sent: 3, failed: 1, skipped: 3 },
  });
  expect(shown.status_reason).toContain("rejected");
  expect((await recipients(scenario, id, "?status=skipped")).slice(1).map(({ reason }) => reason)).toEqual([
    `broadcast failed: ${shown.status_reason}`,
    `broadcast failed: ${shown.status_reason}`,
  ]);
  await expectClosed(scenario, id);
  scenario.waiting.open("accepted");
  await scenario.app.clock.advance(5 * SECOND);
  expect(scenario.network.sent).toHaveLength(5);
  await expectClosed(scenario, id);
});

test("a recipient whose message fails after it was sent moves from sent to failed", async () => {
  await using scenario = await startScenario(charged);
  const id = await run(scenario, notice(phones(2)));
  expect((await show(scenario, id)).counts).toMatchObject({ sent: 2, failed: 0 });
  await report(scenario, scenario.network.sent.slice(0, 1), "failed", 131026);
  expect((await show(scenario, id)).counts).toMatchObject({ total: 2, sent: 1, failed: 1 });
  expect((await recipients(scenario, id, "?status=failed")).map(({ reason }) => reason)).toEqual([expect.any(String)]);
});

test("recipients are listed in the order addressed, by page and by cursor, with and without a filter", async () => {
  await using scenario = await startScenario();
  const people = phones(120).toReversed();
  const id = await create(scenario, notice(people, { send_at: "2026-11-22" }));
  const path = `${LIST}/${id}/recipients`;
  for (const filter of ["", "?status=pending"]) {
    const walked = await walk<{ to: string }>(scenario.app, scenario.shop, `${path}${filter}`);
    expect(walked.rows.map(({ to }) => to)).toEqual(people);
    expect(walked.pages).toBe(3);
  }
  const third = await page(scenario, `${path}?page=3`);
  expect(third.data.map(({ to }: { to: string }) => to)).toEqual(people.slice(100));
  expect(third.meta).toMatchObject({ page: 3, total: 120, has_more: false });
});

test("recipients in a mixture of two states of a filter are still listed in the order addressed", async () => {
  await using scenario = await startScenario({ throughput: 1 });
  const people = phones(5);
  const waiting = gate();
  scenario.network.next(waiting.answer);
  const id = await create(scenario, notice(people));
  await untilSent(scenario, 1);
  await pause(scenario, id);
  expect((await recipients(scenario, id, "?status=pending")).map(({ to }) => to)).toEqual(people);
  waiting.open("accepted");
});
