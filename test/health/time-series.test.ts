/** Time series: the growth between two samples, no minute lost or counted twice, and at most one day kept. */
import { expect, test } from "bun:test";
import { createLog } from "#src/core/log.ts";
import { Histogram, LATENCY_SECONDS, Metrics } from "#src/core/metrics.ts";
import { quantileOf, TimeSeries } from "#src/health/time-series.ts";
import { TestClock } from "#test/support/clock.ts";

const log = createLog({
  level: "error",
  format: "text",
  now: () => 0,
  write: (line) => {
    throw new Error(line);
  },
});

function counters() {
  const metrics = new Metrics();
  const state = { rows: 3, age: 0 };
  metrics.gauge("waxwing_outbox_rows", "Work.", () => [
    [{ kind: "a" }, state.rows],
    [{ kind: "b" }, 1],
  ]);
  metrics.gauge("waxwing_outbox_age_seconds", "Age.", () => [[{ kind: "a" }, state.age]]);
  metrics.gauge("waxwing_database_bytes", "Size.", () => [[{}, 4_096]]);
  const histogram = () => new Histogram(LATENCY_SECONDS);
  const sources = {
    metrics,
    requests: histogram(),
    sends: histogram(),
    deliveries: histogram(),
    commits: histogram(),
  };
  return { state, sources };
}

test("a minute holds the growth of the totals, each outcome counted separately; the open minute is included", async () => {
  const { sources, state } = counters();
  const clock = new TestClock("2026-11-21T08:00:00Z");
  sources.sends.observe(0.2, { outcome: "accepted" });
  const timeSeries = new TimeSeries({ sources, clock, timers: clock, log });
  timeSeries.start();
  for (const outcome of ["accepted", "accepted", "refused", "throttled", "unknown"])
    sources.sends.observe(0.02, { outcome });
  sources.deliveries.observe(0.1, { result: "2xx" });
  sources.deliveries.observe(0.1, { result: "5xx" });
  sources.deliveries.observe(0.1, { result: "timeout" });
  await clock.advance(60_000);
  sources.sends.observe(4, { outcome: "accepted" });
  state.rows = 9;
  await clock.advance(30_000);
  const [first, open, ...more] = await timeSeries.samples(60, 1);
  expect(more).toEqual([]);
  expect(first).toMatchObject({
    from: Date.parse("2026-11-21T08:00:00Z"),
    accepted: 2,
    refused: 2,
    unknown: 1,
    webhooksDelivered: 1,
    webhooksFailed: 2,
    waiting: 4,
    api: { count: 0, p50: null, p99: null },
  });
  expect(open).toMatchObject({ accepted: 1, refused: 0, waiting: 10, network: { p50: 3.75 } });
  // Reading changes nothing, and steps merge the minutes.
  expect(await timeSeries.samples(60, 5)).toEqual([
    expect.objectContaining({ accepted: 3, refused: 2, waiting: 10, from: Date.parse("2026-11-21T08:00:00Z") }),
  ]);
  timeSeries.stop();
  await clock.advance(600_000);
  expect((await timeSeries.samples(60, 1)).length).toBe(2);
});

test("a gauge that cannot be read is null, not zero", async () => {
  const { sources } = counters();
  const broken = new Metrics();
  for (const name of ["waxwing_outbox_rows", "waxwing_outbox_age_seconds", "waxwing_database_bytes"]) {
    broken.gauge(name, "Broken.", () => Promise.reject(new Error("no")));
  }
  const clock = new TestClock();
  const [point] = await new TimeSeries({
    sources: { ...sources, metrics: broken },
    clock,
    timers: clock,
    log,
  }).samples(60, 1);
  expect(point).toMatchObject({ accepted: 0, waiting: null, age: null, databaseBytes: null });
});

test("one day is kept and no more", async () => {
  const { sources } = counters();
  const clock = new TestClock("2026-11-21T08:00:00Z");
  const timeSeries = new TimeSeries({ sources, clock, timers: clock, log });
  for (let minute = 0; minute < 1_600; minute++) {
    sources.sends.observe(0.02, { outcome: "accepted" });
    clock.setWall(60_000);
    await timeSeries.runOnce();
  }
  const points = await timeSeries.samples(10_000, 1);
  expect(points.length).toBeLessThanOrEqual(1_441);
  const day = await timeSeries.samples(24 * 60, 15);
  expect(day.length).toBeLessThanOrEqual(97);
  expect(day.reduce((sum, { accepted }) => sum + accepted, 0)).toBe(1_440);
});

test("a quantile is computed from the buckets as Prometheus does", () => {
  const counts = new Array<number>(LATENCY_SECONDS.length + 1).fill(0);
  expect(quantileOf(counts, 0.5)).toBeNull();
  counts[3] = 10;
  expect(quantileOf(counts, 0.5)).toBeCloseTo(0.0075);
  counts[4] = 10;
  expect(quantileOf(counts, 0.5)).toBeCloseTo(0.01);
  expect(quantileOf(counts, 0.75)).toBeCloseTo(0.0175);
  counts.fill(0);
  counts[LATENCY_SECONDS.length] = 1;
  expect(quantileOf(counts, 0.5)).toBe(30);
});
