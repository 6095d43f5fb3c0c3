import { expect, test } from "bun:test";
import { RequestQueue } from "#src/net/request-queue.ts";

function start(limits = { poolMax: 3, totalMax: 5, reserve: 1 }) {
  const queue = new RequestQueue(limits);
  const started: string[] = [];
  return {
    started,
    enter: (name: string, pool: string, isBulk: boolean) => queue.enter(pool, isBulk, () => void started.push(name)),
  };
}

test("a pool has a limited number of bulk requests in progress, and the next starts when one ends", () => {
  const { started, enter } = start();
  const entered = ["a", "b", "c", "d", "e"].map((name) => enter(name, "x", true));
  expect(started).toEqual(["a", "b", "c"]);
  entered[0]?.leave();
  entered[0]?.leave();
  expect(started).toEqual(["a", "b", "c", "d"]);
});

test("a single request starts although a pool is full of bulk requests", () => {
  const { started, enter } = start();
  for (const name of ["a", "b", "c", "d"]) enter(name, "x", true);
  enter("single", "x", false);
  expect(started).toEqual(["a", "b", "c", "single"]);
});

test("of the requests that wait, single ones start first", () => {
  const { started, enter } = start();
  const [first] = ["a", "b", "c", "s1"].map((name) => enter(name, "x", name !== "s1" && true));
  enter("bulk", "x", true);
  enter("s2", "x", false);
  expect(started).toEqual(["a", "b", "c", "s1"]);
  first?.leave();
  expect(started).toEqual(["a", "b", "c", "s1", "s2"]);
});

test("a request that stops waiting never starts", () => {
  const { started, enter } = start();
  const entered = ["a", "b", "c", "d", "e"].map((name) => enter(name, "x", true));
  entered[3]?.leave();
  entered[0]?.leave();
  expect(started).toEqual(["a", "b", "c", "e"]);
});

test("pools take turns where the total is the limit", () => {
  const { started, enter } = start({ poolMax: 10, totalMax: 2, reserve: 0 });
  const entered = ["x1", "x2", "x3", "x4"].map((name) => enter(name, "x", true));
  for (const name of ["y1", "y2"]) enter(name, "y", true);
  entered[0]?.leave();
  entered[1]?.leave();
  expect(started.slice(2).sort()).toEqual(["x3", "y1"]);
});
