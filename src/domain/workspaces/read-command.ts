/**
 * Reads what a person wrote or chose: STOP, START, a word that may mean STOP, or such a word inside more text. Takes
 * linear time: texts are compared with sets of words, and long texts word by word.
 */
import { once } from "#src/core/once.ts";
import { limitCommand, normalizeCommand, normalizeText } from "./normalize-command.ts";
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

const optOutWords = (isAmbiguous: boolean): ReadonlySet<string> =>
  new Set(OPT_OUT_WORDS.filter((word) => word.isAmbiguous === isAmbiguous).map(({ word }) => normalizeCommand(word)));
const shippedStopWords = once(() => optOutWords(false));
const ambiguousWords = once(() => optOutWords(true));
const shippedStartWords = once(() => new Set(OPT_IN_WORDS.map(normalizeCommand)));

const SEPARATORS = /[\s\p{P}\p{S}]+/u;
const JOINED = /[\p{L}\p{M}\p{N}_-]/u;
/** Scripts that are written without spaces, so that no word can be told from a part of another one. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]/u;

/** Shipped words that can stand inside a text, at a number that their first two characters give (`startOf`). */
const shippedByStart = once(() => {
  const words: (readonly string[] | undefined)[] = Array(0x1_0000).fill(undefined);
  for (const word of shippedStopWords()) {
    const start = startOf(word, 0);
    if (canStandInside(word)) words[start] = [...(words[start] ?? []), word];
  }
  return words;
});

/** Fewer letters than this with spaces between them are not a spelled-out word. */
const SPELLED_MIN = 4;

/** Null unless the text is exactly one of the words, said once or several times. If a word means both, STOP wins. */
export function readCommand(text: string, own: OwnWords): Command | null {
  return isStopSign(text) ? "stop" : commandOf(normalizeText(text), own);
}

/** What a written text says: a command, or in other words that the person may want to stop. */
export function readRefusal(text: string, own: OwnWords): Command | "doubt" | null {
  if (isStopSign(text)) return "stop";
  const said = normalizeText(text);
  const command = commandOf(said, own);
  if (command !== null) return command;
  return holdsOwnWord(said, own) || refuses(text, said, holdsShippedWord(said)) ? "doubt" : null;
}

function commandOf(normalized: string, own: OwnWords): Command | null {
  const said = saidOnce(limitCommand(normalized));
  if (said === "") return null;
  if (isStopWord(said, own.stopWords)) return "stop";
  if (isStartWord(said, own.startWords)) return "start";
  return ambiguousWords().has(said) ? "ambiguous" : null;
}

/** Whether an unambiguous word stands as a whole word anywhere in the text. */
export function mentionsStop(text: string, own: OwnWords): boolean {
  const said = normalizeText(text);
  return holdsShippedWord(said) || holdsOwnWord(said, own);
}

function holdsOwnWord(said: string, own: OwnWords): boolean {
  return own.stopWords.map(normalizeCommand).some((word) => canStandInside(word) && standsIn(said, word));
}

function holdsShippedWord(said: string): boolean {
  const byStart = shippedByStart();
  for (let at = 0; at < said.length; at += 1) {
    const words = byStart[startOf(said, at)];
    if (words?.some((word) => said.startsWith(word, at) && isWholeWord(said, at, word)) === true) return true;
  }
  return false;
}

function startOf(text: string, at: number): number {
  return (text.charCodeAt(at) * 0x101 + (text.charCodeAt(at + 1) || 0)) % 0x1_0000;
}

/** Whether an opt-out word of any kind stands in the title of a button, also as part of a joined word ("Non-stop"). */
export function holdsStop(title: string, own: OwnWords): boolean {
  if (mentionsStop(title, own)) return true;
  const said = ` ${normalizeText(title).split(SEPARATORS).join(" ")} `;
  const words = [...shippedStopWords(), ...ambiguousWords(), ...own.stopWords.map(normalizeCommand)];
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
function canStandInside(word: string): boolean {
  return /\p{L}/u.test(word) && !UNSPACED.test(word);
}

function standsIn(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length))
    if (isWholeWord(text, at, word)) return true;
  return false;
}

function isWholeWord(text: string, at: number, word: string): boolean {
  return !JOINED.test(text.charAt(at - 1)) && !JOINED.test(text.charAt(at + word.length));
}

// The workspace's words are stored as given.
function isStopWord(said: string, own: string[]): boolean {
  return shippedStopWords().has(said) || own.some((word) => normalizeCommand(word) === said);
}

function isStartWord(said: string, own: string[]): boolean {
  return shippedStartWords().has(said) || own.some((word) => normalizeCommand(word) === said);
}
