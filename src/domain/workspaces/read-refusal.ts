/**
 * Hears a refusal in other words than STOP: "don't write to me again", "wrong number", 👎 alone, a misspelt UNSUBSCRIBE.
 * Takes linear time over a limited prefix of the text.
 */
import { once } from "#src/core/once.ts";
import { normalizeText } from "./normalize-command.ts";
import { OPT_IN_WORDS, OPT_OUT_WORDS } from "./opt-out-words.ts";
import { type Clause, readClauses } from "./refusal-features.ts";
import { scoreRefusal } from "./refusal-model.ts";

/** Emoji that refuse when a text consists of nothing else. */
const REFUSING_EMOJI = /^(?:[👎🤮🖕😡😤🤬🔇✋\s!?]|\ufe0f)+$/u;
const STOP_SIGNS = /^(?:[🛑🚫\s]|\ufe0f)+$/u;

/**
 * Chosen by cross-validation (`bun run train:refusals --cross-validate`): false doubt on chat of about 0.4 %. Some lines for
 * training were written with the open half in sight, so other chat is doubted more often.
 */
const REFUSAL_MIN = 1.2;
/** A text that holds an opt-out word is doubtful unless its other words clearly speak of something else. */
const STOP_WORD_MIN = -0.5;

/** Long enough that a word one letter away is a misspelling rather than another word. */
const LONG_WORD_MIN = 8;
/** One wrong letter leaves the beginning or the end of a long word as it is. */
const UNTOUCHED = 3;
const longStopWords = once(() => {
  const words = new Map<string, string[]>();
  for (const { word, isAmbiguous } of OPT_OUT_WORDS) {
    const right = normalizeText(word);
    if (isAmbiguous || right.length < LONG_WORD_MIN || readClauses(right).flat().length !== 1) continue;
    for (const key of untouchedOf(right)) words.set(key, [...(words.get(key) ?? []), right]);
  }
  return words;
});
/** Right words, although one letter away from an opt-out word: its opposite, another form, or one of another language. */
const rightWords = once(() => {
  const commands = [...OPT_IN_WORDS, ...OPT_OUT_WORDS.map(({ word }) => word)];
  const others = ["anmelden", "Anmeldung", "unsubscribed", "désabonné", "désabonnée", "berhenti2"];
  return new Set([...commands, ...others].map(normalizeText));
});

/** Whether the text is stop signs and nothing else. */
export function isStopSign(text: string): boolean {
  return STOP_SIGNS.test(text) && text.trim() !== "";
}

/**
 * Whether the text refuses in another way than by a command. `said` is the text as it is normalised; `holdsStop`: an
 * opt-out word stands in it.
 */
export function refuses(text: string, said: string, holdsStop: boolean): boolean {
  if (isRefusingEmoji(text)) return true;
  const clauses = readClauses(said);
  return scoreRefusal(clauses, text) >= (holdsStop ? STOP_WORD_MIN : REFUSAL_MIN) || holdsMisspelt(clauses);
}

/** Whether the text is emoji and nothing else, and one of them refuses. */
function isRefusingEmoji(text: string): boolean {
  return REFUSING_EMOJI.test(text) && /\p{So}/u.test(text);
}

/** Whether a word is a long opt-out word with one wrong letter. */
export function holdsMisspelt(clauses: readonly Clause[]): boolean {
  return clauses.flat().some(isMisspelt);
}

function isMisspelt(word: string): boolean {
  if (word.length < LONG_WORD_MIN - 1 || rightWords().has(word)) return false;
  return untouchedOf(word).some((key) =>
    longStopWords()
      .get(key)
      ?.some((right) => isOneLetterAway(word, right)),
  );
}

function untouchedOf(word: string): [beginning: string, end: string] {
  return [`${word.slice(0, UNTOUCHED)}…`, `…${word.slice(-UNTOUCHED)}`];
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
