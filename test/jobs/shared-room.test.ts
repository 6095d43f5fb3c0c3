/** How queues share a number of jobs in flight. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { takeTurns } from "#src/jobs/shared-room.ts";

const LIMIT = 8;
const OWN_LIMIT = 4;

/** Begins what may begin; the jobs of queues named in `stuck` never end, all others end at once. */
function run(names: string, waiting: Readonly<Record<string, number>>, stuck: string, rounds: number) {
  const queues = [...names].map((name) => ({ name, left: waiting[name] ?? 0, inFlight: 0, lastTurn: 0, done: 0 }));
  let turn = 0;
  const order: string[] = [];
  for (let round = 0; round < rounds; round++) {
    const offered = queues.map((queue) => ({
      inFlight: queue.inFlight,
      due: Array.from({ length: Math.min(queue.left, OWN_LIMIT - queue.inFlight) }, () => queue.name),
      lastTurn: queue.lastTurn,
    }));
    for (const name of takeTurns(offered, LIMIT)) {
      const queue = queues.find((one) => one.name === name);
      if (queue === undefined) throw new Error("no such queue");
      order.push(name);
      queue.lastTurn = ++turn;
      queue.left -= 1;
      queue.inFlight += 1;
    }
    expect(queues.reduce((sum, { inFlight }) => sum + inFlight, 0)).toBeLessThanOrEqual(LIMIT);
    for (const queue of queues.filter(({ name }) => !stuck.includes(name))) {
      queue.done += queue.inFlight;
      queue.inFlight = 0;
    }
  }
  return { order, ...Object.fromEntries(queues.map(({ name, inFlight, done }) => [name, { inFlight, done }])) };
}

describe("shared room", () => {
  test("two queues have half of it each", () => {
    expect(run("ab", { a: 20, b: 20 }, "ab", 5)).toMatchObject({ a: { inFlight: 4 }, b: { inFlight: 4 } });
  });

  test("two queues that hang leave a third its share, whenever its first job comes", () => {
    expect(run("abc", { a: 20, b: 20 }, "ab", 5)).toMatchObject({ a: { inFlight: 3 }, b: { inFlight: 3 } });
    expect(run("abc", { a: 20, b: 20, c: 10 }, "ab", 5)).toMatchObject({ c: { done: 10 } });
  });

  test("a busy queue among idle ones has more than its share", () => {
    expect(run("abcd", { a: 20 }, "a", 1)).toMatchObject({ a: { inFlight: 2 } });
    expect(run("abc", { a: 20 }, "a", 1)).toMatchObject({ a: { inFlight: 4 } });
  });

  test("ten queues of which nine have work take turns", () => {
    const names = "abcdefghij";
    const waiting = Object.fromEntries([...names.slice(0, 9)].map((name) => [name, 5]));
    const { order } = run(names, waiting, "", 6);
    expect(order.length).toBe(45);
    const counts = [...names.slice(0, 9)].map((name) => order.slice(0, 18).filter((one) => one === name).length);
    expect(counts).toEqual(Array.from({ length: 9 }, () => 2));
  });

  test("never more than the limit, and every queue with work progresses while fewer than all hang", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 30 }), { minLength: 2, maxLength: 8 }),
        fc.nat({ max: 6 }),
        (counts, hanging) => {
          const names = "abcdefgh".slice(0, counts.length);
          const stuck = names.slice(0, Math.min(hanging, counts.length - 1));
          const result = run(
            names,
            Object.fromEntries([...names].map((name, index) => [name, counts[index] ?? 0])),
            stuck,
            80,
          );
          for (const [index, name] of [...names].entries()) {
            if (!stuck.includes(name)) expect(result).toMatchObject({ [name]: { done: counts[index] } });
          }
        },
      ),
    );
  });
});
