/**
 * Learns the weights of the model by logistic regression over the corpus. Uses additions, multiplications and square
 * roots alone, in a fixed order, so that every machine learns the same weights.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { normalizeText } from "#src/domain/workspaces/normalize-command.ts";
import { BUCKETS, readClauses, readFeatures } from "#src/domain/workspaces/refusal-features.ts";
import { languages, languagesOf, readCorpus } from "./corpus.ts";

const RUNS = 3;
const ROUNDS = 12;
const LEARNING_RATE = 0.5;
const BIAS_RATE = 0.01;
const DECAY = 3e-4;
const FOLDS = 5;
/** `other` holds few lines, among them those of the table of what people write that are easily heard wrongly. */
const OTHER_WEIGHT = 3;
/** Weights beyond this are stored as this, so that the others are stored more exactly. */
const WEIGHT_MAX = 4;

interface Example {
  language: string;
  text: string;
  isRefusal: boolean;
  weight: number;
  features: Int32Array;
}

interface Weights {
  bias: number;
  weights: Float64Array;
}

/** Learns from the open half and the lines written for training. Returns what `refusal-weights.bin` holds. */
export function trainModel(): Buffer {
  return stored(learn([...readExamples("open"), ...readExamples("train")]));
}

/** Of all that the weights are made of: the lines, and the code that reads and learns them. */
export function digestOfSources(): string {
  const project = join(import.meta.dir, "../..");
  const digest = createHash("sha256");
  for (const folder of ["test/refusals/corpus/open", "test/refusals/corpus/train", "src/domain/workspaces"])
    for (const name of readdirSync(join(project, folder)).toSorted())
      if (/\.tsv$|^refusal(?!-weights).*\.ts$|^normalize-command/.test(name))
        digest.update(readFileSync(join(project, folder, name)));
  return digest.update(readFileSync(import.meta.filename)).digest("hex");
}

/** Prints for several thresholds what a model hears in a fifth of the open half that it has not seen. */
export function crossValidate(listed?: string): void {
  const open = readExamples("open");
  const more = readExamples("train");
  const scored = Array.from({ length: FOLDS }, (_, fold) => {
    const learned = learn([...open.filter(({ text }) => foldOf(text) !== fold), ...more], 1);
    return open
      .filter(({ text }) => foldOf(text) === fold)
      .map((example) => ({ ...example, score: scoreOf(learned, example.features) }));
  }).flat();
  console.log("threshold  recall  false doubt  by language");
  for (let threshold = 0; threshold <= 3; threshold += 0.25) {
    const row = languages.map((language) => {
      const [heard, doubted] = shares(
        scored.filter((one) => one.language === language),
        threshold,
      );
      return `${language} ${heard}/${doubted}`;
    });
    const [heard, doubted] = shares(scored, threshold);
    console.log(threshold.toFixed(2).padEnd(10), heard.padEnd(7), doubted.padEnd(12), row.join(" "));
  }
  const shown = scored.filter(({ language }) => language === listed).toSorted((one, other) => one.score - other.score);
  for (const { isRefusal, text, score } of shown)
    if (isRefusal === score < 2 && (isRefusal || score > 0))
      console.log(score.toFixed(2), isRefusal ? "refusal" : "chat", text);
}

function shares(scored: readonly { isRefusal: boolean; score: number }[], threshold: number): [string, string] {
  const percent = (among: typeof scored) =>
    ((100 * among.filter(({ score }) => score >= threshold).length) / among.length).toFixed(1);
  return [percent(scored.filter(({ isRefusal }) => isRefusal)), percent(scored.filter(({ isRefusal }) => !isRefusal))];
}

function readExamples(half: "open" | "train"): Example[] {
  return languagesOf(half).flatMap((language) =>
    readCorpus(half, language).map(({ isRefusal, text }) => {
      const weight = language === "other" ? OTHER_WEIGHT : 1;
      const features = readFeatures(readClauses(normalizeText(text)), text)[0] ?? new Int32Array();
      return { language, text, isRefusal, weight, features };
    }),
  );
}

function foldOf(text: string): number {
  return createHash("sha256").update(`fold ${text}`).digest().readUInt8(0) % FOLDS;
}

/**
 * AdaGrad: a feature that was seen often moves less. The weights are the mean of several runs, each in an order of its own,
 * and of all rounds of a run but the first: what one order happens to favour cancels out.
 */
function learn(examples: readonly Example[], runs = RUNS): Weights {
  const weights = new Float64Array(BUCKETS);
  const squares = new Float64Array(BUCKETS);
  const mean = { bias: 0, weights: new Float64Array(BUCKETS) };
  const share = 1 / (runs * (ROUNDS - 1));
  const order = [...examples];
  const random = randomNumbers();
  for (let run = 0; run < runs; run += 1) {
    const learned = { bias: 0, weights: weights.fill(0) };
    squares.fill(1e-6);
    for (let round = 0; round < ROUNDS; round += 1) {
      shuffle(order, random);
      for (const example of order) learnFrom(example, learned, squares);
      if (round === 0) continue;
      mean.bias += share * learned.bias;
      for (const [bucket, weight] of weights.entries()) {
        mean.weights[bucket] = (mean.weights[bucket] ?? 0) + share * weight;
      }
    }
  }
  return mean;
}

function learnFrom({ features, isRefusal, weight: counts }: Example, learned: Weights, squares: Float64Array): void {
  const { weights } = learned;
  const share = 1 / Math.sqrt(features.length);
  const error = counts * (logistic(scoreOf(learned, features)) - (isRefusal ? 1 : 0));
  learned.bias -= BIAS_RATE * error;
  for (const feature of features) {
    const weight = weights[feature] ?? 0;
    const slope = error * share + DECAY * weight;
    const square = (squares[feature] ?? 0) + slope * slope;
    squares[feature] = square;
    weights[feature] = weight - (LEARNING_RATE * slope) / Math.sqrt(square);
  }
}

function scoreOf({ bias, weights }: Weights, features: Int32Array): number {
  let sum = 0;
  for (const feature of features) sum += weights[feature] ?? 0;
  return bias + sum / Math.sqrt(features.length);
}

/** `Math.exp` may differ by a bit between machines; (1 + x / 2 ** 20) ** (2 ** 20), by squaring, does not. */
function logistic(score: number): number {
  const doublings = 20;
  let power = 1 - Math.max(-30, Math.min(30, score)) / 2 ** doublings;
  for (let doubling = 0; doubling < doublings; doubling += 1) power *= power;
  return 1 / (1 + power);
}

function* randomNumbers(): Generator<number, never> {
  let state = 1;
  for (;;) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    yield state;
  }
}

function shuffle(examples: Example[], random: Iterator<number, never>): void {
  for (let last = examples.length - 1; last > 0; last -= 1) {
    const other = random.next().value % (last + 1);
    const [one, two] = [examples[last], examples[other]];
    if (one === undefined || two === undefined) continue;
    examples[last] = two;
    examples[other] = one;
  }
}

function stored({ bias, weights }: Weights): Buffer {
  const levelMax = 127;
  const bytes = new Int8Array(BUCKETS);
  for (const [bucket, weight] of weights.entries()) {
    const level = Math.round((levelMax * weight) / WEIGHT_MAX);
    bytes[bucket] = Math.max(-levelMax, Math.min(levelMax, level));
  }
  const head = `${JSON.stringify({ sources: digestOfSources(), bias, step: WEIGHT_MAX / levelMax })}\n`;
  return Buffer.concat([Buffer.from(head), new Uint8Array(bytes.buffer)]);
}
