/**
 * Says how likely a text refuses messages, with a weight for each feature. `bun run train:refusals` learns the weights
 * from `test/refusals/corpus` and writes `refusal-weights.json`.
 */
import { gunzipSync } from "node:zlib";
import { once } from "#src/core/once.ts";
import { readFeatures } from "./refusal-features.ts";
import model from "./refusal-weights.json" with { type: "json" };

const weights = once(() => new Int8Array(gunzipSync(Buffer.from(model.weights, "base64"))));

/** The highest score of a part of the text, of which `words` are normalised: above 0 a refusal is likely. */
export function scoreRefusal(words: readonly string[], text: string): number {
  return Math.max(...readFeatures(words, text).map(scoreOf));
}

function scoreOf(features: Int32Array): number {
  const known = weights();
  let sum = 0;
  for (const feature of features) sum += known[feature] ?? 0;
  return model.bias + (sum * model.step) / Math.sqrt(features.length);
}
