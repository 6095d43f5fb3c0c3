/** People who share a number: how a message greets them. Pure. */

/** Titles are no names: "Dr Rao" is greeted by "Rao". Compared without case and final point. */
const TITLES = new Set(
  [
    ["mr", "mrs", "ms", "miss", "mx", "dr", "prof", "sir", "madam", "rev", "fr", "capt", "col", "maj", "lt", "hon"],
    ["shri", "shrimati", "smt", "sri", "kumari", "km", "pt", "pandit", "er", "adv", "ca"],
    ["sr", "sra", "srta", "don", "dona", "doña", "dra", "ing", "lic"],
    ["herr", "frau", "m", "mme", "mlle", "sig", "sigra", "dott", "bapak", "ibu"],
  ].flat(),
);

/** The first word of a name that is not a title; null when there is none. */
export function firstWordOf(name: string): string | null {
  const words = name.trim().split(/\s+/u);
  return words.find((word) => word !== "" && !TITLES.has(word.toLowerCase().replace(/\.$/u, ""))) ?? null;
}
