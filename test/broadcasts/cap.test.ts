/** The daily cap of recipients, shared by single sends and broadcasts. */
import { expect, test } from "bun:test";
import { addNumber } from "#src/domain/numbers/add.ts";
import { updateWorkspace } from "#src/domain/workspaces/update.ts";
import {
  cancel,
  charged,
  create,
  expectClosed,
  fates,
  HOUR,
  list,
  MINUTE,
  notice,
  phones,
  post,
  RATE,
  refusal,
  report,
  restart,
  run,
  type Scenario,
  SECOND,
  show,
  startScenario,
  untilSent,
} from "#test/support/broadcast-scenarios.ts";
import { pairThrottled } from "#test/support/fake-network.ts";
import { accountOf } from "#test/support/rows.ts";
import { shipped } from "#test/support/templates.ts";

const single = ({ app, shop }: Scenario, to = "", from?: string) =>
  app.send("POST", "/api/v1/messages", {
    key: shop.key,
    body: { ...shipped(to), ...(from === undefined ? {} : { from }) },
  });

test("at creation recipients over the daily cap are skipped, and recipients already reached today are not counted again", async () => {
  await using scenario = await startScenario({ dailyCap: 3 });
  const [a = "", b = "", c = "", d = ""] = phones(4);
  expect((await single(scenario, c)).status).toBe(201);
  const answer = await post(scenario, notice([a, b, c, d]));
  expect(answer.body.data.skipped).toEqual([{ to: d, reason: "daily_cap" }]);
  await scenario.app.clock.advance(10 * SECOND);
  expect((await fates(scenario, answer.body.data.id)).map(([status]) => status)).toEqual([
    "sent",
    "sent",
    "sent",
    "skipped",
  ]);
  expect((await fates(scenario, answer.body.data.id))[3]?.[1]).toBe("daily cap");
});

test("single sends and broadcasts share the daily cap, over all numbers of the workspace", async () => {
  await using scenario = await startScenario({ dailyCap: 3 });
  const { app, shop } = scenario;
  await app.store.write((tx) => {
    const route = { network: "simulator" } as const;
    addNumber(tx, shop.id, { phone: "+911244001199", name: "Second", throughput: 1_000, route });
  });
  await app.clock.advance(SECOND);
  const [a = "", b = "", c = "", d = ""] = phones(4);
  await create(scenario, notice([a, b], { from: "+911244001100" }));
  await app.clock.advance(SECOND);
  const answer = await post(scenario, notice([c, d], { from: "+911244001199" }));
  expect(answer.body.data.skipped).toEqual([{ to: d, reason: "daily_cap" }]);
  await app.clock.advance(SECOND);
  const over = await single(scenario, d, "+911244001199");
  expect([over.status, over.body.error.code]).toEqual([429, "rate_limited"]);
  expect((await single(scenario, a, "+911244001199")).status).toBe(201);
});

test("a scheduled broadcast skips no recipient at creation; at dispatch those over the daily cap are skipped and cost nothing", async () => {
  await using scenario = await startScenario({ ...charged, dailyCap: 2 });
  const answer = await post(scenario, notice(phones(4), { send_at: "2026-11-21T14:00:00+05:30" }));
  expect(answer.body.data.skipped).toEqual([]);
  await scenario.app.clock.advance(31 * MINUTE);
  const { id } = answer.body.data;
  expect(await fates(scenario, id)).toEqual([
    ["sent", null],
    ["sent", null],
    ["skipped", "daily cap"],
    ["skipped", "daily cap"],
  ]);
  expect(accountOf(scenario.app, scenario.shop).held).toBe(2 * RATE);
  await expectClosed(scenario, id);
});

test("two broadcasts that were both under the daily cap share it at dispatch", async () => {
  await using scenario = await startScenario({ dailyCap: 3 });
  const [one, two] = [await create(scenario, notice(phones(2))), await create(scenario, notice(phones(2, 10)))];
  await scenario.app.clock.advance(SECOND);
  const all = [...(await fates(scenario, one)), ...(await fates(scenario, two))].map(([status]) => status).toSorted();
  expect(all).toEqual(["sent", "sent", "sent", "skipped"]);
  expect(scenario.network.sent).toHaveLength(3);
});

test("a group's members over the daily cap are skipped at dispatch", async () => {
  await using scenario = await startScenario({ dailyCap: 2 });
  const group = await list(scenario, phones(3));
  const id = await run(scenario, { name: "x", template: "order_shipped", group });
  expect((await fates(scenario, id)).map(([status, reason]) => [status, reason])).toEqual([
    ["sent", null],
    ["sent", null],
    ["skipped", "daily cap"],
  ]);
});

test("the daily cap is rolling: a day after they were sent to, recipients leave it", async () => {
  await using scenario = await startScenario({ dailyCap: 2 });
  await run(scenario, notice(phones(2)));
  expect((await post(scenario, notice(phones(1, 10)))).body.data.skipped).toHaveLength(1);
  await using later = await restart(scenario, 24 * HOUR + SECOND);
  expect((await post(later, notice(phones(3, 10)))).body.data.skipped).toHaveLength(1);
});

test("a recipient whom the network refused no longer counts toward the daily cap", async () => {
  await using scenario = await startScenario({ dailyCap: 2 });
  scenario.network.next(refusal("131026", "recipient"));
  await run(scenario, notice(phones(2)));
  await report(scenario, scenario.network.sent.slice(1), "failed", 131026);
  expect((await post(scenario, notice(phones(2, 10)))).body.data.skipped).toEqual([]);
});

test("a daily cap set later counts earlier recipients, and a removed one skips none", async () => {
  await using scenario = await startScenario({ throughput: 1 });
  const { app, shop } = scenario;
  const id = await create(scenario, notice(phones(4)));
  await untilSent(scenario, 2);
  await app.store.write((tx) => void updateWorkspace(tx, shop.id, { dailyCap: 2 }));
  await app.clock.advance(10 * SECOND);
  expect((await fates(scenario, id)).map(([status]) => status)).toEqual(["sent", "sent", "skipped", "skipped"]);
  await app.store.write((tx) => void updateWorkspace(tx, shop.id, { dailyCap: null }));
  await run(scenario, notice(phones(4, 10)));
  await app.clock.advance(10 * SECOND);
  expect(scenario.network.sent).toHaveLength(6);
  expect((await show(scenario, id)).status).toBe("completed");
});

test("a throttled recipient who is then skipped by a cancel no longer counts toward the daily cap", async () => {
  await using scenario = await startScenario({ dailyCap: 1 });
  scenario.network.next(pairThrottled());
  const id = await run(scenario, notice(phones(1)));
  await cancel(scenario, id);
  expect((await post(scenario, notice(phones(1, 10)))).body.data.skipped).toEqual([]);
});
