/**
 * What words mean, as far as it matters for hearing a refusal: stopping, messages, lists, orders, sizes. A concept has
 * the same name in each language (`refusals-*.ts`), so what the model learns in one language holds in the others.
 */
import { once } from "#src/core/once.ts";
import { ARABIC } from "./refusals-ar.ts";
import { GERMAN } from "./refusals-de.ts";
import { ENGLISH } from "./refusals-en.ts";
import { SPANISH } from "./refusals-es.ts";
import { FRENCH } from "./refusals-fr.ts";
import { HINDI } from "./refusals-hi.ts";
import { INDONESIAN } from "./refusals-id.ts";
import { ITALIAN } from "./refusals-it.ts";
import { PORTUGUESE } from "./refusals-pt.ts";

/** By the name of a concept: words between spaces, or beginnings of words (`begin*`). They are written as `normalizeText` leaves them, without apostrophes. */
type Lexicon = Readonly<Record<string, string>>;

export const LEXICONS: readonly Lexicon[] = [
  ...[ENGLISH, SPANISH, PORTUGUESE, FRENCH, GERMAN, ITALIAN],
  ...[HINDI, INDONESIAN, ARABIC],
];

/** Numbers of concepts; 0 and 1 are the ends of a text. */
export const TEXT_START = 0;
export const TEXT_END = 1;
const FIRST_CONCEPT = 2;

/** Articles, conjunctions and prepositions that Arabic writes together with the next word. */
const ARABIC_PREFIX = /^(?:[وفبلكس]?(?:ال|لل)|[وفبلكس])(?=\p{sc=Arab}{3})/u;

interface Concepts {
  wholeWords: Map<string, number[]>;
  beginnings: Map<string, number[]>;
  longestBeginning: number;
}

const concepts = once((): Concepts => {
  const wholeWords = new Map<string, number[]>();
  const beginnings = new Map<string, number[]>();
  const names = [...new Set(LEXICONS.flatMap(Object.keys))].toSorted();
  const numbers = new Map(names.map((name, index) => [name, FIRST_CONCEPT + index]));
  for (const [name, written] of LEXICONS.flatMap(Object.entries<string>)) {
    const concept = numbers.get(name) ?? 0;
    for (const word of written.split(" ")) {
      const isBeginning = word.endsWith("*");
      addTo(isBeginning ? beginnings : wholeWords, foldForms(isBeginning ? word.slice(0, -1) : word), concept);
    }
  }
  return { wholeWords, beginnings, longestBeginning: Math.max(...[...beginnings.keys()].map(({ length }) => length)) };
});

function addTo(among: Map<string, number[]>, word: string, concept: number): void {
  const known = among.get(word);
  if (known === undefined) among.set(word, [concept]);
  else if (!known.includes(concept)) known.push(concept);
}

/** The numbers of the concepts of a normalised word, each once. */
export function conceptsOf(word: string): number[] {
  const found: number[] = [];
  addConcepts(found, word);
  const prefix = word.charCodeAt(0) < 0x600 ? undefined : ARABIC_PREFIX.exec(word)?.[0];
  if (prefix !== undefined) addConcepts(found, word.slice(prefix.length));
  return found;
}

/**
 * One form of what people write in several: the last letters of Arabic words with dots or without, and Devanagari with or
 * without the dot below, and with one of two signs of nasal vowels.
 */
export function foldForms(word: string): string {
  if (word.charCodeAt(0) < 0x600) return word;
  return word.replace(/ى$/u, "ي").replace(/ة$/u, "ه").replaceAll("\u093c", "").replaceAll("\u0901", "\u0902");
}

function addConcepts(found: number[], word: string): void {
  const { wholeWords, beginnings, longestBeginning } = concepts();
  addMissing(found, wholeWords.get(word));
  const longest = Math.min(word.length, longestBeginning);
  for (let length = 1; length <= longest; length += 1) addMissing(found, beginnings.get(word.slice(0, length)));
}

function addMissing(found: number[], more: readonly number[] | undefined): void {
  if (more === undefined) return;
  for (const concept of more) if (!found.includes(concept)) found.push(concept);
}
