/**
 * `bun run bench:refusals` prints how much of the corpus is heard, with 95 % intervals, and what hearing costs.
 * `--misses LANGUAGE` lists what the open half shows; nothing lists lines of the held half. Exit code 1 when a goal is
 * missed on the held half.
 */
import { readRefusal } from "#src/domain/workspaces/read-command.ts";
import { readOptions } from "#test/support/options.ts";
import { languages } from "./corpus.ts";
import { type Count, interval, listMisses, measure } from "./measure.ts";

const RECALL_MIN = 0.95;
const FALSE_DOUBT_MAX = 0.01;

const { values } = readOptions(
  {
    call: "bun run bench:refusals",
    about: "Measures how much of the corpus of refusals is heard, and what hearing costs.",
  },
  {
    misses: { type: "string", value: "LANGUAGE", about: "list what the open half of a language misses, and end" },
  },
);
if (values.misses !== undefined) {
  for (const line of listMisses(values.misses)) console.log(line);
  process.exit(0);
}

console.log("language half  recall                      opt out of stop     false doubt       false opt-outs");
let isMissed = false;
for (const language of languages) {
  for (const half of ["open", "held"] as const) {
    const { recall, optedOut, falseDoubt, falseOptOut } = measure(language, half);
    console.log(language, "     ", half, ...[recall, optedOut, falseDoubt, falseOptOut].map(show));
    if (half === "open") continue;
    const isHeard = share(recall) >= RECALL_MIN && share(falseDoubt) <= FALSE_DOUBT_MAX && falseOptOut.count === 0;
    isMissed ||= !isHeard;
  }
}

const text = "Hello, is the blue dress in size 40 still available, and can I pick it up tomorrow at five?";
const started = performance.now();
const rounds = 20_000;
for (let round = 0; round < rounds; round += 1) readRefusal(text, { stopWords: [], startWords: [] });
console.log(
  `${(((performance.now() - started) * 1_000) / rounds).toFixed(1)} µs for a text of ${text.length} characters`,
);
process.exit(isMissed ? 1 : 0);

function share({ count, of }: Count): number {
  return count / of;
}

function show(counted: Count): string {
  const [low, high] = interval(counted);
  const percent = ((100 * counted.count) / counted.of).toFixed(1);
  return `${counted.count}/${counted.of} ${percent} % (${low.toFixed(1)}–${high.toFixed(1)})`.padEnd(28);
}
