/**
 * Reads what somebody else wrote: JSON of unknown shape, member by member. Nothing here throws; what is missing or of
 * another kind than asked for is null (or an empty list), so that the callers decide what that means.
 */
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

/** A member that is a text with something in it: Meta sends empty strings where it means "not known". */
export function textOf(owner: JsonObject | null, name: string): string | null {
  const value = memberOf(owner, name);
  return typeof value === "string" && value !== "" ? value : null;
}

/** A member that is a whole number, or a text that spells one: Meta writes codes and times in both ways. */
export function integerOf(owner: JsonObject | null, name: string): number | null {
  const value = memberOf(owner, name);
  const number = typeof value === "string" && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) ? number : null;
}

export function numberOf(owner: JsonObject | null, name: string): number | null {
  const value = memberOf(owner, name);
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
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
