/**
 * The words of a text, in one form for the index and for what is searched: without case, accents and variants of width.
 * Scripts that are written without spaces (Han, Kana, Thai, Lao, Khmer) are indexed as overlapping pairs of characters.
 * An emoji is a word of its own, which SQLite's tokenizer would skip: it is indexed as its code point.
 */

/** Begins the tokens that are no words. Characters for private use are in no word, so no text contains one. */
export const OWN = "\uE000";
const EMOJI = "\uE001";

const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\u30FC\uFF70\uFF9E\uFF9F";
const PIECE = new RegExp(
  `(?<unspaced>[${UNSPACED}][${UNSPACED}\\p{M}]*)|(?<emoji>\\p{Extended_Pictographic}|\\p{Regional_Indicator})|(?<word>(?:(?![${UNSPACED}])[\\p{L}\\p{N}\\p{M}])+)`,
  "gu",
);
/** Accents of Latin, Greek and Cyrillic, and the vowel signs and the stretching of Arabic. */
const ACCENTS = /[\u0300-\u036F\u064B-\u065F\u0670\u0640]/g;

/** A word, a character of an unspaced script, or an emoji, and where it stands in the text. */
interface Unit {
  folded: string;
  kind: "word" | "character" | "emoji";
  start: number;
  end: number;
}

function fold(text: string): string {
  return text.normalize("NFKD").replace(ACCENTS, "").normalize("NFC").toLowerCase();
}

function unitsOf(text: string): Unit[] {
  return [...text.matchAll(PIECE)].flatMap((piece): Unit[] => {
    const [whole] = piece;
    const start = piece.index;
    const end = start + whole.length;
    if (piece.groups?.emoji !== undefined)
      return [{ folded: `${EMOJI}${whole.codePointAt(0)?.toString(16)}`, kind: "emoji", start, end }];
    if (piece.groups?.unspaced !== undefined) {
      let at = start;
      return [...whole].flatMap((character) => {
        const from = at;
        at += character.length;
        return [...fold(character)].map((folded) => ({ folded, kind: "character", start: from, end: at }));
      });
    }
    return fold(whole)
      .split(/[^\p{L}\p{N}\p{M}]+/u)
      .filter((folded) => folded !== "")
      .map((folded) => ({ folded, kind: "word", start, end }));
  });
}

/** Characters that follow each other directly. */
function runsOf(units: readonly Unit[]): Unit[][] {
  const runs: Unit[][] = [];
  for (const unit of units) {
    const last = runs.at(-1)?.at(-1);
    const continues = unit.kind === "character" && last?.kind === "character" && last.end >= unit.start;
    if (continues) runs.at(-1)?.push(unit);
    else runs.push([unit]);
  }
  return runs;
}

function pairsOf(run: readonly Unit[]): string[] {
  return run.slice(1).map(({ folded }, index) => `${run[index]?.folded}${folded}`);
}

/** The terms of a text, as they are indexed, with a space between them. */
export function indexTerms(text: string): string {
  // The last character of a run stands alone, too: it begins no pair.
  return runsOf(unitsOf(text))
    .flatMap((run) => [...pairsOf(run), run.at(-1)?.folded ?? ""])
    .join(" ");
}

/** A word of what is searched: units that follow each other; the last may be the beginning of a longer one. */
export interface Phrase {
  units: readonly Unit[];
}

/** The words between spaces: `A-1042` is one phrase of two units. */
export function phrasesOf(query: string): Phrase[] {
  return query
    .split(/\s+/u)
    .map((word) => ({ units: unitsOf(word) }))
    .filter(({ units }) => units.length > 0);
}

/** The expression of FTS5 that finds the phrase. */
export function matchOf({ units }: Phrase): string {
  const runs = runsOf(units);
  const terms = runs.flatMap((run, index) => {
    const pairs = pairsOf(run);
    if (pairs.length === 0) return [run[0]?.folded ?? ""];
    // Inside a phrase, the last character of a run stands alone as it does in the index.
    return index === runs.length - 1 ? pairs : [...pairs, run.at(-1)?.folded ?? ""];
  });
  const last = runs.at(-1);
  const isBeginning = last?.length === 1 && last[0]?.kind !== "emoji";
  return `"${terms.join(" ")}"${isBeginning ? " *" : ""}`;
}

/** Where the phrases stand in the text, in order, without overlaps: `[start, end)` in UTF-16 units. */
export function findPhrases(text: string, phrases: readonly Phrase[]): [number, number][] {
  const units = unitsOf(text);
  const found: [number, number][] = [];
  for (let at = 0; at < units.length; at++) {
    for (const { units: wanted } of phrases) {
      const isThere = wanted.every((unit, index) => {
        const own = units[at + index];
        if (own === undefined) return false;
        const isLast = index === wanted.length - 1 && unit.kind === "word";
        return own.folded === unit.folded || (isLast && own.folded.startsWith(unit.folded));
      });
      const end = units[at + wanted.length - 1]?.end;
      if (isThere && end !== undefined) found.push([units[at]?.start ?? 0, end]);
    }
  }
  const merged: [number, number][] = [];
  for (const [start, end] of found.toSorted((one, other) => one[0] - other[0])) {
    const last = merged.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  return merged;
}
