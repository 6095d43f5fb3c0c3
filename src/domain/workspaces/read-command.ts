/** What a text, a caption or the title of a button asks for: to be left alone, or to be written to again. */
import { normalizeCommand } from "./normalize-command.ts";
import { OPT_IN_WORDS, OPT_OUT_WORDS } from "./opt-out-words.ts";

export type Command = "stop" | "start";

const shippedStopWords: ReadonlySet<string> = new Set(
  OPT_OUT_WORDS.filter(({ isAmbiguous }) => !isAmbiguous).map(({ word }) => normalizeCommand(word)),
);
const shippedStartWords: ReadonlySet<string> = new Set(OPT_IN_WORDS.map(normalizeCommand));

/** Null for everything that is not exactly one of the words. Of a word that means both, STOP counts. */
export function readCommand(text: string, own: { stopWords: string[]; startWords: string[] }): Command | null {
  const said = normalizeCommand(text);
  if (said === "") return null;
  if (isStopWord(said, own.stopWords)) return "stop";
  return isStartWord(said, own.startWords) ? "start" : null;
}

/** A shipped word that means both, or a workspace's own that contradicts another; null: there is none. */
export function findContradiction(own: { stopWords: string[]; startWords: string[] }): string | null {
  const stops = own.stopWords.find((word) => isStartWord(normalizeCommand(word), own.startWords));
  return stops ?? own.startWords.find((word) => isStopWord(normalizeCommand(word), own.stopWords)) ?? null;
}

// A workspace's words are normalised here too: those that were stored by an older version have another form.
function isStopWord(said: string, own: string[]): boolean {
  return shippedStopWords.has(said) || own.some((word) => normalizeCommand(word) === said);
}

function isStartWord(said: string, own: string[]): boolean {
  return shippedStartWords.has(said) || own.some((word) => normalizeCommand(word) === said);
}
