import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { mutants } from "./mutants.ts";
import { playRound, type Told } from "./round.ts";
import { buildTown } from "./town.ts";

/** Other stories can be asked for; a failing one names its own seed. */
const FIRST = Number(process.env.SIM_SEED ?? 1);

function tell({ seed, hash, fault, story }: Told, more: string): string {
  return `seed ${seed} (story ${hash}): ${fault}\nagain: bun run test:sim --seed ${seed} --rounds 1${more}\n${story.join("\n")}`;
}

test("whatever happens in whatever order, nothing is lost, nobody is sent to twice or against their will, and money closes", () => {
  using town = buildTown();
  let handOvers = 0;
  for (let seed = FIRST; seed < FIRST + 220; seed++) {
    const told = playRound(town, { seed });
    if (told.fault !== null) throw new Error(tell(told, ""));
    handOvers += told.handOvers;
  }
  expect(handOvers).toBeGreaterThan(1_000);
}, 120_000);

test("a broadcast under any interleaving of answers, statuses, stops, pauses and crashes reaches each person once at most, and its figures and money agree", () => {
  using town = buildTown();
  for (let seed = FIRST; seed < FIRST + 80; seed++) {
    const told = playRound(town, { seed, isOfBroadcasts: true });
    if (told.fault !== null) throw new Error(tell(told, " --broadcasts"));
  }
}, 120_000);

test("the same seed tells the same story", () => {
  using one = buildTown();
  using other = buildTown();
  for (let seed = 7_000; seed < 7_012; seed++) {
    const first = playRound(one, { seed });
    const second = playRound(other, { seed });
    expect(second.story).toEqual(first.story);
    expect(second.hash).toBe(first.hash);
  }
  expect(playRound(one, { seed: 7_100 }).hash).not.toBe(playRound(one, { seed: 7_101 }).hash);
}, 60_000);

test("every bug that is put in by hand still fits the source", () => {
  const root = resolve(import.meta.dir, "../..");
  for (const { name, file, find } of mutants) {
    const path = join(root, file);
    expect({ name, isThere: existsSync(path) }).toEqual({ name, isThere: true });
    expect({ name, times: readFileSync(path, "utf8").split(find).length - 1 }).toEqual({ name, times: 1 });
  }
});
