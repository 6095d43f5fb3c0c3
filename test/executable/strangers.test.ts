/**
 * The executable under attack by strangers: hundreds of connections with bodies that never end, or come again and again. Memory stays bounded,
 * signed callbacks and requests with a key are answered as usual, and no effect remains afterwards. `bun run
 * bench:strangers` runs every attack, and for longer.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { attacks, type Besieged, besiege } from "#test/support/strangers.ts";

const LIMIT_MS = 180_000;
const ATTACK_MS = 1_200;
/** 32 MiB of bodies, and what the allocator and the garbage collector keep for reuse. */
const GROWTH_MIB_MAX = 100;
/** The runtime keeps more of bodies whose length it does not know. */
const CHUNKED_GROWTH_MIB_MAX = 150;
/**
 * Limit of every answer, without the time in which other processes had the server's processor, and of the median and
 * the 90th percentile with that time.
 */
const ANSWER_MS_MAX = 250;
const ROUNDS_MAX = 4;
/** The strangers have the processor time that others leave: a round in which they had no answer does not count. */
const IDLE_ROUNDS_MAX = 8;

let server: Besieged;
beforeAll(async () => {
  server = await besiege();
  for (let count = 0; count < 20; count++) await Promise.all([server.read(), server.signedCallback(2_000)]);
}, LIMIT_MS);
afterAll(() => server[Symbol.asyncDispose]());

for (const name of [
  "300 × 4 MiB, wrong signature",
  "300 slow × 4 MiB, wrong signature",
  "300 × 4 MiB, unsigned",
  "300 × 1 MiB, sign-in",
  "300 slow × 64 KiB, sign-in",
  "300 × 1 MiB, wrong key",
  "300 × 4 MiB in chunks, wrong signature",
] as const) {
  test(
    `${name}: memory stays bounded and other callers are answered`,
    async () => {
      // As below: other work slows some rounds down.
      let [callbackMs, readMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let round = 0; round < ROUNDS_MAX && Math.max(callbackMs, readMs) >= ANSWER_MS_MAX; round++) {
        const seen = await server.attack(attacks[name], ATTACK_MS);
        console.log(name, JSON.stringify(seen));
        expect(seen).toMatchObject({ callbackStatuses: [200], readStatuses: [200] });
        expect(seen.grownBy).toBeLessThan(name.includes("chunks") ? CHUNKED_GROWTH_MIB_MAX : GROWTH_MIB_MAX);
        expect(seen.slowestOwnMs).toBeLessThan(ANSWER_MS_MAX);
        callbackMs = Math.min(callbackMs, seen.usualCallbackMs);
        readMs = Math.min(readMs, seen.usualReadMs);
      }
      expect(callbackMs).toBeLessThan(ANSWER_MS_MAX);
      expect(readMs).toBeLessThan(ANSWER_MS_MAX);
    },
    LIMIT_MS,
  );
}

test(
  "300 complete bodies again and again, 300 slow ones and 300 idle connections at once: every answer takes the server less than 250 ms, and nine of ten come within them",
  async () => {
    const name = "300 × 4 MiB again and again, 300 slow, 300 idle, wrong signature";
    // Other work on the machine slows some rounds down; an attack that works slows all of them down.
    const none = Number.POSITIVE_INFINITY;
    let best = { callback: none, read: none, own: none };
    let [rounds, idle] = [0, 0];
    while (rounds < ROUNDS_MAX && idle < IDLE_ROUNDS_MAX && Math.max(...Object.values(best)) >= ANSWER_MS_MAX) {
      const seen = await server.attack(attacks[name], 2 * ATTACK_MS);
      console.log(name, JSON.stringify(seen));
      expect(seen).toMatchObject({ callbackStatuses: [200], readStatuses: [200] });
      expect(seen.grownBy).toBeLessThan(GROWTH_MIB_MAX);
      if (seen.strangersGot["503"] === undefined) {
        idle += 1;
        continue;
      }
      rounds += 1;
      best = {
        callback: Math.min(best.callback, seen.lateCallbackMs),
        read: Math.min(best.read, seen.lateReadMs),
        own: Math.min(best.own, seen.slowestOwnMs),
      };
    }
    expect(rounds).toBeGreaterThan(0);
    expect(best.callback).toBeLessThan(ANSWER_MS_MAX);
    expect(best.read).toBeLessThan(ANSWER_MS_MAX);
    expect(best.own).toBeLessThan(ANSWER_MS_MAX);
  },
  5 * LIMIT_MS,
);

test(
  "after the attacks, as many of the largest callbacks are accepted at once as before",
  async () => {
    const statuses = await Promise.all(Array.from({ length: 12 }, () => server.signedCallback(4 * 1024 * 1024)));
    expect(statuses).toEqual(Array.from({ length: 12 }, () => 200));
  },
  LIMIT_MS,
);
