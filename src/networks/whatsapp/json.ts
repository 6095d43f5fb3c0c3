/**
 * Reads what somebody else wrote: JSON of unknown shape, member by member. Nothing here throws; what is missing or of
 * another kind than asked for is null (or an empty list), so that the callers decide what that means.
 */
import {
  cutText,
  NETWORK_ID_LENGTH_MAX,
  NETWORK_LABEL_LENGTH_MAX,
  NETWORK_WORDS_LENGTH_MAX,
  NUMBER_LENGTH_MAX,
  PROFILE_NAME_LENGTH_MAX,
  WRITTEN_LENGTH_MAX,
} from "#src/core/text-limits.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export function asObject(value: unknown): JsonObject | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : null;
}

/** A member that is an object; null where it is missing or something else. */
export function objectOf(owner: JsonObject | null, name: string): JsonObject | null {
  return asObject(memberOf(owner, name));
}

export function listOf(owner: JsonObject | null, name: string): readonly unknown[] {
  const value = memberOf(owner, name);
  return Array.isArray(value) ? value : [];
}

/**
 * A member that is a text with something in it: Meta sends empty strings where it means "not known". Cut to the limit of
 * a label; the functions below are for texts of other kinds.
 */
export function textOf(owner: JsonObject | null, name: string): string | null {
  return readText(owner, name, NETWORK_LABEL_LENGTH_MAX);
}

/** What a person wrote: a text, a caption, a title. */
export function writtenOf(owner: JsonObject | null, name: string): string | null {
  return readText(owner, name, WRITTEN_LENGTH_MAX);
}

/** The name that a person has given to a profile. */
export function profileNameOf(owner: JsonObject | null, name: string): string | null {
  return readText(owner, name, PROFILE_NAME_LENGTH_MAX);
}

/** Sentences of the network's own. */
export function sentenceOf(owner: JsonObject | null, name: string): string | null {
  return readText(owner, name, NETWORK_WORDS_LENGTH_MAX);
}

/** An id; one that is too long is none, for a cut id would be another's. */
export function idOf(owner: JsonObject | null, name: string): string | null {
  const id = stringOf(owner, name);
  return id !== null && id.length <= NETWORK_ID_LENGTH_MAX ? id : null;
}

function readText(owner: JsonObject | null, name: string, max: number): string | null {
  const text = stringOf(owner, name);
  return text === null ? null : cutText(text, max);
}

/** As it came, whatever its length: for a cursor of our own question, which is only handed back. */
export function stringOf(owner: JsonObject | null, name: string): string | null {
  const value = memberOf(owner, name);
  return typeof value === "string" && value !== "" ? value : null;
}

/** A member that is a whole number, or a text that spells one: Meta writes codes and times in both ways. */
export function integerOf(owner: JsonObject | null, name: string): number | null {
  const value = memberOf(owner, name);
  const isText = typeof value === "string" && value.length <= NUMBER_LENGTH_MAX;
  const number = isText && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : null;
}

export function numberOf(owner: JsonObject | null, name: string): number | null {
  const value = memberOf(owner, name);
  const isText = typeof value === "string" && value.length <= NUMBER_LENGTH_MAX;
  const number = isText && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) ? number : null;
}

/** Own members only: a body may well be asked for a member called `constructor`. */
export function memberOf(owner: JsonObject | null, name: string): unknown {
  return owner !== null && Object.hasOwn(owner, name) ? owner[name] : undefined;
}

/** The value of a JSON text; undefined where the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
