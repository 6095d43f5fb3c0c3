/**
 * How much sense a text makes. A word counts by the language that its letters belong to; capitals inside a word, signs
 * inside a word, and letters of two scripts in one word are what a wrong encoding gives.
 */
import type { Encoding } from "./encodings.ts";
import {
  ARABIC_ORDER,
  CHINESE,
  CYRILLIC_ORDER,
  GREEK_ORDER,
  HEBREW_ORDER,
  JAPANESE,
  KOREAN,
  LATIN_LANGUAGES,
  THAI_ORDER,
} from "./languages.ts";

/** Of a word that no language has. */
const NONSENSE = -8;
const WEIGHT_MAX = 5;
const WORDS_MAX = 2_000;

/** Countries whose files are usually in an encoding of their own: the languages that people write there. */
const OWN_LANGUAGES: Readonly<Record<string, readonly string[]>> = {
  TR: ["Turkish"],
  PL: ["Polish"],
  CZ: ["Czech"],
  SK: ["Slovak"],
  HU: ["Hungarian"],
  RO: ["Romanian"],
  MD: ["Romanian"],
  HR: ["Croatian"],
  RS: ["Croatian"],
  SI: ["Croatian"],
  BA: ["Croatian"],
  LT: ["Lithuanian"],
  LV: ["Latvian"],
  EE: ["Estonian"],
  AL: ["Albanian"],
  VN: ["Vietnamese"],
  IS: ["Icelandic"],
};
const OWN_BONUS = 1.5;

/** How usual an encoding is among files of its script. */
const RARE: Readonly<Partial<Record<Encoding, number>>> = {
  "iso-8859-2": 0.35,
  "iso-8859-5": 0.35,
  "iso-8859-6": 0.6,
  "iso-8859-7": 0.35,
  "iso-8859-8": 0.35,
  "iso-8859-13": 0.6,
  "iso-8859-16": 1,
  "iso-8859-15": 0.35,
  "windows-1258": 0.6,
  ibm866: 0.35,
  ibm850: 0.25,
  "x-mac-cyrillic": 0.35,
  "koi8-u": 0.05,
};

/** Encodings that were made for few languages; others have their letters too, and are written in another one. */
const MADE_FOR: Readonly<Partial<Record<Encoding, readonly string[]>>> = {
  "windows-1257": ["Lithuanian", "Latvian", "Estonian"],
  "iso-8859-13": ["Lithuanian", "Latvian", "Estonian"],
  "iso-8859-16": ["Romanian"],
  "windows-1258": ["Vietnamese"],
};

interface Sense {
  /** Of a word; 0 is a word of a large language, higher is better. */
  mean: number;
  /** Grows with the evidence: two encodings that differ in many words are further apart than those that differ in one. */
  weight: number;
}

/** `country`: of the workspace. */
export function senseOf(text: string, encoding: Encoding, country: string): Sense {
  let [sum, count] = [0, 0];
  for (const word of strangeWords(text)) {
    sum += senseOfWord(word, { country, encoding });
    count += 1;
  }
  if (count === 0) return { mean: NONSENSE, weight: NONSENSE };
  const rare = RARE[encoding] ?? 0;
  return { mean: sum / count - rare, weight: sum / Math.sqrt(count) - rare };
}

interface Surroundings {
  country: string;
  encoding: Encoding;
}

/** Pieces between blanks and ASCII punctuation that have a character that is not ASCII. */
function strangeWords(text: string): string[] {
  return text
    .split(/[\s,;|"()<>/\\.:\-+0-9_&@'!?*#=[\]{}]+/)
    .filter((word) => /\P{ASCII}/u.test(word))
    .slice(0, WORDS_MAX);
}

/** Quotation marks, dashes and the like, which stand between or around words. */
const TYPOGRAPHY =
  /^[\u2018\u2019\u201c\u201d\u201e\u201a\u2013\u2014\u2026\u00ab\u00bb\u00a0\u2022\u20ac\u00a3\u00b0\u00a1\u00bf\u00ba\u00aa\u2122\u00ae\u00a9\u0964]+$/;
const AROUND = /^[\u2018\u201c\u201e\u201a\u00ab\u00a1\u00bf]|[\u2019\u201d\u201c\u00bb]$/g;
/** O\u2019Brien, D\u2019Souza, l\u2019Oise. */
const APOSTROPHE = /^(\p{L}{1,2})\u2019(?=\p{L})/u;
const CAPITAL_INSIDE = /\p{Ll}\p{Lu}/u;
const TWO_CAPITALS = /\p{Lu}\p{Lu}\p{Ll}/u;

function senseOfWord(raw: string, surroundings: Surroundings): number {
  // Dashes and marks alone are as likely in each encoding that has them, and say little.
  if (TYPOGRAPHY.test(raw)) return -2;
  const word = raw.replace(AROUND, "").replace(APOSTROPHE, "$1");
  if (word === "" || !/\P{ASCII}/u.test(word)) return -2;
  if (/[\p{Cc}\p{Co}\ufffd]/u.test(word)) return 2 * NONSENSE;
  if (!/^\p{L}[\p{L}\p{M}\u30fb\u30fc\u00b7]*$/u.test(word)) return NONSENSE;
  if (CAPITAL_INSIDE.test(word) || TWO_CAPITALS.test(word) || /ς./.test(word)) return NONSENSE;
  const scripts = SCRIPTS.filter(({ has }) => has.test(word));
  const [script] = scripts;
  if (script === undefined || scripts.length > 1) return NONSENSE;
  return script.sense(word, surroundings);
}

const SCRIPTS: readonly { has: RegExp; sense: (word: string, surroundings: Surroundings) => number }[] = [
  { has: /\p{Script=Latin}/u, sense: senseOfLatin },
  { has: /\p{Script=Cyrillic}/u, sense: (word) => senseOfLetters(word, CYRILLIC_ORDER) },
  { has: /\p{Script=Greek}/u, sense: (word) => senseOfLetters(word, GREEK_ORDER) },
  { has: /\p{Script=Hebrew}/u, sense: (word) => senseOfLetters(word, HEBREW_ORDER) },
  { has: /\p{Script=Arabic}/u, sense: (word) => senseOfLetters(word, ARABIC_ORDER) },
  { has: /\p{Script=Thai}/u, sense: (word) => senseOfLetters(word, THAI_ORDER) },
  { has: /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\u30fc]/u, sense: senseOfEastAsian },
];

function senseOfLatin(raw: string, { country, encoding }: Surroundings): number {
  const word = raw.toLowerCase().normalize("NFC");
  const letters = [...word].filter((letter) => letter > "\x7f");
  const made = MADE_FOR[encoding];
  let best = NONSENSE;
  for (const { name, letters: own, weight, not } of LATIN_LANGUAGES) {
    if (made !== undefined && !made.includes(name)) continue;
    if (!letters.every((letter) => own.includes(letter)) || not?.test(word) === true) continue;
    const bonus = OWN_LANGUAGES[country]?.includes(name) === true ? OWN_BONUS : 0;
    best = Math.max(best, weight - WEIGHT_MAX + bonus);
  }
  return best;
}

/** By the mean place of the letters in the order of their frequency. */
function senseOfLetters(word: string, order: string): number {
  let sum = 0;
  let count = 0;
  for (const letter of word.toLowerCase()) {
    const place = order.indexOf(letter);
    sum += place === -1 ? 1.5 : place / order.length;
    count += 1;
  }
  return count === 0 ? NONSENSE : 1 - 4 * (sum / count);
}

/** By the share of characters that are common; one-byte kana, which other encodings give, are not. */
function senseOfEastAsian(word: string): number {
  let sum = 0;
  let count = 0;
  const isKorean = /\p{Script=Hangul}/u.test(word);
  for (const character of word) {
    count += 1;
    if (/[\u3041-\u3096\u30a1-\u30fc]/.test(character)) sum += 1;
    else if (CHINESE.includes(character) || JAPANESE.includes(character) || KOREAN.includes(character)) sum += 1;
    else if (/[\uff61-\uff9f]/.test(character)) sum -= 0.5;
    else if (/\p{Script=Hangul}/u.test(character)) sum += 0.35;
    else sum += isKorean ? -1 : 0.1;
  }
  return 3 * (sum / count) - 2.6;
}
