/** Validation of a workspace's settings. */

import { isTimeZone } from "#src/core/instant.ts";
import { isCountry } from "#src/core/phone.ts";
import { invalidRequest } from "#src/core/problem.ts";
import { COMMAND_LENGTH_MAX, cutText } from "#src/core/text-limits.ts";
import { normalizeCommand } from "./normalize-command.ts";
import { findContradiction } from "./read-command.ts";

export interface WorkspaceSettings {
  name: string;
  country: string;
  timezone: string;
  dailyCap: number | null;
  stopWords: string[];
  startWords: string[];
}

const NAME_LENGTH_MAX = 191;

/** Validates and normalises settings. Throws `invalid_request`; the keys of `fields` are the settings' names. */
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
  const words = { stopWords: ownWords(settings.stopWords), startWords: ownWords(settings.startWords) };
  for (const [field, own] of [["stop_words", words.stopWords] as const, ["start_words", words.startWords] as const]) {
    const useless = own.find((word) => normalizeCommand(word) === "");
    if (useless !== undefined) {
      fields[field] = [
        `"${cutText(useless, COMMAND_LENGTH_MAX)}" has no letter or digit, or more than ${COMMAND_LENGTH_MAX} characters.`,
      ];
    }
  }
  const both = findContradiction(words);
  if (both !== null) fields.stop_words ??= [`"${both}" cannot both stop and start.`];
  if (Object.keys(fields).length > 0) throw invalidRequest(fields);
  return { ...settings, ...words, name, country };
}

/** Drops empty entries, as left by two adjacent commas. */
function ownWords(given: string[]): string[] {
  return given.map((word) => word.trim()).filter((word) => word !== "");
}
