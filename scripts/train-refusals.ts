/**
 * `bun run train:refusals` learns the weights by which refusals are heard from the corpus (`test/refusals/corpus/open`
 * and `train`, never the half that is held back) and writes `src/domain/workspaces/refusal-weights.bin`.
 * `--cross-validate` writes nothing and prints what a model hears that has not seen a fifth of the open half.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { crossValidate, trainModel } from "#test/refusals/train.ts";
import { readOptions } from "#test/support/options.ts";

const { values } = readOptions(
  {
    call: "bun run train:refusals",
    about: "Learns from the corpus how refusals are written, and writes the weights.",
  },
  {
    "cross-validate": { type: "boolean", about: "print thresholds, recall and false doubt for unseen lines, and end" },
    misses: { type: "string", value: "LANGUAGE", about: "with --cross-validate: list what is heard wrongly" },
  },
);
if (values["cross-validate"] === true) {
  crossValidate(values.misses);
} else {
  const file = join(import.meta.dir, "../src/domain/workspaces/refusal-weights.bin");
  const model = trainModel();
  writeFileSync(file, model);
  console.log(`${model.length} bytes of weights in ${file}`);
}
