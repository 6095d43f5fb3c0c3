/**
 * Turns a text into the features by which the model reads it: words, pieces of words, what words mean (concepts), both
 * beside each other, and the concepts of a whole clause. A feature is a number below `BUCKETS`: a hash, so that no
 * vocabulary is stored. Takes linear time, with a limit for each text.
 */
import { conceptsOf, foldForms, TEXT_END, TEXT_START } from "./refusal-concepts.ts";

/**
 * Most of the three million features of the corpus have a weight of their own: with 2 ** 18 buckets most shared one, and
 * more lines changed nothing. A weight is a byte; the file is just below 8 MiB.
 */
export const BUCKETS = 8_388_000;
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
/** How far from a word a concept is read together with it. */
const WORD_REACH = 2;
const FORM_REACH = 3;
/** A clause with more concepts says too much to be met again. */
const CLAUSE_CONCEPTS_MAX = 6;
/** Longer clauses count as equally long. */
const CLAUSE_WORDS = 5;
const ANY_LENGTH = 9;

/** Keeps features of different kinds apart that are made of the same words. */
const KIND = {
  word: 1,
  pair: 2,
  shortPair: 4,
  piece: 6,
  emoji: 7,
  sign: 8,
  concept: 9,
  conceptPair: 10,
  clause: 17,
  shortTriple: 22,
  conceptAfter: 23,
  conceptBefore: 24,
  formTriple: 26,
  formPair: 33,
} as const;

const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}']+/u;
/** None of these joins words, so a text has the same words in clauses as in one piece. */
const BETWEEN_CLAUSES = /[.!?;:,،؟।()–—]+/u;
const EMOJI = /\p{Extended_Pictographic}/gu;
const DIGITS = /\d+/gu;
const SIGNS = ["?", "!", "¿", "؟", ","] as const;

function splitWords(said: string): string[] {
  const words: string[] = [];
  for (const piece of said.split(BETWEEN_WORDS)) {
    // "m'envoyer" is "m envoyer", and "don't" is "dont".
    const at = piece.indexOf("'");
    const pieces = at === 1 || at === 2 ? [piece.slice(0, at), piece.slice(at + 1)] : [piece];
    words.push(
      ...pieces.map((word) => withoutRepeats(foldForms(word.replaceAll("'", "")))).filter((word) => word !== ""),
    );
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

/** The words between two signs of punctuation. */
export type Clause = readonly string[];

/** The words of a normalised text that are read: of a long one, those near its ends. */
export function readClauses(said: string): Clause[] {
  const isLong = said.length > 2 * END_LENGTH;
  const read = isLong ? `${said.slice(0, END_LENGTH)} ${said.slice(-END_LENGTH)}` : said;
  const clauses = read.split(BETWEEN_CLAUSES).map(splitWords);
  const count = clauses.reduce((sum, { length }) => sum + length, 0);
  return count > 2 * END_WORDS
    ? [...wordsBetween(clauses, 0, END_WORDS), ...wordsBetween(clauses, count - END_WORDS, count)]
    : clauses.filter(({ length }) => length > 0);
}

/** What of the clauses stands between two places, which are counted in words. */
function wordsBetween(clauses: readonly Clause[], start: number, end: number): Clause[] {
  let place = 0;
  return clauses
    .map((words) => {
      const shown = words.slice(Math.max(0, start - place), Math.max(0, end - place));
      place += words.length;
      return shown;
    })
    .filter(({ length }) => length > 0);
}

/** The features of each part of a text; a text of ordinary length has one part. Each feature is listed once. */
export function readFeatures(clauses: readonly Clause[], text: string): Int32Array[] {
  const shown = clauses.map((words) => words.map((word) => word.replace(DIGITS, "0")));
  const length = shown.reduce((sum, words) => sum + words.length, 0);
  const parts: Int32Array[] = [];
  for (let start = 0; start === 0 || start + PART_STEP < length; start += PART_STEP)
    parts.push(featuresOf(wordsBetween(shown, start, start + PART_WORDS), text));
  return parts;
}

const scratch = new Int32Array(FEATURES_MAX);
let count = 0;
let left = 0;

function featuresOf(clauses: readonly Clause[], text: string): Int32Array {
  count = 0;
  left = FEATURES_MAX;
  for (const sign of SIGNS) if (text.includes(sign)) add(KIND.sign, hashOf(sign), 0);
  for (const emoji of new Set(text.match(EMOJI))) add(KIND.emoji, hashOf(emoji), 0);
  const read = clauses.map((words) => words.map(conceptsOf));
  for (const concepts of read) addClause(concepts);
  const around: Around = {
    words: ["^", ...clauses.flat(), "$"],
    concepts: [[TEXT_START], ...read.flat(), [TEXT_END]],
  };
  addWords(around.words);
  addConcepts(around.concepts);
  addMixed(around);
  const sorted = scratch.slice(0, count).sort();
  let kept = 0;
  for (let index = 0; index < count; index += 1)
    if (index === 0 || sorted[index] !== sorted[index - 1]) scratch[kept++] = sorted[index] ?? 0;
  return scratch.slice(0, kept);
}

/** The words of a part with its ends, and the concepts of each. */
interface Around {
  words: readonly string[];
  concepts: readonly (readonly number[])[];
}

/** Which concepts a clause has, in any order: with how many words, and with any number. */
function addClause(concepts: readonly (readonly number[])[]): void {
  const all = [...new Set(concepts.flat())].toSorted((one, other) => one - other);
  if (all.length > CLAUSE_CONCEPTS_MAX) return;
  const hash = all.reduce(mix, 0);
  add(KIND.clause, hash, Math.min(concepts.length, CLAUSE_WORDS));
  add(KIND.clause, hash, ANY_LENGTH);
}

function addWords(words: readonly string[]): void {
  const whole = words.map(hashOf);
  const short = words.map(shortHash);
  for (const [index, word] of words.entries()) {
    add(KIND.word, whole[index], 0);
    addPieces(`<${word}>`);
    if (index + 1 >= words.length) continue;
    add(KIND.pair, whole[index], whole[index + 1]);
    add(KIND.shortPair, short[index], short[index + 1]);
    if (index + 2 < words.length)
      add(KIND.shortTriple, mix(short[index] ?? 0, short[index + 1] ?? 0), short[index + 2]);
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

function addConcepts(around: Around["concepts"]): void {
  for (const [index, concepts] of around.entries()) {
    for (const concept of concepts) {
      add(KIND.concept, concept, 0);
      for (let distance = 1; distance <= PAIR_REACH; distance += 1)
        for (const second of around[index + distance] ?? []) add(KIND.conceptPair, concept, second);
    }
  }
}

/** A word with a concept near it, and the text with each known word replaced by its concept: its form. */
function addMixed({ words, concepts }: Around): void {
  const whole = words.map(hashOf);
  const form = words.map((word, index) => formOf(word, concepts[index]?.[0]));
  for (const index of words.keys()) {
    for (let distance = 1; distance <= WORD_REACH && index + distance < words.length; distance += 1) {
      for (const concept of concepts[index + distance] ?? [])
        add(KIND.conceptAfter, mix(whole[index] ?? 0, distance), concept);
      for (const concept of concepts[index] ?? [])
        add(KIND.conceptBefore, mix(concept, distance), whole[index + distance]);
    }
    addForms(form, index);
  }
}

function addForms(form: readonly number[], index: number): void {
  const first = form[index] ?? 0;
  for (let distance = 2; distance <= FORM_REACH && index + distance < form.length; distance += 1)
    add(KIND.formPair, mix(first, distance), form[index + distance]);
  if (index + 2 < form.length) add(KIND.formTriple, mix(first, form[index + 1] ?? 0), form[index + 2]);
}

function formOf(word: string, concept: number | undefined): number {
  return concept === undefined ? shortHash(word) : mix(KIND.concept, concept);
}

function shortHash(word: string): number {
  return hashOf(word.slice(0, SHORT_FORM));
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
