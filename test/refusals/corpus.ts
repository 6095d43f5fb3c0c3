/** The corpus of refusals and shop chat: a file for each language, a line with its label and its text. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** `train` holds lines written for the model alone, `held` those from which nothing learns and which no person reads. */
export type Half = "open" | "held";

type Label = "stop" | "doubt" | "chat" | "trap";

export interface Line {
  label: Label;
  text: string;
  isRefusal: boolean;
}

const corpus = join(import.meta.dir, "corpus");

/** Names of the files of a part of the corpus; `other` holds lines in languages that have no file of their own. */
export function languagesOf(part: Half | "train"): string[] {
  return readdirSync(join(corpus, part))
    .map((name) => name.replace(".tsv", ""))
    .toSorted();
}

export const languages: readonly string[] = languagesOf("open");

export function readCorpus(half: Half | "train", language: string): Line[] {
  return readFileSync(join(corpus, half, `${language}.tsv`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [label = "", text = ""] = line.split("\t");
      if (!isLabel(label)) throw new Error(`A line of ${half}/${language}.tsv has no label.`);
      return { label, text, isRefusal: label === "stop" || label === "doubt" };
    });
}

function isLabel(label: string): label is Label {
  return ["stop", "doubt", "chat", "trap"].includes(label);
}
