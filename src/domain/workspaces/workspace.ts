/** Rules of a workspace: what its settings may be, and the words that opt out and in. */

import { isTimeZone } from "#src/primitives/instant.ts";
import { isCountry } from "#src/primitives/phone.ts";
import { invalidRequest } from "#src/primitives/problem.ts";

export interface WorkspaceSettings {
  name: string;
  country: string;
  timezone: string;
  dailyCap: number | null;
  stopWords: string[];
  startWords: string[];
}

const NAME_LENGTH_MAX = 191;

/** Understood everywhere: the word itself, and the label of the network's own button. */
const SHIPPED_STOP_WORDS = ["stop", "stop promotions"];
const SHIPPED_START_WORDS = ["start"];

/** Refuses settings that could not work; keys of `fields` are the settings' names. */
export function requireSettings(settings: WorkspaceSettings): WorkspaceSettings {
  const fields: Record<string, string[]> = {};
  const name = settings.name.trim();
  if (name === "" || [...name].length > NAME_LENGTH_MAX) {
    fields.name = [`A name has 1 to ${NAME_LENGTH_MAX} characters.`];
  }
  const country = settings.country.toUpperCase();
  if (!isCountry(country)) fields.country = [`"${settings.country}" is not a country code such as IN or BR.`];
  if (!isTimeZone(settings.timezone)) {
    fields.timezone = [`"${settings.timezone}" is not a timezone such as Asia/Kolkata.`];
  }
  if (settings.dailyCap !== null && (!Number.isSafeInteger(settings.dailyCap) || settings.dailyCap < 1)) {
    fields.daily_cap = ["The daily cap is a whole number of people, at least 1."];
  }
  const stopWords = settings.stopWords.map(normalizeCommand).filter((word) => word !== "");
  const startWords = settings.startWords.map(normalizeCommand).filter((word) => word !== "");
  const both = [...SHIPPED_STOP_WORDS, ...stopWords].filter((word) =>
    [...SHIPPED_START_WORDS, ...startWords].includes(word),
  );
  if (both.length > 0) fields.stop_words = [`"${both[0]}" cannot both stop and start.`];
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return { ...settings, name, country, stopWords, startWords };
}

/** What a text, button or list title asks for; null for everything that is not exactly one of the words. */
export function readCommand(
  text: string,
  words: { stopWords: string[]; startWords: string[] },
): "stop" | "start" | null {
  const said = normalizeCommand(text);
  if (SHIPPED_STOP_WORDS.includes(said) || words.stopWords.includes(said)) return "stop";
  if (SHIPPED_START_WORDS.includes(said) || words.startWords.includes(said)) return "start";
  return null;
}

/** White space around, case, and closing punctuation don't count: " Stop! " is STOP. */
export function normalizeCommand(text: string): string {
  return text
    .trim()
    .replace(/[\p{P}\s]+$/u, "")
    .replace(/\s+/gu, " ")
    .toLowerCase();
}
