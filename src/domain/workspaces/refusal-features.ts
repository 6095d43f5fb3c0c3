/**
 * Turns a text into the features by which the model reads it: words, pairs of words, pieces of words, and pairs and
 * triples of concepts that stand near each other. A feature is a number below `BUCKETS`: a hash, so that no vocabulary
 * is stored. Takes linear time, with a limit for each text.
 */
import { conceptsOf, TEXT_END, TEXT_START } from "./refusal-concepts.ts";

/** Few of the million features of the corpus share a weight: with 2 ** 18 buckets most did, and more lines changed nothing. */
export const BUCKETS = 2 ** 22;
/** More words than this are read in overlapping parts, so that a long text does not hide a short refusal. */
const PART_WORDS = 40;
const PART_STEP = 30;
/** Of a long text only so much at each end is read: people say what they want first or last. */
const END_LENGTH = 256;
const END_WORDS = 50;
/** Features of one part, repeated ones included, after which the rest of the part is not read. */
const FEATURES_MAX = 4_000;
/** Of a word and its neighbour, so that endings do not count. */
const SHORT_FORM = 4;
const PIECE_MIN = 3;
const PIECE_MAX = 5;
const PAIR_REACH = 4;
const TRIPLE_REACH = 3;

/** Keeps features of different kinds apart that are made of the same words. */
const KIND = {
  word: 1,
  pair: 2,
  skippedPair: 3,
  shortPair: 4,
  shortSkippedPair: 5,
  piece: 6,
  emoji: 7,
  sign: 8,
  concept: 9,
  conceptPair: 10,
  conceptNeighbours: 11,
  conceptTriple: 12,
} as const;

const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}']+/u;
const EMOJI = /\p{Extended_Pictographic}/gu;
const DIGITS = /\d+/gu;
const SIGNS = ["?", "!", "¿", "؟", ","] as const;

function splitWords(said: string): string[] {
  const words: string[] = [];
  for (const piece of said.split(BETWEEN_WORDS)) {
    // "m'envoyer" is "m envoyer", and "don't" is "dont".
    const at = piece.indexOf("'");
    const pieces = at === 1 || at === 2 ? [piece.slice(0, at), piece.slice(at + 1)] : [piece];
    words.push(...pieces.map((word) => withoutRepeats(word.replaceAll("'", ""))).filter((word) => word !== ""));
  }
  return words;
}

/** "stopppp" is "stop": three equal letters or more are one. */
function withoutRepeats(word: string): string {
  let short = "";
  let from = 0;
  for (let at = 1; at <= word.length; at += 1) {
    if (word[at] === word[from]) continue;
    short += at - from > 2 ? word.charAt(from) : word.slice(from, at);
    from = at;
  }
  return short;
}

/** The words of a normalised text that are read: of a long one, those near its ends. */
export function readWords(said: string): string[] {
  const isLong = said.length > 2 * END_LENGTH;
  const words = splitWords(isLong ? `${said.slice(0, END_LENGTH)} ${said.slice(-END_LENGTH)}` : said);
  return words.length > 2 * END_WORDS ? [...words.slice(0, END_WORDS), ...words.slice(-END_WORDS)] : words;
}

/** The features of each part of a text; a text of ordinary length has one part. Each feature is listed once. */
export function readFeatures(words: readonly string[], text: string): Int32Array[] {
  const shown = words.map((word) => word.replace(DIGITS, "0"));
  const parts: Int32Array[] = [];
  for (let start = 0; start === 0 || start + PART_STEP < shown.length; start += PART_STEP)
    parts.push(featuresOf(shown.slice(start, start + PART_WORDS), text));
  return parts;
}

const scratch = new Int32Array(FEATURES_MAX);
let count = 0;
let left = 0;

function featuresOf(words: readonly string[], text: string): Int32Array {
  count = 0;
  left = FEATURES_MAX;
  for (const sign of SIGNS) if (text.includes(sign)) add(KIND.sign, hashOf(sign), 0);
  for (const emoji of new Set(text.match(EMOJI))) add(KIND.emoji, hashOf(emoji), 0);
  addWords(words);
  addConcepts(words);
  const sorted = scratch.slice(0, count).sort();
  let kept = 0;
  for (let index = 0; index < count; index += 1)
    if (index === 0 || sorted[index] !== sorted[index - 1]) scratch[kept++] = sorted[index] ?? 0;
  return scratch.slice(0, kept);
}

function addWords(words: readonly string[]): void {
  const around = ["^", ...words, "$"];
  const whole = around.map(hashOf);
  const short = around.map((word) => hashOf(word.slice(0, SHORT_FORM)));
  for (const [index, word] of around.entries()) {
    add(KIND.word, whole[index], 0);
    addPieces(`<${word}>`);
    if (index + 1 >= around.length) continue;
    add(KIND.pair, whole[index], whole[index + 1]);
    add(KIND.shortPair, short[index], short[index + 1]);
    if (index + 2 >= around.length) continue;
    add(KIND.skippedPair, whole[index], whole[index + 2]);
    add(KIND.shortSkippedPair, short[index], short[index + 2]);
  }
}

function addPieces(word: string): void {
  for (let start = 0; start + PIECE_MIN <= word.length; start += 1) {
    let hash = 0;
    const end = Math.min(start + PIECE_MAX, word.length);
    for (let at = start; at < end; at += 1) {
      hash = mix(hash, word.charCodeAt(at));
      if (at + 1 - start >= PIECE_MIN) add(KIND.piece, hash, 0);
    }
  }
}

function addConcepts(words: readonly string[]): void {
  const around = [[TEXT_START], ...words.map(conceptsOf), [TEXT_END]];
  for (const [index, concepts] of around.entries()) {
    for (const concept of concepts) {
      add(KIND.concept, concept, 0);
      addPairs(around, index, concept);
    }
  }
}

type Around = readonly (readonly number[])[];

function addPairs(around: Around, index: number, first: number): void {
  for (let distance = 1; distance <= PAIR_REACH; distance += 1) {
    for (const second of around[index + distance] ?? []) {
      add(KIND.conceptPair, first, second);
      if (distance === 1) add(KIND.conceptNeighbours, first, second);
      if (distance <= TRIPLE_REACH) addTriples(around, index + distance, mix(first, second));
    }
  }
}

function addTriples(around: Around, index: number, pair: number): void {
  for (let distance = 1; distance <= TRIPLE_REACH; distance += 1) {
    for (const third of around[index + distance] ?? []) add(KIND.conceptTriple, pair, third);
  }
}

function add(kind: number, first = 0, second = 0): void {
  if (left === 0) return;
  left -= 1;
  scratch[count] = bucketOf(mix(mix(kind, first), second));
  count += 1;
}

function hashOf(word: string): number {
  let hash = 0;
  for (let at = 0; at < word.length; at += 1) hash = mix(hash, word.charCodeAt(at));
  return hash;
}

function mix(hash: number, value: number): number {
  return Math.imul(hash ^ value, 0x0100_0193) + 0x9e37_79b9;
}

function bucketOf(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 15), 0x2c1b_3c6d);
  const twice = Math.imul(once ^ (once >>> 12), 0x297a_2d39);
  return ((twice ^ (twice >>> 15)) >>> 0) % BUCKETS;
}
