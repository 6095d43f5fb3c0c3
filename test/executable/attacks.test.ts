/**
 * The executable under the attacks of one workspace on the others: within its limits, it asks for the largest answers, does
 * not read them, or keeps as many connections as it may. Each for a moment; `scripts/attack-fairness.ts` is the long form.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { attacks } from "#test/support/neighbour-kinds.ts";
import { type Neighbours, settle } from "#test/support/neighbours.ts";

const LIMIT_MS = 180_000;
const PEOPLE = 2_000;
const ATTACK_MS = 800;
/** Other work on the machine slows some rounds down; an attack that others notice slows all of them down. */
const ROUNDS_MAX = 4;
const MAX = { meMs: 250, sendMs: 500, memoryMb: 400 };

let neighbours: Neighbours;
beforeAll(async () => {
  neighbours = await settle(PEOPLE);
  await neighbours.probe(ATTACK_MS);
}, LIMIT_MS);
afterAll(() => neighbours[Symbol.asyncDispose]());

for (const attack of attacks) {
  test(
    `beside ${attack} of one workspace, another's GET /me takes less than 250 ms and its POST /messages less than 500`,
    async () => {
      let late: unknown[] = ["no round yet"];
      for (let round = 0; round < ROUNDS_MAX && late.length > 0; round++) {
        const { beside, loaded } = await neighbours.probeBeside(attack, ATTACK_MS);
        expect([attack, loaded.unexpected]).toEqual([attack, []]);
        const [me, send] = [beside["GET /me"], beside["POST /messages"]];
        const isKept = me !== undefined && me.ownP99Ms < MAX.meMs && send !== undefined && send.ownP99Ms < MAX.sendMs;
        late = isKept ? [] : [{ me, send }];
      }
      expect(late).toEqual([]);
      expect(neighbours.memoryMb()).toBeLessThan(MAX.memoryMb);
    },
    LIMIT_MS,
  );
}
