/**
 * Says how likely a text refuses messages, with a weight for each feature. `bun run train:refusals` learns the weights
 * from `test/refusals/corpus` and writes `refusal-weights.bin`: a line of JSON, then a byte for each
 * bucket.
 */
import { readFileSync } from "node:fs";
import { once } from "#src/core/once.ts";
import { type Clause, readFeatures } from "./refusal-features.ts";
import file from "./refusal-weights.bin" with { type: "file" };

interface Model {
  /** What the weights were learned from: see `test/refusals/train.ts`. */
  sources: string;
  bias: number;
  /** What is stored for a bucket times this is its weight. */
  step: number;
  weights: Int8Array;
}

/** Read at the first text: only a server with customers needs it. */
export const refusalModel = once((): Model => {
  const bytes = readFileSync(file);
  const start = bytes.indexOf("\n") + 1;
  return {
    ...JSON.parse(bytes.toString("utf8", 0, start)),
    weights: new Int8Array(bytes.buffer, bytes.byteOffset + start),
  };
});

/** The highest score of a part of the text, of which `clauses` are normalised: above 0 a refusal is likely. */
export function scoreRefusal(clauses: readonly Clause[], text: string): number {
  return Math.max(...readFeatures(clauses, text).map(scoreOf));
}

function scoreOf(features: Int32Array): number {
  const { bias, step, weights } = refusalModel();
  let sum = 0;
  // An index, because an iterator over a typed array takes as long again.
  for (let at = 0; at < features.length; at += 1) sum += weights[features[at] ?? 0] ?? 0;
  return bias + (sum * step) / Math.sqrt(features.length);
}
