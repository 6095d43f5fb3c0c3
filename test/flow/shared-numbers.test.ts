/** Which signs say that a number is shared, and which say whether opt-outs in threads of others are heard. */
import { expect, test } from "bun:test";
import { startThreads } from "#test/support/thread-world.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

test("each sign of another sender is kept with its time, once", async () => {
  await using world = await startThreads();
  const { app } = world;
  const signs = () =>
    app.store.client
      .prepare(
        "SELECT shared_since IS NOT NULL AS shared, routed_since AS routed, standby_since AS standby FROM numbers",
      )
      .get() as { shared: number; routed: number | null; standby: number | null };
  await world.writes();
  expect(signs()).toEqual({ shared: 0, routed: null, standby: null });
  await world.echo();
  // An answer on the phone takes nothing that people write away.
  expect(signs()).toEqual({ shared: 1, routed: null, standby: null });
  const passedAt = app.clock.now();
  await world.handover("control_taken");
  expect(signs()).toEqual({ shared: 1, routed: passedAt, standby: null });
  await app.clock.advance(1_000);
  const copiedAt = app.clock.now();
  await world.standby();
  await app.clock.advance(1_000);
  await world.standby();
  expect(signs()).toEqual({ shared: 1, routed: passedAt, standby: copiedAt });
});

test("the days on which something arrives are kept, of the last thirty; history is no arrival", async () => {
  await using world = await startThreads();
  const { app } = world;
  const days = () => app.store.client.prepare("SELECT count(*) FROM number_days").pluck().get();
  await world.writes({ agoMs: 3 * DAY_MS });
  await world.writes();
  expect(days()).toBe(1);
  await app.clock.pass(DAY_MS);
  await world.standby();
  expect(days()).toBe(2);
  // A month of the test's clock takes long: the rows are made older instead.
  app.store.client.exec(`UPDATE number_days SET day = day - ${31 * DAY_MS}`);
  await app.clock.pass(DAY_MS);
  expect(days()).toBe(0);
});
