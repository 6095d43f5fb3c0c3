/**
 * The simulation from the command line: `bun run test:sim [--seed N] [--rounds N] [--broadcasts] [--story] [--mutants]`.
 * Rounds have the seeds N, N + 1, …; a round that breaks something prints its seed and its story, and the run ends with 1.
 * `--broadcasts`: broadcasts alone, looked at thoroughly after every step. `--mutants`: bugs put in by hand, all of which
 * have to be found.
 */
import { parseArgs } from "node:util";
import { runMutants } from "./mutants.ts";
import { playRound } from "./round.ts";
import { buildTown } from "./town.ts";

if (import.meta.main) process.exit(main());

function main(): number {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: String(1 + (Date.now() % 1_000_000_000)) },
      rounds: { type: "string" },
      broadcasts: { type: "boolean", default: false },
      story: { type: "boolean", default: false },
      mutants: { type: "boolean", default: false },
    },
  });
  const first = Number(values.seed);
  if (values.mutants) return runMutants(Number(values.rounds ?? 2_000), first) === 0 ? 0 : 1;
  const rounds = Number(values.rounds ?? 300);
  using town = buildTown();
  const startedAt = performance.now();
  let [turns, handOvers, lives] = [0, 0, 0];
  for (let seed = first; seed < first + rounds; seed++) {
    const told = playRound(town, { seed, isOfBroadcasts: values.broadcasts });
    turns += told.turns;
    handOvers += told.handOvers;
    lives += told.lives;
    if (values.story) console.log(told.story.join("\n"));
    if (told.fault !== null) {
      if (!values.story) console.log(told.story.join("\n"));
      const again = `bun run test:sim --seed ${seed} --rounds 1${values.broadcasts ? " --broadcasts" : ""}`;
      console.log(
        `\nround ${seed - first + 1} of ${rounds} broke something (seed ${seed}, story ${told.hash}):\n${told.fault}\n\nagain: ${again}`,
      );
      return 1;
    }
    if ((seed - first + 1) % 1_000 === 0)
      console.log(`${seed - first + 1} rounds, ${rate(seed - first + 1, startedAt)} a second`);
  }
  const words = `${turns} turns, ${handOvers} hand-overs, ${lives} lives`;
  console.log(
    `${rounds} rounds from seed ${first}: nothing broke; ${words}; ${rate(rounds, startedAt)} rounds a second`,
  );
  return 0;
}

function rate(rounds: number, startedAt: number): string {
  return ((rounds * 1_000) / (performance.now() - startedAt)).toFixed(1);
}
