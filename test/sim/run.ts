/**
 * The simulation from the command line: `bun run test:sim [--seed N] [--rounds N] [--broadcasts] [--jobs N]
 * [--scenario] [--mutants]`.
 * Rounds have the seeds N, N + 1, …; a round that breaks something prints its seed and its scenario, and the run exits
 * with 1. `--broadcasts`: broadcasts alone, checked thoroughly after every step. `--mutants`: bugs inserted on purpose,
 * all of which must be found; `--mutant WORDS`: only those with these words in their name.
 */

import { readOptions } from "#test/support/options.ts";
import { runMutants } from "./mutants.ts";
import { playRound } from "./round.ts";
import { buildTown } from "./town.ts";

if (import.meta.main) process.exit(await main());

async function main(): Promise<number> {
  const { values } = readOptions(
    { call: "bun run test:sim", about: "Plays rounds of the simulation; each is repeated by its seed." },
    {
      seed: { type: "string", about: "of the first round; without: by the clock" },
      rounds: { type: "string", about: "how many; without: 300" },
      jobs: { type: "string", default: "1", about: "how many processes share them" },
      broadcasts: { type: "boolean", default: false, about: "plays broadcasts only" },
      scenario: { type: "boolean", default: false, about: "prints what happened in each round" },
      mutants: { type: "boolean", default: false, about: "shows that bugs that are inserted on purpose are found" },
      mutant: { type: "string", value: "NAME", about: "one of them, by a part of its name" },
    },
  );
  const first = Number(values.seed ?? 1 + (Date.now() % 1_000_000_000));
  if (values.mutants || values.mutant !== undefined) {
    return runMutants(Number(values.rounds ?? 2_000), first, values.mutant) === 0 ? 0 : 1;
  }
  const rounds = Number(values.rounds ?? 300);
  const jobs = Number(values.jobs);
  const { broadcasts: isOfBroadcasts, scenario: isTold } = values;
  if (jobs > 1) return playInParallel(first, rounds, jobs, isOfBroadcasts);
  return play({ first, rounds, isOfBroadcasts, isTold });
}

/** Each job plays some of the seeds in its own process; jobs share nothing. */
async function playInParallel(first: number, rounds: number, jobs: number, isOfBroadcasts: boolean): Promise<number> {
  const startedAt = performance.now();
  const each = Math.ceil(rounds / jobs);
  const codes = await Promise.all(
    Array.from({ length: jobs }, (_, job) => {
      const seed = first + job * each;
      const count = Math.min(each, first + rounds - seed);
      const flags = isOfBroadcasts ? ["--broadcasts"] : [];
      const command = [process.execPath, import.meta.path, "--seed", String(seed), "--rounds", String(count), ...flags];
      return count <= 0 ? 0 : Bun.spawn(command, { stdout: "inherit", stderr: "inherit" }).exited;
    }),
  );
  const isSound = codes.every((code) => code === 0);
  console.log(
    `${rounds} rounds in ${jobs} jobs: ${isSound ? "nothing broke" : "something broke"}; ${rate(rounds, startedAt)} rounds a second`,
  );
  return isSound ? 0 : 1;
}

interface Play {
  /** The seed of the first round. */
  first: number;
  rounds: number;
  isOfBroadcasts: boolean;
  isTold?: boolean;
}

/** Returns 1 for a round that broke something, whose scenario and seed are printed. */
export function play({ first, rounds, isOfBroadcasts, isTold = false }: Play): number {
  using town = buildTown();
  const startedAt = performance.now();
  let [turns, dispatches, lives] = [0, 0, 0];
  for (let seed = first; seed < first + rounds; seed++) {
    const told = playRound(town, { seed, isOfBroadcasts });
    turns += told.turns;
    dispatches += told.dispatches;
    lives += told.lives;
    const done = seed - first + 1;
    if (isTold || told.fault !== null) console.log(told.scenario.join("\n"));
    if (told.fault !== null) {
      const again = `bun run test:sim --seed ${seed} --rounds 1${isOfBroadcasts ? " --broadcasts" : ""}`;
      console.log(`\nround ${done} of ${rounds} broke something (seed ${seed}, scenario ${told.hash}):\n${told.fault}`);
      console.log(`\nagain: ${again}`);
      return 1;
    }
    if (done % 250 === 0) console.log(`${done} rounds from seed ${first}, ${rate(done, startedAt)} a second`);
  }
  const words = `${turns} turns, ${dispatches} dispatches, ${lives} lives`;
  console.log(
    `${rounds} rounds from seed ${first}: nothing broke; ${words}; ${rate(rounds, startedAt)} rounds a second`,
  );
  return 0;
}

function rate(rounds: number, startedAt: number): string {
  return ((rounds * 1_000) / (performance.now() - startedAt)).toFixed(1);
}
