/**
 * What words mean, as far as it matters for hearing a refusal: stopping, messages, lists, orders, sizes. A concept has
 * the same name in each language (`refusals-*.ts`), so what the model learns in one language holds in the others.
 */
import { normalizeText } from "./normalize-command.ts";
import { ARABIC } from "./refusals-ar.ts";
import { GERMAN } from "./refusals-de.ts";
import { ENGLISH } from "./refusals-en.ts";
import { SPANISH } from "./refusals-es.ts";
import { FRENCH } from "./refusals-fr.ts";
import { HINDI } from "./refusals-hi.ts";
import { INDONESIAN } from "./refusals-id.ts";
import { ITALIAN } from "./refusals-it.ts";
import { PORTUGUESE } from "./refusals-pt.ts";

/** By the name of a concept: words between spaces, or beginnings of words (`begin*`). Case and accents do not count. */
type Lexicon = Readonly<Record<string, string>>;

const LEXICONS: readonly Lexicon[] = [
  ...[ENGLISH, SPANISH, PORTUGUESE, FRENCH, GERMAN, ITALIAN],
  ...[HINDI, INDONESIAN, ARABIC],
];

/** Numbers of concepts; 0 and 1 are the ends of a text. */
export const TEXT_START = 0;
export const TEXT_END = 1;
const FIRST_CONCEPT = 2;

/** Articles, conjunctions and prepositions that Arabic writes together with the next word. */
const ARABIC_PREFIX = /^(?:[وفبلكس]?(?:ال|لل)|[وفبلكس])(?=\p{sc=Arab}{3})/u;

const wholeWords = new Map<string, number[]>();
const beginnings = new Map<string, number[]>();
const conceptNames = [...new Set(LEXICONS.flatMap(Object.keys))].toSorted();
for (const lexicon of LEXICONS) {
  for (const [name, written] of Object.entries(lexicon)) {
    for (const word of written.split(" ")) addWord(word, FIRST_CONCEPT + conceptNames.indexOf(name));
  }
}
const longestBeginning = Math.max(...[...beginnings.keys()].map((beginning) => beginning.length));

function addWord(written: string, concept: number): void {
  const isBeginning = written.endsWith("*");
  const word = normalizeText(isBeginning ? written.slice(0, -1) : written).replaceAll("'", "");
  const among = isBeginning ? beginnings : wholeWords;
  const concepts = among.get(word) ?? [];
  if (!concepts.includes(concept)) among.set(word, [...concepts, concept]);
}

/** The numbers of the concepts of a normalised word, each once. */
export function conceptsOf(word: string): number[] {
  const concepts: number[] = [];
  addConcepts(concepts, word);
  const prefix = word.charCodeAt(0) < 0x600 ? undefined : ARABIC_PREFIX.exec(word)?.[0];
  if (prefix !== undefined) addConcepts(concepts, word.slice(prefix.length));
  return concepts;
}

function addConcepts(concepts: number[], word: string): void {
  addMissing(concepts, wholeWords.get(word));
  const longest = Math.min(word.length, longestBeginning);
  for (let length = 1; length <= longest; length += 1) addMissing(concepts, beginnings.get(word.slice(0, length)));
}

function addMissing(concepts: number[], more: readonly number[] | undefined): void {
  if (more === undefined) return;
  for (const concept of more) if (!concepts.includes(concept)) concepts.push(concept);
}
