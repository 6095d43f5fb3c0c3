/**
 * Reads foreign JSON of unknown shape, member by member. Nothing here throws: a missing member, or one of another type,
 * is null (or an empty list), and the caller decides what that means.
 */
import { SHOWS_NOTHING } from "#src/core/shown-text.ts";
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

/** A member that is an object; null if it is missing or of another type. */
export function objectOf(owner: JsonObject | null, name: string): JsonObject | null {
  return asObject(memberOf(owner, name));
}

export function listOf(owner: JsonObject | null, name: string): readonly unknown[] {
  const value = memberOf(owner, name);
  return Array.isArray(value) ? value : [];
}

/**
 * A non-empty text member, because Meta sends empty strings for "not known". Cut to the length limit of a label; the
 * functions below apply the limits of other kinds of text.
 */
export function textOf(owner: JsonObject | null, name: string): string | null {
  return readText(owner, name, NETWORK_LABEL_LENGTH_MAX);
}

/** A text that a person wrote: a message, a caption, a title. */
export function writtenOf(owner: JsonObject | null, name: string): string | null {
  return readText(owner, name, WRITTEN_LENGTH_MAX);
}

/** A profile's name, as its owner chose it. One without a visible character is none. */
export function profileNameOf(owner: JsonObject | null, name: string): string | null {
  const text = readText(owner, name, PROFILE_NAME_LENGTH_MAX);
  return text === null || SHOWS_NOTHING.test(text) ? null : text;
}

/** A sentence written by the network. */
export function sentenceOf(owner: JsonObject | null, name: string): string | null {
  return readText(owner, name, NETWORK_WORDS_LENGTH_MAX);
}

/** An id; null if it is too long, because a truncated id would be another id. */
export function idOf(owner: JsonObject | null, name: string): string | null {
  const id = stringOf(owner, name);
  return id !== null && id.length <= NETWORK_ID_LENGTH_MAX ? id : null;
}

function readText(owner: JsonObject | null, name: string, max: number): string | null {
  const text = stringOf(owner, name);
  return text === null ? null : cutText(text, max);
}

/** The text unchanged, of any length: for a paging cursor, which is only sent back. */
export function stringOf(owner: JsonObject | null, name: string): string | null {
  const value = memberOf(owner, name);
  return typeof value === "string" && value !== "" ? value : null;
}

/** A whole number, or a text of digits: Meta writes codes and times both ways. */
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

/** Own members only, so that a name such as `constructor` does not find an inherited member. */
export function memberOf(owner: JsonObject | null, name: string): unknown {
  return owner !== null && Object.hasOwn(owner, name) ? owner[name] : undefined;
}

/** The parsed JSON; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
