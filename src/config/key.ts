/** The shape of one configuration key, and the units of its durations. */
import type { Kind } from "./kinds.ts";

/** A value as a TOML document holds it. */
export type FileValue = string | number | boolean | readonly string[];

export interface Key<T> {
  /** The key's name within its section of the file. */
  readonly name: string;
  readonly kind: Kind<T>;
  readonly defaultValue: FileValue;
  /** What the key is for and when to change it; for the operator. */
  readonly description: string;
}

export function key<T>(name: string, kind: Kind<T>, defaultValue: FileValue, description: string): Key<T> {
  return { name, kind, defaultValue, description };
}

export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;
