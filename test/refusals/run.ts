/**
 * `bun run bench:refusals` prints how much of the corpus is heard, with 95 % intervals, and what hearing costs.
 * `unseen` is the held half without lines that also stand among those for training, short ones mostly.
 * `--misses LANGUAGE` lists what the open half shows; nothing lists lines of the held half. Exit code 1 when a goal is
 * missed on the held half.
 */
import { readRefusal } from "#src/domain/workspaces/read-command.ts";
import { readOptions } from "#test/support/options.ts";
import { languages } from "./corpus.ts";
import { type Count, interval, listMisses, measure } from "./measure.ts";

const RECALL_MIN = 0.95;
const FALSE_DOUBT_MAX = 0.01;
const TEXT_LENGTH = 4_096;
/** Texts that begin many refusals, or make many short or long words. */
const HOSTILE = [
  "stop ",
  "no me ",
  "dont ",
  "'",
  "a' ",
  "ما لا ",
  "unsubscrib ",
  "aaab",
  "please ",
  "stop sending me more ",
];

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

console.log("language half   recall                      opt out of stop     false doubt       false opt-outs");
let isMissed = false;
for (const language of languages) {
  for (const part of ["open", "held", "unseen"] as const) {
    const { recall, optedOut, falseDoubt, falseOptOut } = measure(language, part);
    console.log(language, "     ", part.padEnd(6), ...[recall, optedOut, falseDoubt, falseOptOut].map(show));
    if (part !== "held") continue;
    const isHeard = share(recall) >= RECALL_MIN && share(falseDoubt) <= FALSE_DOUBT_MAX && falseOptOut.count === 0;
    isMissed ||= !isHeard;
  }
}

const own = { stopWords: [], startWords: [] };
console.log("\nfastest of 300 readings");
const question = "Hello, is the blue dress in size 40 still available, and can I pick it up tomorrow at five?";
console.log(`${fastest(question)} µs for a question of ${question.length} characters`);
for (const part of HOSTILE) {
  const text = part.repeat(TEXT_LENGTH / part.length + 1).slice(0, TEXT_LENGTH);
  console.log(`${fastest(text)} µs for ${TEXT_LENGTH} characters of ${JSON.stringify(part)}`);
}
process.exit(isMissed ? 1 : 0);

/** Microseconds. Other processes of the machine only make a reading slower. */
function fastest(text: string): string {
  let min = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 300; round += 1) {
    const started = performance.now();
    readRefusal(text, own);
    min = Math.min(min, performance.now() - started);
  }
  return (min * 1_000).toFixed(0).padStart(4);
}

function share({ count, of }: Count): number {
  return count / of;
}

function show(counted: Count): string {
  const [low, high] = interval(counted);
  const percent = ((100 * counted.count) / counted.of).toFixed(1);
  return `${counted.count}/${counted.of} ${percent} % (${low.toFixed(1)}–${high.toFixed(1)})`.padEnd(28);
}
