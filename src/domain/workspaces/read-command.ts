/**
 * Reads what a person wrote or chose: STOP, START, a word that may mean STOP, or such a word inside more text. Takes
 * linear time: texts are compared with sets of words, and long texts word by word.
 */
import { normalizeCommand, normalizeText } from "./normalize-command.ts";
import { OPT_IN_WORDS, OPT_OUT_WORDS } from "./opt-out-words.ts";
import { isStopSign, refuses } from "./read-refusal.ts";

type Command =
  | "stop"
  | "start"
  /** The word has other meanings too: what was sent to the person decides. */
  | "ambiguous";

interface OwnWords {
  stopWords: string[];
  startWords: string[];
}

const normalizedWords = (isAmbiguous: boolean): ReadonlySet<string> =>
  new Set(OPT_OUT_WORDS.filter((word) => word.isAmbiguous === isAmbiguous).map(({ word }) => normalizeCommand(word)));
const shippedStopWords = normalizedWords(false);
const ambiguousWords = normalizedWords(true);
const shippedStartWords: ReadonlySet<string> = new Set(OPT_IN_WORDS.map(normalizeCommand));

const SEPARATORS = /[\s\p{P}\p{S}]+/u;
const JOINED = /[\p{L}\p{M}\p{N}_-]/u;
/** Scripts that are written without spaces, so that no word can be told from a part of another one. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

/** Fewer letters than this with spaces between them are not a spelled-out word. */
const SPELLED_MIN = 4;

/** Null unless the text is exactly one of the words, said once or several times. If a word means both, STOP wins. */
export function readCommand(text: string, own: OwnWords): Command | null {
  if (isStopSign(text)) return "stop";
  const said = saidOnce(normalizeCommand(text));
  if (said === "") return null;
  if (isStopWord(said, own.stopWords)) return "stop";
  if (isStartWord(said, own.startWords)) return "start";
  return ambiguousWords.has(said) ? "ambiguous" : null;
}

/** What a written text says: a command, or in other words that the person may want to stop. */
export function readRefusal(text: string, own: OwnWords): Command | "doubt" | null {
  const command = readCommand(text, own);
  if (command !== null) return command;
  const said = normalizeText(text);
  return holdsOwnWord(said, own) || refuses(text, holdsWord(said, shippedStopWords)) ? "doubt" : null;
}

/** Whether an unambiguous word stands as a whole word anywhere in the text. */
export function mentionsStop(text: string, own: OwnWords): boolean {
  const said = normalizeText(text);
  return holdsWord(said, shippedStopWords) || holdsOwnWord(said, own);
}

function holdsOwnWord(said: string, own: OwnWords): boolean {
  return holdsWord(said, own.stopWords.map(normalizeCommand));
}

function holdsWord(said: string, words: Iterable<string>): boolean {
  for (const word of words) if (standsIn(said, word)) return true;
  return false;
}

/** Whether an opt-out word of any kind stands in the title of a button, also as part of a joined word ("Non-stop"). */
export function holdsStop(title: string, own: OwnWords): boolean {
  if (mentionsStop(title, own)) return true;
  const said = ` ${normalizeText(title).split(SEPARATORS).join(" ")} `;
  const words = [...shippedStopWords, ...ambiguousWords, ...own.stopWords.map(normalizeCommand)];
  return words.some((word) => /\p{L}/u.test(word) && said.includes(` ${word} `));
}

/** Finds a word of the workspace that would both opt out and opt in; null if there is none. */
export function findContradiction(own: OwnWords): string | null {
  const stops = own.stopWords.find((word) => isStartWord(normalizeCommand(word), own.startWords));
  return stops ?? own.startWords.find((word) => isStopWord(normalizeCommand(word), own.stopWords)) ?? null;
}

/** "stop stop, stop" is "stop", and so is "s t o p". */
function saidOnce(said: string): string {
  const words = said.split(SEPARATORS);
  if (words.length >= SPELLED_MIN && words.every((word) => word.length === 1)) return words.join("");
  const [first = said] = words;
  return words.every((word) => word === first) ? first : said;
}

/** A word without a letter, such as "1", stands in too many texts to mean anything. */
function standsIn(text: string, word: string): boolean {
  const first = text.indexOf(word);
  if (first === -1 || !/\p{L}/u.test(word) || UNSPACED.test(word)) return false;
  for (let at = first; at !== -1; at = text.indexOf(word, at + word.length)) {
    const before = text.charAt(at - 1);
    const after = text.charAt(at + word.length);
    if (!JOINED.test(before) && !JOINED.test(after)) return true;
  }
  return false;
}

// The workspace's words are stored as given.
function isStopWord(said: string, own: string[]): boolean {
  return shippedStopWords.has(said) || own.some((word) => normalizeCommand(word) === said);
}

function isStartWord(said: string, own: string[]): boolean {
  return shippedStartWords.has(said) || own.some((word) => normalizeCommand(word) === said);
}
