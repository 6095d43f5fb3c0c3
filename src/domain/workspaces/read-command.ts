/** Reads STOP and START commands from a text, a caption or the title of a button. */
import { normalizeCommand } from "./normalize-command.ts";
import { OPT_IN_WORDS, OPT_OUT_WORDS } from "./opt-out-words.ts";

type Command = "stop" | "start";

const shippedStopWords: ReadonlySet<string> = new Set(
  OPT_OUT_WORDS.filter(({ isAmbiguous }) => !isAmbiguous).map(({ word }) => normalizeCommand(word)),
);
const shippedStartWords: ReadonlySet<string> = new Set(OPT_IN_WORDS.map(normalizeCommand));

/** Null unless the text is exactly one of the words. If a word means both, STOP wins. */
export function readCommand(text: string, own: { stopWords: string[]; startWords: string[] }): Command | null {
  const said = normalizeCommand(text);
  if (said === "") return null;
  if (isStopWord(said, own.stopWords)) return "stop";
  return isStartWord(said, own.startWords) ? "start" : null;
}

/** Finds a word of the workspace that would both opt out and opt in; null if there is none. */
export function findContradiction(own: { stopWords: string[]; startWords: string[] }): string | null {
  const stops = own.stopWords.find((word) => isStartWord(normalizeCommand(word), own.startWords));
  return stops ?? own.startWords.find((word) => isStopWord(normalizeCommand(word), own.stopWords)) ?? null;
}

// Normalise the workspace's words again: an older version may have stored them in another form.
function isStopWord(said: string, own: string[]): boolean {
  return shippedStopWords.has(said) || own.some((word) => normalizeCommand(word) === said);
}

function isStartWord(said: string, own: string[]): boolean {
  return shippedStartWords.has(said) || own.some((word) => normalizeCommand(word) === said);
}
