/** The short form of `bun run test:fuzz-callbacks`. */
import { expect, test } from "bun:test";
import { fuzzCallbacks, timeFields } from "./callbacks.ts";

test("500 signed callbacks, recorded and mutated, are all stored; none is put aside and no other request waits long", async () => {
  const report = await fuzzCallbacks({ seed: 20_261_122, bodies: 500 });
  console.log(JSON.stringify(report));
  expect(report.statuses).toEqual({ "200": 500 });
  expect(report.states).not.toHaveProperty("quarantined");
  expect([report.genuine > 50, report.lost]).toEqual([true, 0]);
  expect(report.slowestAnswerMs).toBeLessThan(1_000);
}, 120_000);

test("a text in any place of a callback takes time in proportion to its length", async () => {
  const times = await timeFields(100_000, ["! "]);
  expect(times.length).toBeGreaterThan(60);
  expect(times.filter(({ isLinear }) => !isLinear)).toEqual([]);
}, 120_000);
