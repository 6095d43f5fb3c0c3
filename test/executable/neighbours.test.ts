/**
 * The executable with workspaces of which one does as much as it may: searches, imports, exports, sends, bulk changes and
 * received files. Another one's users hardly notice. Beside other tests, only the time counts in which server and probe
 * had a processor. `bun run bench:neighbours` is the long form, in wall time.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { kinds } from "#test/support/neighbour-kinds.ts";
import { type Latencies, type Neighbours, settle } from "#test/support/neighbours.ts";

const LIMIT_MS = 300_000;
const PEOPLE = 20_000;
const ROUND_MS = 1_500;
/** Other work on the machine slows some rounds down; a load that others wait for slows all of them down. */
const ROUNDS_MAX = 8;
const MEDIAN_MS = 25;
const P99_MS = 250;

let neighbours: Neighbours;
beforeAll(async () => {
  neighbours = await settle(PEOPLE);
  await neighbours.probe(ROUND_MS);
}, LIMIT_MS);
afterAll(() => neighbours[Symbol.asyncDispose]());

/** The requests that are answered too late beside the load, each with its times. */
function slow(alone: Record<string, Latencies>, beside: Record<string, Latencies>): unknown[] {
  return Object.entries(beside).filter(([name, { ownMedianMs, ownP99Ms }]) => {
    const before = alone[name]?.ownMedianMs ?? 0;
    return ownMedianMs > Math.max(2 * before, MEDIAN_MS) || ownP99Ms >= P99_MS;
  });
}

for (const kind of kinds) {
  test(
    `${kind} of one workspace leave another's median at the larger of double and 25 ms, its 99th percentile under 250 ms`,
    async () => {
      let late: unknown[] = ["no round yet"];
      for (let round = 0; round < ROUNDS_MAX && late.length > 0; round++) {
        const alone = await neighbours.probe(ROUND_MS);
        const { beside, loaded } = await neighbours.probeBeside(kind, ROUND_MS);
        expect([kind, loaded.unexpected]).toEqual([kind, []]);
        expect(Object.values(beside).every(({ count }) => count > 0)).toBe(true);
        late = slow(alone, beside);
      }
      expect(late).toEqual([]);
    },
    LIMIT_MS,
  );
}
