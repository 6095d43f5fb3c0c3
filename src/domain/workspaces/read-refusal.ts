/**
 * Hears a refusal in other words than STOP: "don't write to me again", "wrong number". Phrases of each language are data
 * (`refusals-*.ts`); innocent phrases ("bus stop") are taken out first. Takes linear time: a phrase begins at a word, and
 * each of its gaps is a few words wide.
 */
import { normalizeText } from "./normalize-command.ts";
import { OPT_IN_WORDS, OPT_OUT_WORDS } from "./opt-out-words.ts";
import { ARABIC } from "./refusals-ar.ts";
import { ENGLISH } from "./refusals-en.ts";
import { SPANISH } from "./refusals-es.ts";
import { FRENCH } from "./refusals-fr.ts";
import { HINDI } from "./refusals-hi.ts";
import { INDONESIAN } from "./refusals-id.ts";
import { PORTUGUESE } from "./refusals-pt.ts";

/**
 * A phrase is a row of parts between spaces: a word, `one|other`, `begin*`, `<class>`, `..` for up to three words, `^`
 * and `$` for the ends of the text. Case and accents do not count. An apostrophe after one or two letters separates
 * words ("m'envoyer" is "m envoyer"); any other is dropped ("don't" is "dont").
 */
interface RefusalLanguage {
  /** Words that stand for each other, by the name of their class. */
  classes: Readonly<Record<string, string>>;
  refusals: readonly string[];
  /** Phrases that hold words of refusal and plainly mean something else. */
  innocent: readonly string[];
}

const LANGUAGES: readonly RefusalLanguage[] = [ENGLISH, SPANISH, PORTUGUESE, FRENCH, HINDI, INDONESIAN, ARABIC];

interface Choice {
  words: ReadonlySet<string>;
  beginnings: readonly string[];
}
type Part = "gap" | "start" | "end" | Choice;

const GAP_MAX = 3;
const NONE: readonly never[] = [];
const BEGINNING_KEY = 3;
const BETWEEN_WORDS = /[^\p{L}\p{M}\p{N}']+/u;
/** Emoji that refuse when a text consists of nothing else. */
const REFUSING_EMOJI = /^(?:[👎🤮🖕😡😤🤬🔇✋\s!?]|\ufe0f)+$/u;
const STOP_SIGNS = /^(?:[🛑🚫\s]|\ufe0f)+$/u;

const refusals = indexPhrases(({ refusals }) => refusals);
const innocent = indexPhrases(({ innocent }) => innocent);
/** Long enough that a word one letter away is a misspelling rather than another word. */
const LONG_WORD_MIN = 8;
const longStopWords = OPT_OUT_WORDS.filter(({ isAmbiguous }) => !isAmbiguous)
  .map(({ word }) => normalizeText(word))
  .filter((word) => word.length >= LONG_WORD_MIN && !BETWEEN_WORDS.test(word));
/** Right words that are one letter away from an opt-out word and mean the opposite. */
const opposites: ReadonlySet<string> = new Set([...OPT_IN_WORDS, "anmelden", "Anmeldung"].map(normalizeText));

/** Whether the text is stop signs and nothing else. */
export function isStopSign(text: string): boolean {
  return STOP_SIGNS.test(text) && text.trim() !== "";
}

/** Whether the text is emoji and nothing else, and one of them refuses. */
export function isRefusingEmoji(text: string): boolean {
  return REFUSING_EMOJI.test(text) && /\p{So}/u.test(text);
}

/** Whether the words refuse in another way than those that opt out, or misspell one of them. */
export function refuses(words: readonly string[]): boolean {
  return words.some((word, index) => longestAt(refusals, words, index) !== -1 || isMisspelt(word));
}

/** The words of a normalised text; those of innocent phrases are empty. */
export function plainWords(said: string): string[] {
  return withoutInnocent(splitWords(said));
}

function withoutInnocent(words: string[]): string[] {
  const kept = [...words];
  for (const index of words.keys()) {
    const end = longestAt(innocent, words, index);
    if (end > index) kept.fill("", index, end);
  }
  return kept;
}

function splitWords(said: string): string[] {
  const words: string[] = [];
  for (const piece of said.split(BETWEEN_WORDS)) {
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

interface PhraseIndex {
  byWord: ReadonlyMap<string, readonly Part[][]>;
  /** By the first letters of a beginning, at most three. */
  byBeginning: ReadonlyMap<string, readonly Part[][]>;
}

function indexPhrases(select: (language: RefusalLanguage) => readonly string[]): PhraseIndex {
  const byWord = new Map<string, Part[][]>();
  const byBeginning = new Map<string, Part[][]>();
  for (const language of LANGUAGES) {
    for (const phrase of select(language)) {
      const parts = phrase.split(" ").map((part) => readPart(part, language));
      const first = parts.find((part) => typeof part === "object");
      if (first === undefined) continue;
      for (const word of first.words) byWord.set(word, [...(byWord.get(word) ?? []), parts]);
      for (const beginning of first.beginnings) {
        const key = beginning.slice(0, BEGINNING_KEY);
        byBeginning.set(key, [...(byBeginning.get(key) ?? []), parts]);
      }
    }
  }
  return { byWord, byBeginning };
}

function readPart(part: string, { classes }: RefusalLanguage): Part {
  if (part === "..") return "gap";
  if (part === "^") return "start";
  if (part === "$") return "end";
  const written = part.split("|").flatMap((word) => {
    if (!word.startsWith("<")) return [word];
    const members = classes[word.slice(1, -1)];
    if (members === undefined) throw new Error(`The class ${word} of a refusal does not exist.`);
    return members.split(" ");
  });
  const folded = (word: string) => normalizeText(word).replaceAll("'", "");
  return {
    words: new Set(written.filter((word) => !word.endsWith("*")).map(folded)),
    beginnings: written.filter((word) => word.endsWith("*")).map((word) => folded(word.slice(0, -1))),
  };
}

/** The index after the longest of the phrases that begin here; -1 if none does. */
function longestAt({ byWord, byBeginning }: PhraseIndex, words: readonly string[], index: number): number {
  const word = words[index] ?? "";
  let longest = -1;
  for (const parts of byWord.get(word) ?? NONE) longest = Math.max(longest, endOf(parts, words, index));
  for (let length = 1; length <= Math.min(BEGINNING_KEY, word.length); length += 1)
    for (const parts of byBeginning.get(word.slice(0, length)) ?? NONE)
      longest = Math.max(longest, endOf(parts, words, index));
  return longest;
}

/** The index after the last word of the phrase that begins here; -1 if none does. */
function endOf(parts: readonly Part[], words: readonly string[], index: number, from = 0): number {
  const part = parts[from];
  if (part === undefined) return index;
  if (part === "start") return index === 0 ? endOf(parts, words, index, from + 1) : -1;
  if (part === "end") return index === words.length ? endOf(parts, words, index, from + 1) : -1;
  if (part !== "gap") return says(part, words[index]) ? endOf(parts, words, index + 1, from + 1) : -1;
  for (let skipped = 0; skipped <= GAP_MAX; skipped += 1) {
    const end = endOf(parts, words, index + skipped, from + 1);
    if (end !== -1) return end;
  }
  return -1;
}

function says({ words, beginnings }: Choice, word: string | undefined): boolean {
  if (word === undefined || word === "") return false;
  return words.has(word) || beginnings.some((beginning) => word.startsWith(beginning));
}

function isMisspelt(word: string): boolean {
  if (word.length < LONG_WORD_MIN - 1 || opposites.has(word)) return false;
  return longStopWords.some((right) => isOneLetterAway(word, right));
}

/** Whether one letter is missing, added, changed, or changes places with its neighbour. */
function isOneLetterAway(word: string, right: string): boolean {
  if (word === right || Math.abs(word.length - right.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === right[start]) start += 1;
  const [rest, other] = [word.slice(start), right.slice(start)];
  if (rest.slice(1) === other || rest === other.slice(1) || rest.slice(1) === other.slice(1)) return true;
  return rest[0] === other[1] && rest[1] === other[0] && rest.slice(2) === other.slice(2);
}
